// Copyright: Contributors to the capability.openshift collection
// SPDX-License-Identifier: GPL-3.0-or-later

package main

import (
	"encoding/base64"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/containers/image/v5/pkg/docker/config"
	"github.com/containers/image/v5/types"
)

const credentialFiles = 600

// repositories are what credentials are looked up for.
var repositories = []string{
	"quay.io/openshift-release-dev/ocp-release",
	"quay.io/openshift-release-dev",
	"quay.io/openshift",
	"registry.example.com/ns/app",
	"registry.example.com:5000/ns/app",
	"registry.example.com:5000/app",
	"docker.io/library/busybox",
	"registry-1.docker.io/ns/app",
	"index.docker.io/ns/app",
	"localhost:5000/app",
}

var authKeys = []string{
	"quay.io",
	"quay.io/openshift-release-dev",
	"quay.io/openshift-release-dev/ocp-release",
	"quay.io/openshift-release-dev/ocp",
	"quay.io/",
	"Quay.io",
	"https://quay.io",
	"https://quay.io/v1/",
	"http://quay.io/v2/openshift-release-dev",
	"https://https://quay.io",
	"registry.example.com",
	"registry.example.com:5000",
	"registry.example.com:5000/ns",
	"registry.example.com:443",
	"https://registry.example.com:5000/v2/",
	"http://registry.example.com",
	"ftp://registry.example.com",
	"*.example.com",
	"docker.io",
	"docker.io/library",
	"https://docker.io",
	"index.docker.io",
	"index.docker.io/v1/",
	"https://index.docker.io/v1/",
	"https://registry-1.docker.io/v2/",
	"registry-1.docker.io",
	"localhost:5000",
	"localhost",
	"",
}

// helpers are credential helpers by name; the program "missing" does not exist.
var helpers = map[string]string{
	"user":   "#!/bin/sh\nread server\nprintf '{\"ServerURL\":\"%s\",\"Username\":\"helper\",\"Secret\":\"%s\"}' \"$server\" \"$server\"\n",
	"token":  "#!/bin/sh\necho '{\"ServerURL\":\"x\",\"Username\":\"<token>\",\"Secret\":\"identity\"}'\n",
	"none":   "#!/bin/sh\necho 'credentials not found in native keychain'\nexit 1\n",
	"broken": "#!/bin/sh\necho 'the keychain is locked'\nexit 1\n",
	"text":   "#!/bin/sh\necho hello\n",
	"empty":  "#!/bin/sh\necho '{}'\n",
}

// credentials writes files with credentials, and which of them each repository has: the value of the header
// Authorization, the identity token, or null for an error.
func credentials() document {
	c := newChance(1)
	folder := temporaryDirectory()
	defer os.RemoveAll(folder)
	for name, text := range helpers {
		writeFile(filepath.Join(folder, "bin", "docker-credential-"+name), text, 0o755)
	}
	must(os.Setenv("PATH", filepath.Join(folder, "bin")+":"+os.Getenv("PATH")))
	answers := table[*[2]string]{}
	var cases []any
	for len(cases) < credentialFiles {
		files := randomFiles(c)
		cases = append(cases, []any{files, lookUp(filepath.Join(folder, "home"), files, &answers)})
	}
	return document{
		[]part{{"helpers", helpers}, {"repositories", repositories}, {"answers", answers.values}},
		cases,
	}
}

// randomFiles returns either one file that is named, or up to three in the places where they are searched.
func randomFiles(c chance) map[string]string {
	if c.one(75) {
		return map[string]string{"named": randomAuthFile(c)}
	}
	files := map[string]string{}
	for _, place := range []string{"runtime", "config", "docker"} {
		if c.one(60) {
			files[place] = randomAuthFile(c)
		}
	}
	return files
}

func randomAuthFile(c chance) string {
	if c.one(4) {
		return pick(c, "", "null", "{}", "[]", "{", "{\"auths\": {}}x", "{\"auths\": []}", "{\"auths\": null}", "{\"other\": 1}",
			"{\"credHelpers\": {\"quay.io\": 1}}", "{\"auths\": {\"quay.io\": 1}}", "{\"auths\": {\"quay.io\": {\"auth\": 1}}}")
	}
	var entries, helped []string
	keys := map[string]string{}
	for range 1 + c.IntN(6) {
		key := pick(c, authKeys...)
		host := hostOf(key)
		if other, ok := keys[host]; ok && host != "" && other != key {
			continue
		}
		keys[host] = key
		entries = append(entries, fmt.Sprintf("%s: %s", compact(key), randomEntry(c)))
	}
	auths := fmt.Sprintf("%s: {%s}", pick(c, `"auths"`, `"auths"`, `"auths"`, `"Auths"`), strings.Join(entries, ", "))
	if c.one(70) {
		return fmt.Sprintf("{%s}", auths)
	}
	for range 1 + c.IntN(2) {
		registry := pick(c, "quay.io", "registry.example.com:5000", "registry.example.com", "docker.io", "quay.io/openshift-release-dev", "https://quay.io")
		helped = append(helped, fmt.Sprintf("%q: %q", registry, pick(c, "user", "user", "token", "none", "broken", "missing", "text", "empty")))
	}
	return fmt.Sprintf("{%s, \"credHelpers\": {%s}}", auths, strings.Join(helped, ", "))
}

// hostOf returns the host that a key stands for besides itself. Which of two such keys counts depends on the order of a
// map of Go, so no file has two of them.
func hostOf(key string) string {
	rest := strings.TrimPrefix(strings.TrimPrefix(key, "http://"), "https://")
	host, _, _ := strings.Cut(rest, "/")
	switch {
	case host == "docker.io" || host == "registry-1.docker.io":
		return "index.docker.io"
	case rest != key || host == "index.docker.io":
		return host
	}
	return ""
}

func randomEntry(c chance) string {
	name := fmt.Sprintf("u%d", c.IntN(40))
	encode := base64.StdEncoding.EncodeToString
	auth := encode([]byte(name + ":secret"))
	switch c.IntN(24) {
	case 0:
		return "{}"
	case 1:
		return "null"
	case 2:
		return `{"auth": ""}`
	case 3:
		return fmt.Sprintf(`{"auth": %q}`, encode([]byte(name))) // no colon
	case 4:
		return fmt.Sprintf(`{"auth": %q}`, pick(c, auth+"!", strings.TrimRight(auth, "=")+"x", "%%%", auth[:5]))
	case 5:
		return fmt.Sprintf(`{"auth": %q}`, auth[:4]+"\n"+auth[4:]+pick(c, "", "\r\n"))
	case 6:
		return fmt.Sprintf(`{"auth": %q}`, " "+auth)
	case 7:
		return fmt.Sprintf(`{"auth": %q}`, encode([]byte(name+":a:b c")))
	case 8:
		return fmt.Sprintf(`{"auth": %q}`, encode([]byte(name+":\x00secret\x00\x00")))
	case 9:
		return fmt.Sprintf(`{"auth": %q}`, encode([]byte(name+":\xe4\xff")))
	case 10:
		return fmt.Sprintf(`{"auth": %q}`, pick(c, encode([]byte(":secret")), encode([]byte(name+":")), encode([]byte(":"))))
	case 11:
		return fmt.Sprintf(`{"auth": %q, "identitytoken": "t%s"}`, auth, name)
	case 12:
		return fmt.Sprintf(`{"identitytoken": "docker-%s"}`, name)
	case 13:
		return fmt.Sprintf(`{"username": "docker-%s", "password": "secret"}`, name)
	case 14:
		return fmt.Sprintf(`{"username": "other", "password": "other", "auth": %q, "email": "a@example.com"}`, auth)
	case 15:
		return fmt.Sprintf(`{%s: %q}`, pick(c, `"Auth"`, `"AUTH"`), auth)
	case 16:
		return fmt.Sprintf(`{"auth": %q, "registrytoken": "x", "unknown": [1]}`, auth)
	default:
		return fmt.Sprintf(`{"auth": %q}`, auth)
	}
}

// lookUp returns the numbers of the answers for all repositories.
func lookUp(home string, files map[string]string, answers *table[*[2]string]) []int {
	must(os.RemoveAll(home))
	for place, variable := range map[string]string{"": "HOME", "runtime": "XDG_RUNTIME_DIR", "config": "XDG_CONFIG_HOME", "docker": "DOCKER_CONFIG"} {
		must(os.MkdirAll(filepath.Join(home, place), 0o755))
		must(os.Setenv(variable, filepath.Join(home, place)))
	}
	system := &types.SystemContext{}
	for place, text := range files {
		path := filepath.Join(home, map[string]string{
			"named": "auth.json", "runtime": "runtime/containers/auth.json", "config": "config/containers/auth.json", "docker": "docker/config.json",
		}[place])
		writeFile(path, text, 0o600)
		if place == "named" {
			system.AuthFilePath = path
		}
	}
	var numbers []int
	for _, repository := range repositories {
		numbers = append(numbers, answers.number(answerFor(system, repository)))
	}
	return numbers
}

func answerFor(system *types.SystemContext, repository string) *[2]string {
	found, err := config.GetCredentials(system, repository)
	if err != nil {
		return nil
	}
	header := ""
	if found.Username != "" || found.Password != "" {
		header = base64.StdEncoding.EncodeToString([]byte(found.Username + ":" + found.Password))
	}
	return &[2]string{header, found.IdentityToken}
}
