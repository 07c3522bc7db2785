// Copyright: Contributors to the capability.openshift collection
// SPDX-License-Identifier: GPL-3.0-or-later

// Applies manifests with the resource builders of the CVO, and prints what they send to the API server.
//
// It runs in a checkout of openshift/cluster-version-operator, with the libraries there: tests/parity/make_injections.py
// copies it. Standard input is a JSON list of clusters, and of pairs of the number of a cluster and a manifest. Standard
// output is a JSON list of the objects, null if the CVO refuses the manifest.
package main

import (
	"context"
	"encoding/json"
	"flag"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"strings"

	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/client-go/kubernetes/scheme"
	"k8s.io/client-go/rest"
	"k8s.io/klog/v2"

	"github.com/openshift/library-go/pkg/manifest"

	"github.com/openshift/cluster-version-operator/lib/resourcebuilder"
)

// cluster has the bodies of the objects named cluster, by resource.
type cluster map[string]json.RawMessage

type input struct {
	Clusters []cluster
	Cases    []struct {
		Cluster  int
		Manifest json.RawMessage
	}
}

func main() {
	var flags flag.FlagSet
	klog.InitFlags(&flags)
	must(flags.Set("logtostderr", "false"))
	klog.SetOutput(io.Discard)
	var given input
	must(json.NewDecoder(os.Stdin).Decode(&given))
	answers := []json.RawMessage{}
	for _, item := range given.Cases {
		answers = append(answers, apply(given.Clusters[item.Cluster], item.Manifest))
	}
	must(json.NewEncoder(os.Stdout).Encode(answers))
}

// apply returns the object that the CVO creates, or null.
func apply(found cluster, raw json.RawMessage) json.RawMessage {
	created := json.RawMessage("null")
	server := httptest.NewServer(http.HandlerFunc(func(answer http.ResponseWriter, request *http.Request) {
		if request.Method == http.MethodPost {
			body := must1(io.ReadAll(request.Body))
			created = asJSON(body)
			answer.Header().Set("Content-Type", request.Header.Get("Content-Type"))
			answer.WriteHeader(http.StatusCreated)
			must1(answer.Write(body))
			return
		}
		resource := strings.TrimSuffix(strings.TrimPrefix(request.URL.Path, "/apis/config.openshift.io/v1/"), "/cluster")
		answer.Header().Set("Content-Type", "application/json")
		if body, ok := found[resource]; ok {
			must1(answer.Write(body))
			return
		}
		answer.WriteHeader(http.StatusNotFound)
		must1(answer.Write([]byte(`{"kind":"Status","apiVersion":"v1","status":"Failure","reason":"NotFound","code":404}`)))
	}))
	defer server.Close()
	var read manifest.Manifest
	must(read.UnmarshalJSON(raw))
	builder := must1(resourcebuilder.New(resourcebuilder.Mapper, &rest.Config{Host: server.URL}, read))
	if builder.WithMode(resourcebuilder.InitializingMode).Do(context.Background()) != nil {
		return json.RawMessage("null")
	}
	return created
}

// asJSON returns an object that a client sent as protobuf or as JSON.
func asJSON(body []byte) json.RawMessage {
	object, _, err := scheme.Codecs.UniversalDeserializer().Decode(body, nil, nil)
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
