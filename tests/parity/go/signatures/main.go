// Copyright: Contributors to the capability.openshift collection
// SPDX-License-Identifier: GPL-3.0-or-later

// Prints which signatures and releases the CVO accepts: library-go with golang.org/x/crypto/openpgp.
//
// tests/parity/make_signatures.py runs it. Standard input is a JSON object. Its "rings" and "messages" are in base64.
// "pairs" are numbers of a message and of a ring. "releases" have the data of ConfigMaps with key rings and stores, and
// the numbers of the messages in the stores. Standard output has the answers: whether each pair and release is accepted.
package main

import (
	"bytes"
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"

	"golang.org/x/crypto/openpgp"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes/fake"
	"k8s.io/klog/v2"

	"github.com/openshift/library-go/pkg/manifest"
	"github.com/openshift/library-go/pkg/verify"
	"github.com/openshift/library-go/pkg/verify/store/configmap"
	"github.com/openshift/library-go/pkg/verify/store/memory"
)

// attempts is how often a release is verified. library-go loses signatures if it asks several stores at the same time
// and one has answered (pkg/verify/store/parallel), and the CVO tries again.
const attempts = 25

type input struct {
	Digest   string
	Rings    [][]byte
	Messages [][]byte
	Pairs    [][2]int
	Releases []release
}

// release is a question: its digest, the data of the ConfigMap that verifies it, in which STORE stands for the address of
// the store with that number, and what is in stores and in ConfigMaps of the cluster.
type release struct {
	Digest     string
	Data       map[string]string
	Stores     []map[string]int
	ConfigMaps []map[string]int
}

type output struct {
	Pairs    []bool
	Releases []bool
}

func main() {
	var flags flag.FlagSet
	klog.InitFlags(&flags)
	must(flags.Set("logtostderr", "false"))
	klog.SetOutput(io.Discard)
	var given input
	must(json.NewDecoder(os.Stdin).Decode(&given))
	var answers output
	rings := []openpgp.EntityList{}
	for _, text := range given.Rings {
		rings = append(rings, load(text))
	}
	for _, pair := range given.Pairs {
		signatures := memory.Store{Data: map[string][][]byte{given.Digest: {given.Messages[pair[0]]}}}
		keys := map[string]openpgp.EntityList{"ring": rings[pair[1]]}
		answers.Pairs = append(answers.Pairs, verify.NewReleaseVerifier(keys, &signatures).Verify(context.Background(), given.Digest) == nil)
	}
	for _, item := range given.Releases {
		answers.Releases = append(answers.Releases, item.accepted(given.Messages))
	}
	must(json.NewEncoder(os.Stdout).Encode(answers))
}

// load reads a key ring as library-go does: with armor, and without it if that fails. A ring that cannot be read is empty.
func load(text []byte) openpgp.EntityList {
	ring, err := openpgp.ReadArmoredKeyRing(bytes.NewReader(text))
	if err != nil {
		ring, _ = openpgp.ReadKeyRing(bytes.NewReader(text))
	}
	return ring
}

func (r release) accepted(messages [][]byte) bool {
	directory := must1(os.MkdirTemp("", "stores"))
	defer os.RemoveAll(directory)
	server := httptest.NewServer(http.FileServer(http.Dir(directory)))
	defer server.Close()
	address := strings.NewReplacer("FILES", "file://"+directory, "SERVER", server.URL)
	for number, found := range r.Stores {
		for path, message := range found {
			file := filepath.Join(directory, fmt.Sprint(number), path)
			must(os.MkdirAll(filepath.Dir(file), 0o755))
			must(os.WriteFile(file, messages[message], 0o644))
		}
	}
	data := map[string]any{}
	for key, text := range r.Data {
		data[key] = address.Replace(text)
	}
	raw := must1(json.Marshal(map[string]any{
		"apiVersion": "v1", "kind": "ConfigMap", "data": data,
		"metadata": map[string]any{"name": "verify", "annotations": map[string]string{verify.ReleaseAnnotationConfigMapVerifier: ""}},
	}))
	var object manifest.Manifest
	must(object.UnmarshalJSON(raw))
	for range attempts {
		verifier, err := verify.NewFromManifests([]manifest.Manifest{object}, func() (*http.Client, error) { return server.Client(), nil })
		if err != nil {
			return false
		}
		verifier.AddStore(configmap.NewStore(r.cluster(messages).CoreV1(), nil))
		if verifier.Verify(context.Background(), r.Digest) == nil {
			return true
		}
	}
	return false
}

// cluster returns a cluster with the ConfigMaps.
func (r release) cluster(messages [][]byte) *fake.Clientset {
	client := fake.NewClientset()
	for number, found := range r.ConfigMaps {
		object := corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{
			Name: fmt.Sprint("n", number), Namespace: configmap.NamespaceLabelConfigMap, Labels: map[string]string{configmap.ReleaseLabelConfigMap: ""},
		}, BinaryData: map[string][]byte{}}
		for key, message := range found {
			object.BinaryData[key] = messages[message]
		}
		must(client.Tracker().Add(&object))
	}
	return client
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
