// Copyright: Contributors to the capability.openshift collection
// SPDX-License-Identifier: GPL-3.0-or-later

// Prints what the CVO writes when it reconciles an object that was changed on the cluster.
//
// It runs in a checkout of openshift/cluster-version-operator, in pkg/cvo/parity, because the generic builder is
// internal: tests/parity/make_merges.py copies it. Standard input is a JSON list of a manifest, the live object and its
// plural name. Standard output is a JSON list of the objects that the CVO sends, null if it sends none.
package main

import (
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"strings"

	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/serializer"
	"k8s.io/client-go/dynamic"
	"k8s.io/client-go/kubernetes/scheme"
	"k8s.io/client-go/rest"
	"k8s.io/klog/v2"

	configv1 "github.com/openshift/api/config/v1"
	clientset "github.com/openshift/client-go/config/clientset/versioned"
	"github.com/openshift/library-go/pkg/manifest"

	"github.com/openshift/cluster-version-operator/lib/resourcebuilder"
	"github.com/openshift/cluster-version-operator/pkg/cvo/internal"
)

const ownerUID = "00000000-0000-0000-0000-000000000001"

// item is a manifest and the object on the cluster.
type item struct {
	Manifest json.RawMessage
	Live     json.RawMessage
	Resource string
}

// cluster has one object.
type cluster struct {
	live    json.RawMessage
	name    string
	written json.RawMessage
}

func main() {
	var flags flag.FlagSet
	klog.InitFlags(&flags)
	must(flags.Set("logtostderr", "false"))
	klog.SetOutput(io.Discard)
	must(apiextensionsv1.AddToScheme(scheme.Scheme))
	var given []item
	must(json.NewDecoder(os.Stdin).Decode(&given))
	var found cluster
	server := httptest.NewServer(&found)
	defer server.Close()
	answers := []json.RawMessage{}
	for _, one := range given {
		answers = append(answers, found.reconcile(&rest.Config{Host: server.URL, QPS: -1}, one))
	}
	must(json.NewEncoder(os.Stdout).Encode(answers))
}

// reconcile returns the object that the CVO sends, or null.
func (c *cluster) reconcile(config *rest.Config, one item) json.RawMessage {
	var read manifest.Manifest
	must(read.UnmarshalJSON(one.Manifest))
	*c = cluster{live: one.Live, name: read.Obj.GetName(), written: json.RawMessage("null")}
	builder := must1(builderOf(config, read, one.Resource, c))
	// The error is about the status of the object.
	_ = builder.WithModifier(setOwner).WithMode(resourcebuilder.ReconcilingMode).Do(context.Background())
	return c.written
}

// builderOf selects a builder as pkg/cvo/cvo.go does.
func builderOf(config *rest.Config, read manifest.Manifest, resource string, found *cluster) (resourcebuilder.Interface, error) {
	if read.GVK == configv1.GroupVersion.WithKind("ClusterOperator") {
		return internal.NewClusterOperatorBuilder(found, clientset.NewForConfigOrDie(config).ConfigV1().ClusterOperators(), read), nil
	}
	if resourcebuilder.Mapper.Exists(read.GVK) {
		return resourcebuilder.New(resourcebuilder.Mapper, config, read)
	}
	client := dynamic.NewForConfigOrDie(config).Resource(read.GVK.GroupVersion().WithResource(resource))
	if namespace := read.Obj.GetNamespace(); namespace != "" {
		return internal.NewGenericBuilder(client.Namespace(namespace), read)
	}
	return internal.NewGenericBuilder(client, read)
}

// setOwner does what pkg/cvo/cvo.go ownerReferenceModifier does.
func setOwner(object metav1.Object) {
	var others []metav1.OwnerReference
	for _, reference := range object.GetOwnerReferences() {
		if reference.Kind != "ClusterVersion" {
			others = append(others, reference)
		}
	}
	if len(others) == 0 {
		isController := true
		others = []metav1.OwnerReference{{
			APIVersion: configv1.GroupVersion.Identifier(), Kind: "ClusterVersion", Name: "version", UID: ownerUID, Controller: &isController,
		}}
	}
	object.SetOwnerReferences(others)
}

// Get returns the object as a ClusterOperator.
func (c *cluster) Get(_ context.Context, _ string) (*configv1.ClusterOperator, error) {
	var operator configv1.ClusterOperator
	return &operator, json.Unmarshal(c.live, &operator)
}

func (c *cluster) ServeHTTP(answer http.ResponseWriter, request *http.Request) {
	if request.Method == http.MethodPut {
		body := must1(io.ReadAll(request.Body))
		c.written = asJSON(body)
		answer.Header().Set("Content-Type", request.Header.Get("Content-Type"))
		must1(answer.Write(body))
		return
	}
	answer.Header().Set("Content-Type", "application/json")
	if request.Method == http.MethodGet && strings.HasSuffix(request.URL.Path, "/"+c.name) {
		must1(answer.Write(c.live))
		return
	}
	answer.WriteHeader(http.StatusNotFound)
	must1(fmt.Fprint(answer, `{"kind":"Status","apiVersion":"v1","status":"Failure","reason":"NotFound","code":404}`))
}

// asJSON returns an object that a client sent as protobuf or as JSON.
func asJSON(body []byte) json.RawMessage {
	if json.Valid(body) {
		return body
	}
	object, _, err := serializer.NewCodecFactory(scheme.Scheme).UniversalDeserializer().Decode(body, nil, nil)
	must(err)
	return must1(json.Marshal(must1(runtime.DefaultUnstructuredConverter.ToUnstructured(object))))
}

func must(err error) {
	if err != nil {
		panic(err)
	}
}

func must1[T any](result T, err error) T {
	must(err)
	return result
}
