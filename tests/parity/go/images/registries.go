// Copyright: Contributors to the capability.openshift collection
// SPDX-License-Identifier: GPL-3.0-or-later

package main

import (
	"context"
	"fmt"
	"net/url"
	"os"
	"path/filepath"
	"strings"

	"github.com/containers/image/v5/docker"
	"github.com/containers/image/v5/pkg/sysregistriesv2"
	"github.com/containers/image/v5/types"
	"github.com/sirupsen/logrus"
)

const registryConfigs = 500

// images are what is pulled with each configuration.
var images = []string{
	"quay.io/openshift-release-dev/ocp-release@" + digestOf("x"),
	"quay.io/openshift-release-dev/ocp-release:4.20.0-x86_64",
	"quay.io:8443/ns/app:1",
	"registry.example.com/ns/app@" + digestOf("x"),
	"registry.example.com:5000/ns/app:1",
	"a.b.example.com/ns/app/sub:1",
	"a.example.com.example.com/app:1",
	"example.com/app:1",
	"docker.io/library/busybox:1",
	"docker.io/busybox:1",
	"index.docker.io/ns/app:1",
}

// registries writes configurations, and from where each image is read, in this order. A source begins with "+" if it
// may be contacted without TLS. null stands for a configuration or a location with which no image is read.
func registries() document {
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
		files := map[string]string{"registries.conf": randomConfig(c)}
		for _, name := range []string{"10.conf", "20.conf"} {
			if c.one(15) {
				files["registries.conf.d/"+name] = randomConfig(c)
			}
		}
		if c.one(10) {
			files["registries.conf.d/30.txt"] = "[[registry]]\nlocation = \"quay.io\"\nblocked = true\n"
		}
		must(os.RemoveAll(folder))
		for name, text := range files {
			writeFile(filepath.Join(folder, name), text, 0o600)
		}
		var numbers []int
		isRead := false
		for _, image := range images {
			answer := log.pull(folder, image)
			isRead = isRead || answer != nil
			numbers = append(numbers, answers.number(answer))
		}
		if isRead || c.one(50) {
			cases = append(cases, []any{files, numbers})
		}
	}
	return document{[]part{{"images", images}, {"answers", answers.values}}, cases}
}

func randomConfig(c chance) string {
	if c.one(8) {
		return pick(c, "", "x", "unqualified-search-registries = [\"docker.io\", \"quay.io:8443\"]\n", "unknown = 1\n",
			"[registries.search]\nregistries = [\"quay.io\"]\n", "registry = 1\n", "[registry]\nlocation = \"quay.io\"\n",
			"[[registry]]\nlocation = 1\n", "[[registry]]\nblocked = \"true\"\nlocation = \"quay.io\"\n", "[[registry]]\n",
			"[[registry]]\nlocation = \"quay.io\"\nmirror = [1]\n", "short-name-mode = \"enforcing\"\n", "short-name-mode = \"x\"\n",
			"unqualified-search-registries = [\"a/b\"]\n",
			"[[Registry]]\nLOCATION = \"quay.io\"\nBlocked = true\n[[registry.Mirror]]\nLocation = \"mirror.example.net\"\nInsecure = true\n")
	}
	var text strings.Builder
	isFaulty := c.one(20)
	for range 1 + c.IntN(4) {
		prefix := randomPrefix(c, isFaulty)
		needsLocation := !strings.HasPrefix(prefix, "*")
		text.WriteString("[[registry]]\n")
		if c.one(70) || !needsLocation {
			fmt.Fprintf(&text, "prefix = %q\n", prefix)
			if isFaulty && c.one(50) || !isFaulty && (needsLocation || c.one(40)) {
				location := randomLocation(c, isFaulty)
				if needsLocation {
					location = pick(c, location, prefix)
				}
				fmt.Fprintf(&text, "location = %q\n", location)
			}
		} else {
			fmt.Fprintf(&text, "location = %q\n", prefix)
		}
		flag(c, &text, "insecure", 12)
		flag(c, &text, "blocked", 15)
		byDigest := c.one(15)
		if byDigest {
			text.WriteString("mirror-by-digest-only = true\n")
		}
		if isFaulty && c.one(5) {
			text.WriteString("pull-from-mirror = \"all\"\n")
		}
		for range c.IntN(4) {
			text.WriteString("[[registry.mirror]]\n")
			if !isFaulty || c.one(97) {
				fmt.Fprintf(&text, "location = %q\n", randomLocation(c, isFaulty))
			}
			flag(c, &text, "insecure", 20)
			if !byDigest && c.one(40) || isFaulty && c.one(5) {
				fmt.Fprintf(&text, "pull-from-mirror = %q\n", pick(c, "all", "digest-only", "digest-only", "tag-only", "tag-only", ""))
			}
			if isFaulty && c.one(3) {
				text.WriteString("pull-from-mirror = \"never\"\n")
			}
		}
	}
	return text.String()
}

func flag(c chance, text *strings.Builder, name string, share int) {
	if c.one(share) {
		fmt.Fprintf(text, "%s = %t\n", name, c.one(90))
	}
}

func randomPrefix(c chance, isFaulty bool) string {
	if isFaulty && c.one(15) {
		return pick(c, "*.example.com:5000", "*.example.com/ns", "*example.com", "https://quay.io", "quay")
	}
	return pick(c, "quay.io", "quay.io", "quay.io/openshift-release-dev", "quay.io/openshift-release-dev/ocp-release",
		"quay.io/openshift", "quay.io:8443", "registry.example.com", "registry.example.com", "registry.example.com:5000",
		"registry.example.com/ns", "registry.example.com/ns/app", "*.example.com", "*.example.com", "*.com", "*.io", "*.b.example.com",
		"*.quay.io", "example.com", "docker.io", "docker.io/library", "a.b.example.com/ns/", "a.b.example.com", "a.example.com")
}

func randomLocation(c chance, isFaulty bool) string {
	if isFaulty && c.one(15) {
		return pick(c, "mirror.example.net/Upper", "mirror.example.net/a:b", "http://mirror.example.net", "", "mirror_1.example.net", "*.example.com", "[2001:db8::1]:5000")
	}
	return pick(c, "mirror.example.net", "mirror.example.net:5000", "mirror.example.net/copy", "mirror.example.net/copy/", "m.example.com/x",
		"m.example.com", "localhost:1/x", "10.0.0.1:5000/deep/er/path", "quay.io", "registry.example.com:5000",
		"quay.io/openshift-release-dev", "registry.example.com", "example.com")
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
