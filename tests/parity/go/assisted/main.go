// Copyright: Contributors to the capability.openshift collection
// SPDX-License-Identifier: GPL-3.0-or-later

// Registers AgentClusterInstalls as assisted-service does: with its admission hooks, and with what its controller calls.
//
// It runs in a checkout of openshift/assisted-service: tests/parity/make_sites.py copies it. Standard input is a JSON
// list of cases. Standard output is a JSON list of the platforms, empty if assisted-service rejects the case.
package main

import (
	"encoding/json"
	"io"
	"os"

	"github.com/go-openapi/swag"
	"github.com/sirupsen/logrus"
	admissionv1 "k8s.io/api/admission/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"sigs.k8s.io/controller-runtime/pkg/webhook/admission"

	hiveext "github.com/openshift/assisted-service/api/hiveextension/v1beta1"
	"github.com/openshift/assisted-service/internal/common"
	"github.com/openshift/assisted-service/internal/featuresupport"
	"github.com/openshift/assisted-service/internal/provider"
	"github.com/openshift/assisted-service/models"
	hooks "github.com/openshift/assisted-service/pkg/webhooks/hiveextension/v1beta1"
)

type input struct {
	Version      string
	Architecture string
	Spec         json.RawMessage
}

func check(err error) {
	if err != nil {
		panic(err)
	}
}

// admitted returns the object as the hooks leave it, nil if they reject it.
func admitted(spec json.RawMessage, decoder *admission.Decoder) *hiveext.AgentClusterInstall {
	object := &hiveext.AgentClusterInstall{}
	object.Name = "a"
	check(json.Unmarshal(spec, &object.Spec))
	request := &admissionv1.AdmissionRequest{
		Operation: admissionv1.Create,
		Resource: metav1.GroupVersionResource{
			Group: "extensions.hive.openshift.io", Version: "v1beta1", Resource: "agentclusterinstalls",
		},
	}
	encode := func() {
		raw, err := json.Marshal(object)
		check(err)
		request.Object = runtime.RawExtension{Raw: raw}
	}
	encode()
	answer := hooks.NewAgentClusterInstallMutatingAdmissionHook(decoder).Admit(request)
	if answer.Patch != nil { // of this field alone
		var patch []struct{ Value bool }
		check(json.Unmarshal(answer.Patch, &patch))
		object.Spec.Networking.UserManagedNetworking = &patch[0].Value
		encode()
	}
	if !hooks.NewAgentClusterInstallValidatingAdmissionHook(decoder).Validate(request).Allowed {
		return nil
	}
	return object
}

// platformOf does what the private getPlatform of internal/controller/controllers/clusterdeployments_controller.go does.
func platformOf(spec hiveext.AgentClusterInstallSpec) *models.Platform {
	if spec.PlatformType == "" {
		return nil
	}
	return common.PlatformTypeToPlatform(spec)
}

// register returns the platform with which RegisterClusterInternal of internal/bminventory/inventory.go goes on.
func register(item input, decoder *admission.Decoder) string {
	object := admitted(item.Spec, decoder)
	if object == nil {
		return ""
	}
	agents := object.Spec.ProvisionRequirements
	count := int64(agents.ControlPlaneAgents)
	isSingle := count == 1 && agents.WorkerAgents == 0
	// As isUserManagedNetwork of the controller.
	network := swag.Bool(swag.BoolValue(object.Spec.Networking.UserManagedNetworking) || isSingle)
	platform, network, err := provider.GetActualCreateClusterPlatformParams(
		platformOf(object.Spec), network, &count, item.Architecture)
	if err != nil {
		return ""
	}
	// As ValidateControlPlaneCountWithPlatform of internal/cluster/validations, and validateAndUpdateSingleNodeParams.
	kind := common.PlatformTypeValue(platform.Type)
	isFree := kind == models.PlatformTypeNone || kind == models.PlatformTypeExternal
	if count == 1 && !(isFree && swag.BoolValue(network)) {
		return ""
	}
	cluster := &common.Cluster{Cluster: models.Cluster{
		OpenshiftVersion: item.Version, CPUArchitecture: item.Architecture, Platform: platform,
		UserManagedNetworking: network, ControlPlaneCount: count, Kind: swag.String(models.ClusterKindCluster),
	}}
	log := logrus.StandardLogger()
	if featuresupport.ValidateIncompatibleFeatures(log, item.Architecture, cluster, nil, nil) != nil {
		return ""
	}
	return string(kind)
}

func main() {
	logrus.SetOutput(io.Discard)
	scheme := runtime.NewScheme()
	check(hiveext.AddToScheme(scheme))
	decoder := admission.NewDecoder(scheme)
	var cases []input
	check(json.NewDecoder(os.Stdin).Decode(&cases))
	platforms := make([]string, 0, len(cases))
	for _, item := range cases {
		platforms = append(platforms, register(item, decoder))
	}
	check(json.NewEncoder(os.Stdout).Encode(platforms))
}
