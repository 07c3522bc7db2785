// Copyright: Contributors to the capability.openshift collection
// SPDX-License-Identifier: GPL-3.0-or-later

// Prints what kubectl connects to: client-go with kubeconfigs, and httpproxy, which is in the library of Go, with the
// variables of proxies.
//
// tests/parity/make_connections.py runs it. Standard input is a JSON object with "kubeconfigs" and "proxies". Standard
// output has an answer to each of them.
package main

import (
	"encoding/json"
	"net/url"
	"os"
	"path/filepath"
	"strings"

	"golang.org/x/net/http/httpproxy"
	"k8s.io/client-go/tools/clientcmd"
)

type input struct {
	Kubeconfigs []kubeconfig
	Proxies     []proxy
}

// kubeconfig is a question: files by their path, the value of KUBECONFIG, and the option context.
type kubeconfig struct {
	Files   map[string]string
	Paths   []string
	Context string
}

// proxy is a question: environment variables, and the URL of a request.
type proxy struct {
	Environment map[string]string
	URL         string
}

type output struct {
	Kubeconfigs []map[string]any
	Proxies     []string
}

func main() {
	var given input
	must(json.NewDecoder(os.Stdin).Decode(&given))
	var answers output
	for _, item := range given.Kubeconfigs {
		answers.Kubeconfigs = append(answers.Kubeconfigs, connection(item))
	}
	for _, item := range given.Proxies {
		answers.Proxies = append(answers.Proxies, item.find())
	}
	must(json.NewEncoder(os.Stdout).Encode(answers))
}

// connection returns what client-go sends requests to, and with which credentials. Paths are relative to the folder of
// the files.
func connection(question kubeconfig) map[string]any {
	folder, err := os.MkdirTemp("", "parity")
	must(err)
	defer os.RemoveAll(folder)
	write := func(path, text string) {
		must(os.MkdirAll(filepath.Dir(filepath.Join(folder, path)), 0o755))
		must(os.WriteFile(filepath.Join(folder, path), []byte(text), 0o644))
	}
	for path, text := range question.Files {
		write(path, text)
		// client-go rejects a kubeconfig that names a missing file.
		for _, name := range []string{"ca.crt", "../ca.crt", "tls/ca.crt", "tls.crt", "../tls.key", "token"} {
			write(filepath.Join(filepath.Dir(path), name), "a file")
		}
	}
	var paths []string
	for _, path := range question.Paths {
		paths = append(paths, filepath.Join(folder, path))
	}
	rules := clientcmd.ClientConfigLoadingRules{Precedence: paths}
	overrides := clientcmd.ConfigOverrides{CurrentContext: question.Context}
	config, err := clientcmd.NewNonInteractiveDeferredLoadingClientConfig(&rules, &overrides).ClientConfig()
	if err != nil {
		return map[string]any{"error": strings.ReplaceAll(err.Error(), folder+"/", "")}
	}
	relative := func(path string) string { return strings.TrimPrefix(path, folder+"/") }
	answer := map[string]any{
		"server":      strings.TrimSuffix(config.Host, "/"),
		"insecure":    config.Insecure,
		"authority":   pem(config.CAData, relative(config.CAFile)),
		"certificate": pem(config.CertData, relative(config.CertFile)),
		"key":         pem(config.KeyData, relative(config.KeyFile)),
		"token_file":  relative(config.BearerTokenFile),
		"server_name": config.ServerName,
		"as":          config.Impersonate.UserName,
		"groups":      config.Impersonate.Groups,
		"username":    config.Username,
	}
	if config.BearerTokenFile == "" {
		answer["token"] = strings.TrimSpace(config.BearerToken)
	}
	if config.ExecProvider != nil {
		answer["program"] = relative(config.ExecProvider.Command)
	}
	if config.Proxy != nil {
		found, err := config.Proxy(nil)
		must(err)
		answer["proxy"] = found.String()
	}
	for name, value := range answer {
		if value == "" || value == false || name == "groups" && len(config.Impersonate.Groups) == 0 {
			delete(answer, name)
		}
	}
	return answer
}

// pem returns the content of a file, or else its path.
func pem(data []byte, path string) string {
	if len(data) > 0 {
		return "data " + string(data)
	}
	return path
}

// find returns the URL of the proxy, empty for a direct connection.
func (question proxy) find() string {
	os.Clearenv()
	for name, value := range question.Environment {
		must(os.Setenv(name, value))
	}
	target, err := url.Parse(question.URL)
	must(err)
	found, err := httpproxy.FromEnvironment().ProxyFunc()(target)
	must(err)
	if found == nil {
		return ""
	}
	return found.String()
}

func must(err error) {
	if err != nil {
		panic(err)
	}
}
