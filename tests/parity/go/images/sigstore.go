// Copyright: Contributors to the capability.openshift collection
// SPDX-License-Identifier: GPL-3.0-or-later

package main

import (
	"context"
	"crypto"
	"crypto/ecdsa"
	"crypto/ed25519"
	"crypto/elliptic"
	"crypto/rsa"
	"crypto/sha256"
	"crypto/sha512"
	"crypto/x509"
	"encoding/base64"
	"encoding/pem"
	"fmt"
	"math/big"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"

	"github.com/containers/image/v5/docker"
	"github.com/containers/image/v5/image"
	"github.com/containers/image/v5/pkg/sysregistriesv2"
	"github.com/containers/image/v5/signature"
	"github.com/containers/image/v5/types"
)

const (
	sigstoreCases   = 1250
	ociManifest     = "application/vnd.oci.image.manifest.v1+json"
	signatureLayer  = "application/vnd.dev.cosign.simplesigning.v1+json"
	annotation      = "dev.cosignproject.cosign/signature"
	ocpRelease      = "quay.io/openshift-release-dev/ocp-release"
	signedManifest  = `{"schemaVersion":2,"mediaType":"` + ociManifest + `","config":{"mediaType":"application/vnd.oci.image.config.v1+json","size":2,"digest":"sha256:44136fa355b3678a1146ad16f7e8649e94fb4fc21fe77e8310c060f61caaff8a"},"layers":[]}`
	missing, broken = "missing", "broken"
)

var signedDigest = digestOf(signedManifest)

// key is a key pair of sigstore. Its private part is nil if nothing is signed with it.
type key struct {
	pem    string
	signer crypto.Signer
}

// layer is a layer of the image with signatures. Its blob is "missing" or "broken" if it is.
type layer struct {
	payload, signature int // signature is -1 without the annotation
	mediaType, blob    string
}

func (l layer) MarshalJSON() ([]byte, error) {
	if l.mediaType == "" && l.blob == "" {
		return compact([]int{l.payload, l.signature}), nil
	}
	return compact([]any{l.payload, l.signature, l.mediaType, l.blob}), nil
}

// requirement is a ClusterImagePolicy: its scope, the number of its key, and of its signedIdentity.
type requirement struct{ scope, key, identity int }

func (r requirement) MarshalJSON() ([]byte, error) {
	return compact([]int{r.scope, r.key, r.identity}), nil
}

var signedImages = []string{ocpRelease, "quay.io/openshift-release-dev/ocp-v4.0-art-dev", "registry.example.com:5000/ocp/release", "registry.example.com/ocp/release"}

var scopes = []string{ocpRelease, "quay.io/openshift-release-dev", "quay.io", "*.io", "*.com", "*.example.com", "registry.example.com", "registry.example.com:5000",
	"registry.example.com:5000/ocp", "quay.io/openshift", ocpRelease + "@" + signedDigest, "example.com"}

// identities are values of signedIdentity; null is the default.
var identities = []any{
	nil,
	map[string]any{"matchPolicy": "MatchRepoDigestOrExact"},
	map[string]any{"matchPolicy": "MatchRepository"},
	exact(ocpRelease), exact("registry.example.com:5000/ocp/release"), exact("docker.io/library/release"), exact("release"),
	remap("quay.io", "registry.example.com:5000"), remap("quay.io/openshift-release-dev", "signed.example/x"), remap(ocpRelease, "signed.example/x/other"),
	remap("registry.example.com:5000", "quay.io/openshift-release-dev"), remap("registry.example.com", "quay.io"), remap("quay.io/openshift", "signed.example"),
	remap("registry.example.com/ocp/release", "signed.example"),
}

func exact(repository string) any {
	return map[string]any{"matchPolicy": "ExactRepository", "exactRepository": map[string]any{"repository": repository}}
}

func remap(prefix, signed string) any {
	return map[string]any{"matchPolicy": "RemapIdentity", "remapIdentity": map[string]any{"prefix": prefix, "signedPrefix": signed}}
}

// sigstore writes images with signatures and policies, and whether CRI-O runs the image.
func sigstore() document {
	c := newChance(3)
	keys := makeKeys(c)
	var payloads, signatures table[string]
	var cases []any
	registry := newRegistry()
	defer registry.Close()
	for range sigstoreCases {
		number := c.IntN(len(signedImages))
		image := signedImages[number]
		var requirements []requirement
		for range 1 + c.IntN(2) + c.IntN(2) {
			requirements = append(requirements, requirement{randomScope(c, image), randomKey(c, keys), c.IntN(len(identities))})
		}
		var layers []layer
		if c.one(96) {
			layers = []layer{}
			for range 1 + c.IntN(6)/4 {
				layers = append(layers, randomLayer(c, image, requirements, keys, &payloads, &signatures))
			}
		}
		isAccepted := registry.accepts(image, requirements, layers, keys, payloads.values, signatures.values)
		cases = append(cases, []any{number, requirements, layers, isAccepted})
	}
	pems := []string{}
	for _, item := range keys {
		pems = append(pems, item.pem)
	}
	head := []part{{"manifest", signedManifest}, {"images", signedImages}, {"scopes", scopes}, {"keys", pems}, {"identities", identities}, {"payloads", payloads.values}, {"signatures", signatures.values}}
	return document{head, cases}
}

// randomScope returns the number of a scope. Most are of the host of the image.
func randomScope(c chance, image string) int {
	for {
		number := c.IntN(len(scopes))
		host, _, _ := strings.Cut(image, "/")
		if strings.Contains(scopes[number], host) || c.one(15) {
			return number
		}
	}
}

func randomKey(c chance, keys []key) int {
	if c.one(88) {
		return c.IntN(4)
	}
	return c.IntN(len(keys))
}

func randomLayer(c chance, image string, requirements []requirement, keys []key, payloads, signatures *table[string]) layer {
	chosen := requirements[c.IntN(len(requirements))].key
	if keys[chosen].signer == nil || c.one(10) {
		chosen = c.IntN(4)
	}
	payload := randomPayload(c, image)
	result := layer{payload: payloads.number(payload), signature: -1}
	text := base64.StdEncoding.EncodeToString(sign(keys[chosen].signer, []byte(payload)))
	switch c.IntN(36) {
	case 0:
		text = "-"
	case 1:
		text = text[:40] + "\n" + text[40:]
	case 2:
		text = strings.TrimRight(text, "=") + "!"
	case 3:
		text = base64.StdEncoding.EncodeToString(sign(keys[chosen].signer, []byte(payload+" ")))
	case 4:
		text = ""
	case 5:
		result.mediaType, result.blob = "application/vnd.in-toto+json", pick(c, "", "", missing, broken)
	case 6:
		result.blob = pick(c, missing, broken)
	}
	if text != "-" {
		result.signature = signatures.number(text)
	}
	return result
}

func randomPayload(c chance, image string) string {
	name := image
	if c.one(30) {
		name = pick(c, append([]string{"signed.example/x/ocp-release", "signed.example/x/other", "signed.example", "docker.io/library/release", "release", "docker.io/release",
			"registry.example.com:5000/openshift-release-dev/ocp-release", "quay.io/openshift-release-dev/release", "quay.io/openshift-release-dev/ocp/release", "[2001:db8::1]:5000/x"}, signedImages...)...)
	}
	reference := name
	switch c.IntN(8) {
	case 0:
		reference = name + "@" + signedDigest
	case 1:
		reference = pick(c, name, name+":", name+"/", strings.ToUpper(name), "", "https://"+name, name+"@sha256:0", name+":4 ", name+":x@"+signedDigest)
	default:
		reference = name + ":4.21.0-x86_64"
	}
	digest := signedDigest
	if c.one(10) {
		digest = pick(c, digestOf("other"), fmt.Sprintf("sha512:%x", sha512.Sum512([]byte(signedManifest))), strings.ToUpper(signedDigest), "", "sha256:0", signedDigest+" ")
	}
	kind, optional := "cosign container image signature", `{"creator":"x","timestamp":1}`
	if c.one(5) {
		kind = pick(c, "atomic container signature", "", "Cosign container image signature")
	}
	if c.one(30) {
		optional = pick(c, "null", "{}", `{"tag":"4.21"}`, `{"creator":null}`, `{"creator":1}`, `{"timestamp":null}`, `{"timestamp":1.5}`, `{"timestamp":1.0}`, `{"timestamp":1e3}`,
			`{"timestamp":"1"}`, `{"timestamp":9223372036854775807}`, `{"timestamp":1e300}`, `{"timestamp":-1}`, `{"timestamp":true}`, "[]", `""`, `{"a":1,"a":2}`, `{"a":{"b":1,"b":2}}`,
			`{"a":NaN}`, `{"a":12345678901234567890123}`, `{"a":1e999}`, `{"Creator":1}`, `{"a":"\ud800"}`, "1")
	}
	text := fmt.Sprintf(`{"critical":{"identity":{"docker-reference":%s},"image":{"docker-manifest-digest":%s},"type":%s},"optional":%s}`,
		compact(reference), compact(digest), compact(kind), optional)
	if !c.one(12) {
		return text
	}
	replace := func(old, new string) string { return strings.Replace(text, old, new, 1) }
	return pick(c, text+" ", "\n"+text, text+"x", text+"{}", "", "{}", "[]", "null", "\ufeff"+text,
		replace(`{"critical"`, `{"extra":1,"critical"`), replace(`"critical"`, `"Critical"`), replace(`,"optional":`+optional, ""), replace(`"type":`, `"type":"x","type":`),
		replace(`"identity":{`, `"identity":{"x":1,`), replace(`"image":{`, `"image":null,"x":{`), replace(`"docker-reference":`, `"docker-reference":null,"y":`),
		replace(`"type":"`, `"type":null,"t":"`), replace(`"optional":`, `"optional":{},"optional":`), replace("critical", "\\u0063ritical"), replace(`"type":"c`, `"type":"\u0063`), text[:len(text)-1],
		replace(`{"docker-manifest-digest"`, `{"docker-manifest-digest":"x","docker-manifest-digest"`), replace(`:{"critical"`, ":"), replace(`{"critical":{`, `{"critical":[],"b":{`))
}

// makeKeys returns four keys that sign, and other texts of keys.
func makeKeys(c chance) []key {
	curve := func(curve elliptic.Curve) *ecdsa.PrivateKey {
		scalar := new(big.Int).Mod(randomInt(c, curve.Params().BitSize), curve.Params().N)
		x, y := curve.ScalarBaseMult(scalar.Bytes())
		return &ecdsa.PrivateKey{PublicKey: ecdsa.PublicKey{Curve: curve, X: x, Y: y}, D: scalar}
	}
	seed := sha256.Sum256([]byte("seed"))
	signers := []crypto.Signer{curve(elliptic.P256()), curve(elliptic.P256()), ed25519.NewKeyFromSeed(seed[:]), rsaKey(c), curve(elliptic.P384())}
	var keys []key
	for _, signer := range signers {
		keys = append(keys, key{pemOf(signer.Public()), signer})
	}
	good := keys[0].pem
	pkcs1 := pem.EncodeToMemory(&pem.Block{Type: "RSA PUBLIC KEY", Bytes: x509.MarshalPKCS1PublicKey(signers[3].Public().(*rsa.PublicKey))})
	for _, text := range []string{"", "x", strings.TrimSpace(good), "text before\n" + good, good + "text after", good + keys[1].pem,
		strings.ReplaceAll(good, "PUBLIC KEY", "CERTIFICATE"), good[:60], strings.ReplaceAll(good, "\n", "\r\n"), pemOf(signers[0].Public())[:50] + "\n" + good} {
		keys = append(keys, key{text, signers[0]})
	}
	return append(keys, key{string(pkcs1), signers[3]})
}

func pemOf(public crypto.PublicKey) string {
	return string(pem.EncodeToMemory(&pem.Block{Type: "PUBLIC KEY", Bytes: value(x509.MarshalPKIXPublicKey(public))}))
}

// rsaKey returns the same key each time, unlike crypto/rsa.
func rsaKey(c chance) *rsa.PrivateKey {
	exponent, one := big.NewInt(65537), big.NewInt(1)
	for {
		p, q := prime(c), prime(c)
		order := new(big.Int).Mul(new(big.Int).Sub(p, one), new(big.Int).Sub(q, one))
		private := new(big.Int).ModInverse(exponent, order)
		if private == nil || p.Cmp(q) == 0 {
			continue
		}
		made := &rsa.PrivateKey{PublicKey: rsa.PublicKey{N: new(big.Int).Mul(p, q), E: 65537}, D: private, Primes: []*big.Int{p, q}}
		made.Precompute()
		must(made.Validate())
		return made
	}
}

func prime(c chance) *big.Int {
	for candidate := randomInt(c, 1024); ; candidate.Add(candidate, big.NewInt(2)) {
		candidate.SetBit(candidate.SetBit(candidate.SetBit(candidate, 0, 1), 1023, 1), 1022, 1)
		if candidate.ProbablyPrime(20) {
			return candidate
		}
	}
}

func randomInt(c chance, bits int) *big.Int {
	data := make([]byte, bits/8)
	for index := range data {
		data[index] = byte(c.Uint32())
	}
	return new(big.Int).SetBytes(data)
}

// sign signs with SHA-256, and without a random number.
func sign(signer crypto.Signer, payload []byte) []byte {
	if _, ok := signer.(ed25519.PrivateKey); ok {
		return value(signer.Sign(nil, payload, crypto.Hash(0)))
	}
	digest := sha256.Sum256(payload)
	return value(signer.Sign(nil, digest[:], crypto.SHA256))
}

// registry is a mirror of everything. It has one image, and another one with its signatures.
type registry struct {
	*httptest.Server
	folder      string
	attachments []byte
	blobs       map[string][]byte
}

func newRegistry() *registry {
	made := &registry{folder: temporaryDirectory()}
	made.Server = httptest.NewServer(made)
	var text strings.Builder
	for _, host := range []string{"quay.io", "registry.example.com", "registry.example.com:5000"} {
		fmt.Fprintf(&text, "[[registry]]\nlocation = %q\n[[registry.mirror]]\nlocation = \"%s/mirror\"\ninsecure = true\n", host, strings.TrimPrefix(made.URL, "http://"))
	}
	writeFile(filepath.Join(made.folder, "registries.conf"), text.String(), 0o600)
	writeFile(filepath.Join(made.folder, "registries.d", "x.yaml"), "default-docker:\n  use-sigstore-attachments: true\n", 0o600)
	return made
}

func (r *registry) Close() {
	r.Server.Close()
	os.RemoveAll(r.folder)
}

func (r *registry) ServeHTTP(answer http.ResponseWriter, request *http.Request) {
	last := request.URL.Path[strings.LastIndex(request.URL.Path, "/")+1:]
	tag := strings.Replace(signedDigest, ":", "-", 1) + ".sig"
	body := r.blobs[last]
	switch {
	case request.URL.Path == "/v2/":
		body = []byte("{}")
	case last == signedDigest:
		body = []byte(signedManifest)
	case last == tag:
		body = r.attachments
	}
	if body == nil {
		http.Error(answer, `{"errors": [{"code": "MANIFEST_UNKNOWN"}]}`, http.StatusNotFound)
		return
	}
	answer.Header().Set("Content-Type", ociManifest)
	_, _ = answer.Write(body)
}

func (r *registry) accepts(name string, requirements []requirement, layers []layer, keys []key, payloads, signatures []string) bool {
	r.attachments, r.blobs = attach(layers, payloads, signatures)
	sysregistriesv2.InvalidateCache()
	system := &types.SystemContext{
		SystemRegistriesConfPath:    filepath.Join(r.folder, "registries.conf"),
		SystemRegistriesConfDirPath: "/nonexistent",
		RegistriesDirPath:           filepath.Join(r.folder, "registries.d"),
		AuthFilePath:                "/nonexistent",
	}
	policy, err := signature.NewPolicyFromBytes(policyFor(requirements, keys))
	if err != nil {
		panic(fmt.Errorf("%s: %w", policyFor(requirements, keys), err))
	}
	policies := value(signature.NewPolicyContext(policy))
	defer func() { _ = policies.Destroy() }()
	source := value(value(docker.ParseReference("//"+name+"@"+signedDigest)).NewImageSource(context.Background(), system))
	defer source.Close()
	isAccepted, _ := policies.IsRunningImageAllowed(context.Background(), image.UnparsedInstance(source, nil))
	return isAccepted
}

// policyFor returns the policy.json that the machine-config operator writes for policies.
func policyFor(requirements []requirement, keys []key) []byte {
	docker := map[string][]any{}
	for _, item := range requirements {
		identity := map[string]string{"type": "matchRepoDigestOrExact"}
		if given, ok := identities[item.identity].(map[string]any); ok {
			kind := given["matchPolicy"].(string)
			identity["type"] = strings.ToLower(kind[:1]) + kind[1:]
			if exact, ok := given["exactRepository"].(map[string]any); ok {
				identity["dockerRepository"] = exact["repository"].(string)
			}
			if remap, ok := given["remapIdentity"].(map[string]any); ok {
				identity["prefix"], identity["signedPrefix"] = remap["prefix"].(string), remap["signedPrefix"].(string)
			}
		}
		docker[scopes[item.scope]] = append(docker[scopes[item.scope]], map[string]any{
			"type": "sigstoreSigned", "keyData": []byte(keys[item.key].pem), "signedIdentity": identity,
		})
	}
	return compact(map[string]any{
		"default":    []any{map[string]string{"type": "insecureAcceptAnything"}},
		"transports": map[string]any{"docker": docker},
	})
}

// attach returns the manifest of an image with signatures, nil if there are none, and its blobs.
func attach(layers []layer, payloads, signatures []string) ([]byte, map[string][]byte) {
	blobs := map[string][]byte{}
	if layers == nil {
		return nil, blobs
	}
	descriptors := []any{}
	for _, item := range layers {
		payload := payloads[item.payload]
		switch digest := digestOf(payload); item.blob {
		case "":
			blobs[digest] = []byte(payload)
		case broken:
			blobs[digest] = []byte(payload + " ")
		}
		descriptor := map[string]any{"mediaType": signatureLayer, "digest": digestOf(payload), "size": len(payload)}
		if item.mediaType != "" {
			descriptor["mediaType"] = item.mediaType
		}
		if item.signature >= 0 {
			descriptor["annotations"] = map[string]string{annotation: signatures[item.signature]}
		}
		descriptors = append(descriptors, descriptor)
	}
	config := map[string]any{"mediaType": "application/vnd.oci.image.config.v1+json", "digest": digestOf("{}"), "size": 2}
	return compact(map[string]any{"schemaVersion": 2, "mediaType": ociManifest, "config": config, "layers": descriptors}), blobs
}
