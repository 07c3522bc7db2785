// Copyright: Contributors to the capability.openshift collection
// SPDX-License-Identifier: GPL-3.0-or-later

// Prints digests of the bodies of releases, read as the CVO reads them: rendered by text/template, split by the decoder
// of apimachinery (library-go:pkg/manifest/manifest.go ParseManifests) and parsed by sigs.k8s.io/yaml.
//
// Usage: go run . [-documents] RELEASE_DIRECTORY...
//
//	go run . -texts FILE
//
// A line is "RELEASE COMPONENT DOCUMENTS DIGEST". DIGEST is sha256 over the lines "FILE DOCUMENT SHA256" of the
// component, in the order of the CVO. With -documents, these lines are printed instead. SHA256 is that of the body as
// JSON with sorted keys.
//
// With -texts, FILE is a JSON list of pairs: the text of a document, and the JSON that sigs.k8s.io/yaml makes of it, null
// if it rejects the text. The program replaces the second item of each pair.
package main

import (
	"bytes"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"text/template"

	"k8s.io/apimachinery/pkg/util/yaml"
	sigs "sigs.k8s.io/yaml"
)

const width = 1000

var (
	documents = flag.Bool("documents", false, "print the digest of each document")
	texts     = flag.String("texts", "", "a file with texts of documents, to which their JSON is written")
	suffixes  = []string{".yaml", ".yml", ".json"}
	component = regexp.MustCompile(`^\d{4}_\d\d_([^_.]+)`)
)

// values are the placeholders that loading without options renders.
var values = map[string]string{
	"ReleaseImage":   "<unset>",
	"ClusterProfile": "self-managed-high-availability",
}

type body struct{ value any }

func (b *body) UnmarshalJSON(data []byte) error {
	decoder := json.NewDecoder(bytes.NewReader(data))
	decoder.UseNumber()
	return decoder.Decode(&b.value)
}

func main() {
	flag.Parse()
	if *texts != "" {
		if err := convert(*texts); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
	}
	for _, release := range flag.Args() {
		if err := printRelease(release); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
	}
}

func printRelease(release string) error {
	lines := map[string][]string{}
	for _, directory := range []string{"manifests", "release-manifests"} {
		entries, err := os.ReadDir(filepath.Join(release, directory)) // sorted by name
		if err != nil {
			return err
		}
		for _, entry := range entries {
			if entry.IsDir() || !slices.Contains(suffixes, filepath.Ext(entry.Name())) {
				continue
			}
			file := directory + "/" + entry.Name()
			bodies, err := readFile(filepath.Join(release, file), directory == "manifests")
			if err != nil {
				return fmt.Errorf("%s: %w", file, err)
			}
			name := componentOf(entry.Name())
			for number, body := range bodies {
				digest, err := digestOf(body)
				if err != nil {
					return fmt.Errorf("%s: %w", file, err)
				}
				lines[name] = append(lines[name], fmt.Sprintf("%s %d %s\n", file, number+1, digest))
			}
		}
	}
	names := make([]string, 0, len(lines))
	for name := range lines {
		names = append(names, name)
	}
	slices.Sort(names)
	for _, name := range names {
		text := strings.Join(lines[name], "")
		if *documents {
			fmt.Print(text)
			continue
		}
		fmt.Printf("%s %s %d %x\n", filepath.Base(release), name, len(lines[name]), sha256.Sum256([]byte(text)))
	}
	return nil
}

func componentOf(file string) string {
	if match := component.FindStringSubmatch(file); match != nil {
		return match[1]
	}
	return file
}

func readFile(path string, isTemplate bool) ([]any, error) {
	data, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	if isTemplate {
		if data, err = render(data); err != nil {
			return nil, err
		}
	}
	var bodies []any
	decoder := yaml.NewYAMLOrJSONDecoder(bytes.NewReader(data), 1024)
	for {
		var read body
		if err := decoder.Decode(&read); err != nil {
			if errors.Is(err, io.EOF) {
				return bodies, nil
			}
			return nil, err
		}
		if read.value != nil { // an empty document
			bodies = append(bodies, read.value)
		}
	}
}

func render(data []byte) ([]byte, error) {
	parsed, err := template.New("").Parse(string(data))
	if err != nil {
		return nil, err
	}
	var rendered bytes.Buffer
	err = parsed.Execute(&rendered, values)
	return rendered.Bytes(), err
}

func digestOf(value any) (string, error) {
	var text bytes.Buffer
	encoder := json.NewEncoder(&text)
	encoder.SetEscapeHTML(false)
	if err := encoder.Encode(value); err != nil {
		return "", err
	}
	return fmt.Sprintf("%x", sha256.Sum256(bytes.TrimSuffix(text.Bytes(), []byte("\n")))), nil
}

func convert(path string) error {
	data, err := os.ReadFile(path)
	if err != nil {
		return err
	}
	var pairs [][2]*string
	if err := json.Unmarshal(data, &pairs); err != nil {
		return err
	}
	var entries []string
	for _, pair := range pairs {
		pair[1] = nil
		if found, err := sigs.YAMLToJSON([]byte(*pair[0])); err == nil {
			text := string(found)
			pair[1] = &text
		}
		line, err := json.Marshal(pair)
		if err != nil {
			return err
		}
		entries = append(entries, string(line))
	}
	return os.WriteFile(path, []byte("[\n"+fill(entries)+"\n]\n"), 0o644)
}

// fill puts as many entries on each line as fit, as make_facts.py does.
func fill(entries []string) string {
	lines := entries[:1:1]
	for _, entry := range entries[1:] {
		if last := len(lines) - 1; len(lines[last])+len(entry) < width {
			lines[last] += "," + entry
		} else {
			lines = append(lines, entry)
		}
	}
	return strings.Join(lines, ",\n")
}
