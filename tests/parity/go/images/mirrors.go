// Copyright: Contributors to the capability.openshift collection
// SPDX-License-Identifier: GPL-3.0-or-later

package main

import (
	"bytes"
	"context"
	"encoding/json"
	"net/url"
	"os"
	"path/filepath"
	"strings"

	"github.com/BurntSushi/toml"
	"github.com/containers/image/v5/docker"
	"github.com/containers/image/v5/pkg/sysregistriesv2"
	"github.com/containers/image/v5/types"
	configv1 "github.com/openshift/api/config/v1"
	operatorv1alpha1 "github.com/openshift/api/operator/v1alpha1"
	runtimeutils "github.com/openshift/runtime-utils/pkg/registries"
	"github.com/sirupsen/logrus"
)

const registryConfigs = 540

// images are what is pulled with each configuration.
var images = []string{
	"quay.io/openshift-release-dev/ocp-release@" + digestOf("x"),
	"quay.io/openshift-release-dev/ocp-release:4.20.0-x86_64",
	"quay.io/openshift-release-dev/ocp-v4.0-art-dev@" + digestOf("y"),
	"quay.io:8443/ns/app@" + digestOf("x"),
	"registry.example.com/ns/app@" + digestOf("x"),
	"registry.example.com:5000/ns/app:1",
	"a.b.example.com/ns/app/sub@" + digestOf("x"),
	"a.example.com.example.com/app:1",
	"example.com/app:1",
	"docker.io/library/busybox@" + digestOf("x"),
	"docker.io/busybox:1",
}

// entry is a source with its mirrors.
type entry struct {
	Source  string
	Mirrors []string
	Policy  string
}

// mirrorSet is a mirror set: IDMS, ITMS or ICSP, with its entries.
type mirrorSet struct {
	Kind    string
	Entries []entry
}

// mirrorSets writes mirror sets with insecure registries, and from where a node reads each image, in this order: with
// the registries.conf that the machine-config operator makes of them. A source begins with "+" if it may be contacted
// without TLS. null stands for sets with which no image is read. An insecure registry is a rule for the node. None of
// these has the port of a source without one, whose mirrors that rule would hide.
func mirrorSets() document {
	c := newChance(2)
	folder := temporaryDirectory()
	defer os.RemoveAll(folder)
	log := &attempts{}
	logrus.SetLevel(logrus.DebugLevel)
	defer logrus.SetLevel(logrus.PanicLevel)
	logrus.AddHook(log)
	answers := table[*[]string]{}
	var cases []any
	for len(cases) < registryConfigs {
		sets, insecure := randomSets(c), []string{}
		for range c.IntN(3) {
			insecure = append(insecure, pick(c, "mirror.example.net", "m.example.com", "quay.io", "localhost:1", "10.0.0.1:5000"))
		}
		text, err := registriesConf(sets, insecure)
		if err != nil {
			continue
		}
		writeFile(filepath.Join(folder, "registries.conf"), text, 0o600)
		var numbers []int
		for _, image := range images {
			numbers = append(numbers, answers.number(log.pull(folder, image)))
		}
		var short []any
		for _, set := range sets {
			entries := []any{}
			for _, item := range set.Entries {
				entries = append(entries, []any{item.Source, item.Mirrors, item.Policy})
			}
			short = append(short, []any{set.Kind, entries})
		}
		cases = append(cases, []any{short, insecure, numbers})
	}
	return document{[]part{{"images", images}, {"answers", answers.values}}, cases}
}

// randomSets returns sets that the API server accepts. All entries of a source have the same policy.
func randomSets(c chance) []mirrorSet {
	var sets []mirrorSet
	policies := map[string]string{}
	sources := []string{}
	for range 1 + c.IntN(4) {
		sources = append(sources, randomSource(c))
	}
	for range 1 + c.IntN(4) {
		set := mirrorSet{Kind: pick(c, "IDMS", "IDMS", "ITMS", "ICSP")}
		for range 1 + c.IntN(3) {
			source := pick(c, sources...)
			policy, isKnown := policies[source]
			if !isKnown {
				policy = pick(c, "", "", "AllowContactingSource", "NeverContactSource")
				policies[source] = policy
			}
			if policy == "NeverContactSource" && set.Kind == "ICSP" {
				continue
			}
			mirrors := []string{}
			for range c.IntN(5) {
				mirror := randomMirror(c, source)
				if mirror != source || policy != "NeverContactSource" {
					mirrors = append(mirrors, mirror)
				}
			}
			set.Entries = append(set.Entries, entry{source, mirrors, policy})
		}
		sets = append(sets, set)
	}
	return sets
}

func randomSource(c chance) string {
	return pick(c, "quay.io", "quay.io", "quay.io/openshift-release-dev", "quay.io/openshift-release-dev/ocp-release",
		"quay.io/openshift-release-dev/ocp-release", "quay.io/openshift", "quay.io:8443", "registry.example.com",
		"registry.example.com:5000", "registry.example.com/ns", "registry.example.com/ns/app", "*.example.com", "*.com", "*.io",
		"*.b.example.com", "*.quay.io", "example.com", "docker.io", "docker.io/library", "a.b.example.com/ns", "a.b.example.com", "mirror.example.net")
}

func randomMirror(c chance, source string) string {
	if !strings.HasPrefix(source, "*") && c.one(12) {
		return source
	}
	if c.one(1) {
		return "mirror/copy"
	}
	return pick(c, "mirror.example.net", "mirror.example.net:5000", "mirror.example.net/copy", "m.example.com/x", "m.example.com",
		"localhost:1/x", "10.0.0.1:5000/deep/er/path", "registry.example.com:5000", "quay.io/openshift-release-dev")
}

// registriesConf returns what the machine-config operator writes to a node
// (openshift/machine-config-operator:pkg/controller/container-runtime-config/helpers.go updateRegistriesConfig).
func registriesConf(sets []mirrorSet, insecure []string) (string, error) {
	var digests []*configv1.ImageDigestMirrorSet
	var tags []*configv1.ImageTagMirrorSet
	var policies []*operatorv1alpha1.ImageContentSourcePolicy
	for _, set := range sets {
		switch set.Kind {
		case "IDMS":
			object := &configv1.ImageDigestMirrorSet{}
			convert(set.Entries, &object.Spec.ImageDigestMirrors)
			digests = append(digests, object)
		case "ITMS":
			object := &configv1.ImageTagMirrorSet{}
			convert(set.Entries, &object.Spec.ImageTagMirrors)
			tags = append(tags, object)
		case "ICSP":
			object := &operatorv1alpha1.ImageContentSourcePolicy{}
			convert(set.Entries, &object.Spec.RepositoryDigestMirrors)
			policies = append(policies, object)
		}
	}
	config := sysregistriesv2.V2RegistriesConf{}
	if err := runtimeutils.EditRegistriesConfig(&config, insecure, nil, policies, digests, tags); err != nil {
		return "", err
	}
	var text bytes.Buffer
	must(toml.NewEncoder(&text).Encode(config))
	return text.String(), nil
}

// convert makes entries of the API.
func convert(entries []entry, target any) {
	var objects []any
	for _, item := range entries {
		objects = append(objects, map[string]any{"source": item.Source, "mirrors": item.Mirrors, "mirrorSourcePolicy": item.Policy})
	}
	must(json.Unmarshal(compact(objects), target))
}

// attempts collects what the client of registries logs.
type attempts struct{ sources []string }

func (a *attempts) Levels() []logrus.Level { return logrus.AllLevels }

func (a *attempts) Fire(entry *logrus.Entry) error {
	if text, ok := strings.CutPrefix(entry.Message, "Trying to access \""); ok {
		a.sources = append(a.sources, strings.TrimSuffix(text, "\""))
	}
	last := len(a.sources) - 1
	if strings.HasPrefix(entry.Message, "Ping http://") {
		a.sources[last] = "+" + a.sources[last]
	}
	if strings.Contains(entry.Message, " failed: registry ") && strings.Contains(entry.Message, " is blocked in ") {
		a.sources = a.sources[:last]
	}
	return nil
}

// pull tries to read an image through a proxy that does not answer, and returns the repositories that were tried.
func (a *attempts) pull(folder, image string) *[]string {
	sysregistriesv2.InvalidateCache()
	a.sources = []string{}
	reference := value(docker.ParseReference("//" + image))
	source, err := reference.NewImageSource(context.Background(), &types.SystemContext{
		SystemRegistriesConfPath:    filepath.Join(folder, "registries.conf"),
		SystemRegistriesConfDirPath: filepath.Join(folder, "registries.conf.d"),
		AuthFilePath:                "/nonexistent",
		RegistriesDirPath:           "/nonexistent",
		DockerProxyURL:              &url.URL{Scheme: "http", Host: "127.0.0.1:1"},
	})
	if err == nil {
		source.Close()
		panic("something answered at " + image)
	}
	isUnread := !strings.Contains(err.Error(), "proxyconnect tcp") && !strings.Contains(err.Error(), "is blocked in")
	if isUnread {
		return nil
	}
	names := []string{}
	for _, text := range a.sources {
		name, _, _ := strings.Cut(text, "@")
		if slash := strings.LastIndex(name, "/"); strings.Contains(name[slash:], ":") {
			name = name[:slash+strings.Index(name[slash:], ":")]
		}
		names = append(names, name)
	}
	return &names
}
