// Copyright: Contributors to the capability.openshift collection
// SPDX-License-Identifier: GPL-3.0-or-later

// Asks openshift-install which fields of install-configs it rejects.
//
// It runs in a checkout of openshift/hive, which vendors the installer: tests/parity/make_install_configs.py copies it.
// Standard input is a JSON list of cases, standard output a JSON list with the field and the detail of each error.
// A case on which the installer panics has null.
package main

import (
	"encoding/json"
	"os"

	"github.com/openshift/installer/pkg/types"
	"github.com/openshift/installer/pkg/types/conversion"
	"github.com/openshift/installer/pkg/types/defaults"
	"github.com/openshift/installer/pkg/types/validation"
)

type request struct {
	Agent  bool
	Config json.RawMessage
}

func rejected(given request) (answer [][2]string) {
	defer func() {
		if recover() != nil {
			answer = nil
		}
	}()
	config := &types.InstallConfig{}
	if err := json.Unmarshal(given.Config, config); err != nil {
		return [][2]string{{"", err.Error()}}
	}
	if err := conversion.ConvertInstallConfig(config); err != nil {
		return [][2]string{{"", err.Error()}}
	}
	defaults.SetInstallConfigDefaults(config)
	answer = [][2]string{}
	for _, problem := range validation.ValidateInstallConfig(config, given.Agent) {
		answer = append(answer, [2]string{problem.Field, problem.Detail})
	}
	return answer
}

func main() {
	var given []request
	if err := json.NewDecoder(os.Stdin).Decode(&given); err != nil {
		panic(err)
	}
	answers := make([][][2]string, len(given))
	for index, one := range given {
		answers[index] = rejected(one)
	}
	if err := json.NewEncoder(os.Stdout).Encode(answers); err != nil {
		panic(err)
	}
}
