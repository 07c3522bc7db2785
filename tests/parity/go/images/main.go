// Copyright: Contributors to the capability.openshift collection
// SPDX-License-Identifier: GPL-3.0-or-later

// Makes random credentials, mirror sets and sigstore signatures, and writes what containers/image, the library of CRI-O,
// podman and skopeo, does with them. The machine-config operator's own code makes a registries.conf of mirror sets.
//
// Usage: go run -tags containers_image_openpgp . FACTS [SEED]
//
// The program writes FACTS/credentials.json, FACTS/mirror_sets.json and FACTS/sigstore.json, the same ones each time
// without a SEED. It contacts no host but loopback.
package main

import (
	"bytes"
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strconv"

	"github.com/sirupsen/logrus"
)

// a source of random choices that is the same with every version of Go.
type chance struct{ *rand.Rand }

func newChance(number uint64) chance { return chance{rand.New(rand.NewPCG(number, number+seed))} }

const width = 1000

// seed changes all random choices.
var seed uint64

// one returns true in share of 100 cases.
func (c chance) one(share int) bool { return c.IntN(100) < share }

func pick[T any](c chance, items ...T) T { return items[c.IntN(len(items))] }

// table numbers values, so that a file has each of them once.
type table[T any] struct {
	values  []T
	numbers map[string]int
}

func (t *table[T]) number(value T) int {
	key := string(compact(value))
	if found, ok := t.numbers[key]; ok {
		return found
	}
	if t.numbers == nil {
		t.numbers = map[string]int{}
	}
	t.numbers[key] = len(t.values)
	t.values = append(t.values, value)
	return len(t.values) - 1
}

func main() {
	if len(os.Args) != 2 && len(os.Args) != 3 {
		fmt.Fprintln(os.Stderr, "usage: go run -tags containers_image_openpgp . FACTS [SEED]")
		os.Exit(2)
	}
	if len(os.Args) == 3 {
		seed = value(strconv.ParseUint(os.Args[2], 10, 64))
	}
	logrus.SetOutput(io.Discard)
	logrus.SetLevel(logrus.PanicLevel)
	write("credentials", credentials())
	write("mirror_sets", mirrorSets())
	write("sigstore", sigstore())
}

// write writes a file of facts, with as many cases on each line as fit, as make_facts.py does.
func write(name string, content document) {
	var text bytes.Buffer
	text.WriteString("{\n")
	for _, part := range content.head {
		fmt.Fprintf(&text, "%s: %s,\n", compact(part.name), compact(part.value))
	}
	text.WriteString("\"cases\": [\n")
	used := 0
	for index, item := range content.cases {
		entry := compact(item)
		if fits := index > 0 && used+len(entry) < width; index > 0 && !fits {
			text.WriteString(",\n")
			used = 0
		} else if fits {
			text.WriteString(",")
			used++
		}
		text.Write(entry)
		used += len(entry)
	}
	text.WriteString("\n]\n}\n")
	must(os.WriteFile(filepath.Join(os.Args[1], name+".json"), text.Bytes(), 0o644))
}

type part struct {
	name  string
	value any
}

type document struct {
	head  []part
	cases []any
}

func compact(value any) []byte {
	var text bytes.Buffer
	encoder := json.NewEncoder(&text)
	encoder.SetEscapeHTML(false)
	must(encoder.Encode(value))
	return bytes.TrimSuffix(text.Bytes(), []byte("\n"))
}

func digestOf(text string) string { return fmt.Sprintf("sha256:%x", sha256.Sum256([]byte(text))) }

func temporaryDirectory() string { return value(os.MkdirTemp("", "parity")) }

func writeFile(path, text string, mode os.FileMode) {
	must(os.MkdirAll(filepath.Dir(path), 0o755))
	must(os.WriteFile(path, []byte(text), mode))
}

func must(err error) {
	if err != nil {
		panic(err)
	}
}

func value[T any](result T, err error) T {
	must(err)
	return result
}
