#!/usr/bin/env python
# Copyright: Contributors to the capability.openshift collection
# SPDX-License-Identifier: GPL-3.0-or-later

"""Make random install-configs, and write which of their fields the installer of each minor rejects.

Usage: python -m ansible_collections.capability.openshift.tests.parity.make_install_configs MINOR=HIVE_CHECKOUT...

A checkout is one of openshift/hive, which vendors ``pkg/types`` of the installer. The program of ``go/installer`` is
copied there, and removed afterwards. Only errors that a selection can depend on are written.
"""

from __future__ import annotations

import random
import sys
from pathlib import Path
from typing import Any

from ansible_collections.capability.openshift.tests.parity.go_program import run_in_checkout
from ansible_collections.capability.openshift.tests.parity.make_facts import FACTS, write
from ansible_collections.capability.openshift.tests.unit.builders.installations import known

FIELDS = ("apiVersion", "additionalEnabledCapabilities", "capabilities", "featureGates", "featureSet")
COUNT = 200
CHOICES = random.Random(7)
PLATFORMS: dict[str, dict[str, Any]] = {
    "aws": {"region": "us-east-1"},
    "azure": {"region": "eastus"},
    "baremetal": {},
    "external": {},
    "gcp": {},
    "ibmcloud": {},
    "none": {},
    "nutanix": {},
    "openstack": {},
    "powervs": {},
    "vsphere": {},
}
HOST = {"name": "a", "bootMACAddress": "00:11:22:33:44:55"}
SETS = ("None", "None", "None", "vCurrent", *(f"v4.{minor}" for minor in range(11, 20)), "", "none")
FEATURE_SETS = ("TechPreviewNoUpgrade", "CustomNoUpgrade", "DevPreviewNoUpgrade", "LatencySensitive", "Default", "")
GATES: tuple[list[str], ...] = (["A=true"], ["A=1", "B=F"], ["A"], ["A=yes"], ["A=true=false"], ["A= true"], [])
ARCHITECTURES = ("amd64", "arm64", "s390x", "ppc64le")


def happens(probability: float) -> bool:
    """Whether something happens this time."""
    return CHOICES.random() < probability


def selection(names: list[str]) -> dict[str, Any]:
    """Return a random block ``capabilities``, often with what most platforms require."""
    listed = CHOICES.sample(names, CHOICES.choice((0, 1, 3, 6, 9)))
    for required in (["Ingress"], ["CloudCredential", "CloudControllerManager"], ["OperatorLifecycleManager"]):
        listed += required if happens(0.5) else []
    listed += [CHOICES.choice(("console", "Other"))] if happens(0.05) else []
    block = {"additionalEnabledCapabilities": list(dict.fromkeys(listed))}
    return {"baselineCapabilitySet": CHOICES.choice(SETS), **block} if happens(0.95) else block


def pool(name: str, replicas: tuple[int, ...]) -> dict[str, Any]:
    """Return a pool of machines. What is not in it has its default."""
    settings = {"replicas": CHOICES.choice(replicas), "architecture": CHOICES.choice(ARCHITECTURES)}
    return {"name": name, **{field: value for field, value in settings.items() if happens(0.6)}}


def case(names: list[str]) -> dict[str, Any]:
    """Return a random install-config, and whether it is for the agent-based installer."""
    name = CHOICES.choice(list(PLATFORMS))
    settings = dict(PLATFORMS[name])
    if name == "external" and happens(0.7):
        settings["cloudControllerManager"] = CHOICES.choice(("External", "None", ""))
    if name == "baremetal" and happens(0.5):
        settings["hosts"] = [HOST]
    optional: dict[str, tuple[float, Any]] = {
        "capabilities": (0.8, selection(names)),
        "controlPlane": (0.5, pool("master", (1, 1, 2, 3, 5))),
        "compute": (0.5, [pool("worker", (0, 0, 1, 2))]),
        "arbiter": (0.1, {"name": "arbiter", "replicas": 1}),
        "bootstrapInPlace": (0.1, CHOICES.choice(({"installationDisk": "/dev/sda"}, {}))),
        "featureSet": (0.3, CHOICES.choice(FEATURE_SETS)),
        "featureGates": (0.2, CHOICES.choice(GATES)),
        "cpuPartitioningMode": (0.1, "AllNodes"),
    }
    fields = {field: value for field, (probability, value) in optional.items() if happens(probability)}
    return {"agent": happens(0.4), "config": {"apiVersion": "v1", "platform": {name: settings}, **fields}}


def depends(field: str, detail: str) -> bool:
    """Whether a selection can depend on what is rejected."""
    is_named = "hosts are missing" in detail or "arbiter deployments" in detail
    return field.startswith(FIELDS) or field == "platform" or is_named


def rows(cases: list[dict[str, Any]], checkout: Path) -> list[list[Any]]:
    """Return each case with what the installer rejects, without those on which it panics."""
    return [
        [case["agent"], case["config"], [list(error) for error in answer if depends(*error)]]
        for case, answer in zip(cases, run_in_checkout("installer", checkout, cases), strict=True)
        if answer is not None
    ]


def main(arguments: list[str]) -> int:
    """Write the facts. Equal details are written once."""
    facts: dict[str, Any] = {"details": []}
    details: list[str] = facts["details"]
    for minor, _equals, checkout in (argument.partition("=") for argument in arguments):
        names = sorted(known(minor))
        facts[minor] = rows([case(names) for _number in range(COUNT)], Path(checkout))
        for _agent, _config, errors in facts[minor]:
            for error in errors:
                detail = error[1].partition(": ")[0] if error[1].startswith("supported values") else error[1]
                details += [] if detail in details else [detail]
                error[1] = details.index(detail)
    write(FACTS / "install_configs.json", facts)
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
