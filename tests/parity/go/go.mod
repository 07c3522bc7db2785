// Copyright: Contributors to the capability.openshift collection
// SPDX-License-Identifier: GPL-3.0-or-later

// Reads the bodies of real releases with the libraries of the CVO.
module capability.openshift/tests/parity

go 1.24.0

require (
	k8s.io/apimachinery v0.34.4
	sigs.k8s.io/yaml v1.6.0
)

require (
	go.yaml.in/yaml/v2 v2.4.2 // indirect
	sigs.k8s.io/json v0.0.0-20241014173422-cfa47c3a1cc8 // indirect
)
