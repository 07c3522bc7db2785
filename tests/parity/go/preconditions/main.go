// Copyright: Contributors to the capability.openshift collection
// SPDX-License-Identifier: GPL-3.0-or-later

// Asks the preconditions of the CVO whether clusters may update.
//
// It runs in a checkout of openshift/cluster-version-operator: tests/parity/make_preconditions.py copies it, together
// with a file that lists the preconditions of that branch. Standard input is a JSON list of cases, standard output a
// JSON list that says which of them are refused.
package main

import (
	"context"
	"encoding/json"
	"flag"
	"io"
	"os"

	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/klog/v2"

	configv1 "github.com/openshift/api/config/v1"

	"github.com/openshift/cluster-version-operator/pkg/payload/precondition"
)

type lister struct{ cluster *configv1.ClusterVersion }

func (l lister) List(labels.Selector) ([]*configv1.ClusterVersion, error) {
	return []*configv1.ClusterVersion{l.cluster}, nil
}

func (l lister) Get(string) (*configv1.ClusterVersion, error) { return l.cluster, nil }

func main() {
	var flags flag.FlagSet
	klog.InitFlags(&flags)
	must(flags.Set("logtostderr", "false"))
	klog.SetOutput(io.Discard)
	var cases []struct {
		Cluster *configv1.ClusterVersion
		Target  string
	}
	must(json.NewDecoder(os.Stdin).Decode(&cases))
	answers := []bool{}
	for _, item := range cases {
		target := precondition.ReleaseContext{DesiredVersion: item.Target}
		found := precondition.List(preconditions(lister{item.Cluster})).RunAll(context.Background(), target)
		refused, _ := precondition.Summarize(found, false)
		answers = append(answers, refused)
	}
	must(json.NewEncoder(os.Stdout).Encode(answers))
}

func must(err error) {
	if err != nil {
		panic(err)
	}
}
