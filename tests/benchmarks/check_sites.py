#!/usr/bin/env python
# Copyright: Contributors to the capability.openshift collection
# SPDX-License-Identifier: GPL-3.0-or-later

"""Measure the check of a checkout with many sites: CPU time and memory of whole processes.

    .venv/bin/python tests/benchmarks/check_sites.py [RELEASE...]

The ratio is to a process that only parses the same files with the loader of libyaml.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any, NamedTuple

from ansible_collections.capability.openshift.tests.unit.builders.sites import cluster_instance

SITES = 10_000
MINORS = ("4.14", "4.15", "4.16", "4.17", "4.18", "4.19", "4.20", "4.21")
WRONG = '\'{"capabilities": {"baselineCapabilitySet": "None", "additionalEnabledCapabilities": ["baremetal"]}}\''
RIGHT = '\'{"capabilities": {"baselineCapabilitySet": "None", "additionalEnabledCapabilities": ["Console"]}}\''
NODE = """\
  - hostName: node-{at}.example.com
    bmcAddress: redfish-virtualmedia://192.0.2.{at}/redfish/v1/Systems/1
    bmcCredentialsName: {{name: bmc-{at}}}
    bootMACAddress: 00:00:5e:00:53:{at:02x}
    bootMode: UEFI
    rootDeviceHints: {{deviceName: /dev/disk/by-path/pci-0000:01:00.0-nvme-{at}}}
    nodeNetwork:
      interfaces: [{{name: eno1, macAddress: "00:00:5e:00:53:{at:02x}"}}]
      config:
        interfaces:
          - name: eno1
            type: ethernet
            state: up
            ipv4: {{enabled: true, address: [{{ip: 192.0.2.{at}, prefix-length: 24}}]}}
        dns-resolver: {{config: {{server: [192.0.2.1, 192.0.2.2]}}}}
        routes: {{config: [{{destination: 0.0.0.0/0, next-hop-address: 192.0.2.254, next-hop-interface: eno1}}]}}
"""
PARSE = """
import sys, yaml, pathlib
for path in pathlib.Path(sys.argv[1]).iterdir():
    yaml.load(path.read_text(), yaml.CSafeLoader)
"""
CALL = str(Path(__file__).with_name("call_module.py"))


class Run(NamedTuple):
    """The CPU seconds and the megabytes of a process."""

    seconds: float
    megabytes: int


def main() -> None:
    """Print a line for each way of checking."""
    releases = sys.argv[1:]
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        for number in range(SITES):
            # Every fourth one is wrong on its platform.
            minor, wrong = MINORS[number % len(MINORS)], number % 4 == 0
            text = cluster_instance(WRONG if wrong else RIGHT, f"site-{number}", f"img{minor}.9-x86-64", more=nodes())
            (folder / f"site-{number}.yaml").write_text(text, "utf-8")
        size = (folder / "site-0.yaml").stat().st_size
        parsed = measure("-c", PARSE, name)
        print(f"\nChecking {SITES} files of {size} bytes, against parsing them: {parsed.seconds:.1f} s of CPU")
        ways: dict[str, dict[str, Any]] = {
            "checked": {},
            "with releases": {"releases": releases},
            "fixed": {"state": "fixed"},
        }
        for way, options in ways.items():
            given = json.dumps({"checkout": name, "fail_on": "never", **options})
            run = measure(CALL, "capability.openshift.site_check", given)
            print(f"  {way:<16} {run.seconds:>5.1f} s {run.seconds / parsed.seconds:>5.2f} {run.megabytes:>5} MB")


def nodes() -> str:
    """Return the nodes of a site."""
    return "  nodes:\n" + "".join(NODE.format(at=at) for at in range(1, 4))


def measure(*arguments: str) -> Run:
    """Run Python to its end, which must be a good one."""
    with tempfile.TemporaryFile() as output:
        process = subprocess.Popen([sys.executable, *arguments], stdout=output, stderr=subprocess.STDOUT)
        _pid, status, usage = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
        if process.returncode:
            output.seek(0)
            sys.exit(output.read().decode()[-3000:])
    return Run(usage.ru_utime + usage.ru_stime, usage.ru_maxrss // 1024)


if __name__ == "__main__":
    main()
