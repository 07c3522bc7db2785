# Copyright: Contributors to the capability.openshift collection
# SPDX-License-Identifier: GPL-3.0-or-later

"""Install-configs for tests, with planted secrets, and a search for leaked parts of these."""

from __future__ import annotations

import base64
import hashlib
import json
import os
import re
import subprocess
import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from ansible_collections.capability.openshift.plugins.modules import install_config
from ansible_collections.capability.openshift.tests.unit.run_module import Call, Outcome

COLLECTIONS = Path(install_config.__file__).parents[5]
_WINDOW = 8


def _secret(name: str) -> str:
    """Return a unique text that no message contains."""
    return base64.b32encode(hashlib.sha256(name.encode()).digest()).decode()[:24]


REGISTRY_PASSWORD, BMC, VSPHERE, PROXY = (_secret(name) for name in ("registry", "bmc", "vsphere", "proxy"))
SSH, PRIVATE, OLD_PASSWORD = (_secret(name) for name in ("ssh", "private", "old"))
AUTH, OLD_AUTH = (base64.b64encode(f"me:{word}".encode()).decode() for word in (REGISTRY_PASSWORD, OLD_PASSWORD))
SECRETS = (REGISTRY_PASSWORD, AUTH, BMC, VSPHERE, PROXY, SSH, PRIVATE, OLD_PASSWORD, OLD_AUTH)
PARTS = frozenset(secret[at : at + _WINDOW] for secret in SECRETS for at in range(len(secret) - _WINDOW + 1))


def _pull_secret(auth: str) -> str:
    return json.dumps({"auths": {"registry.example.com": {"auth": auth}}}, separators=(",", ":"))


PULL_SECRET, OLD_PULL_SECRET = _pull_secret(AUTH), _pull_secret(OLD_AUTH)
SSH_KEY = f"ssh-ed25519 AAAA{SSH} me@example.com"
PRIVATE_KEY = f"-----BEGIN OPENSSH PRIVATE KEY-----\n{PRIVATE}\n-----END OPENSSH PRIVATE KEY-----\n"

PLATFORMS: dict[str, Any] = {
    "none": {},
    "vsphere": {"vcenters": [{"server": "vc.example.com", "user": "me", "password": VSPHERE}]},
    "baremetal": {"hosts": [{"name": "one", "bmc": {"address": "192.0.2.9", "username": "me", "password": BMC}}]},
}


def site(platform: str = "none", **changes: Any) -> dict[str, Any]:
    """Return a whole install-config; a change to ``None`` removes a field."""
    values = {
        "apiVersion": "v1",
        "baseDomain": "example.com",
        "metadata": {"name": "berlin"},
        "controlPlane": {"name": "master", "replicas": 1},
        "compute": [{"name": "worker", "replicas": 0}],
        "platform": {platform: PLATFORMS.get(platform, {})},
        "proxy": {"httpProxy": f"http://me:{PROXY}@proxy.example.com:3128"},
        "pullSecret": PULL_SECRET,
        "sshKey": SSH_KEY,
        **changes,
    }
    return {field: value for field, value in values.items() if value is not None}


BLOCK = "capabilities:  # see the page of the team\n  baselineCapabilitySet: None\n"
COMMENTED = f"""\
# Ask the platform team before you change anything.
apiVersion: v1
baseDomain: example.com   # and a comment
metadata: {{name: berlin}}
controlPlane:
    name: master
    replicas: 1
compute:
    - {{name: worker, replicas: 0}}
# What the cluster has of the optional operators.
{BLOCK}  additionalEnabledCapabilities:
  - Ingress   # for the routes
platform:
    none: {{}}
proxy:
    httpProxy: http://me:{PROXY}@proxy.example.com:3128
# Until April: pullSecret: '{OLD_PULL_SECRET}'
pullSecret: '{PULL_SECRET}'
sshKey: "{SSH_KEY}"
# The end.
"""
"""The same values as ``site()`` except capabilities, as a user would write them by hand."""


def leaks(text: str) -> list[str]:
    """Return the parts of planted secrets in ``text``."""
    return sorted(part for part in PARTS if part in text)


def runner(call: Call) -> Callable[..., Outcome]:
    """Return a function that runs the module, by default for 4.20, and checks that the result has no secret."""

    def run(**options: Any) -> Outcome:
        outcome = call(install_config, **{"openshift_version": "4.20", **options})
        assert leaks(json.dumps(outcome.result)) == []
        return outcome

    return run


def selection(*names: str, baseline: str = "None") -> dict[str, Any]:
    """Return a selection in the API's spelling."""
    return {"baselineCapabilitySet": baseline, **({"additionalEnabledCapabilities": list(names)} if names else {})}


def environment(home: Path) -> dict[str, str]:
    """Return the environment for a process that uses this collection, without the settings of the user."""
    inherited = {key: value for key, value in os.environ.items() if not re.match("ANSIBLE_|PYTHON(PATH|HOME)", key)}
    return {
        **inherited,
        "ANSIBLE_CONFIG": str(Path(install_config.__file__).parents[2] / "tools" / "ansible.cfg"),
        "ANSIBLE_HOME": str(home / "ansible"),
        "ANSIBLE_LOCAL_TEMP": str(home / "ansible" / "tmp"),
        "ANSIBLE_COLLECTIONS_PATH": str(COLLECTIONS),
        "ANSIBLE_NOCOLOR": "1",
        "ANSIBLE_PYTHON_INTERPRETER": sys.executable,
        "LC_ALL": "C.UTF-8",
        "PYTHONPATH": os.pathsep.join([str(COLLECTIONS), *(path for path in sys.path if path)]),
    }


_ALONE = """
import json, os, sys
from ansible.module_utils import basic
basic._ANSIBLE_ARGS, basic._ANSIBLE_PROFILE = sys.argv[1].encode(), "legacy"
from ansible_collections.capability.openshift.plugins.modules import install_config
exec(sys.argv[2])
try:
    install_config.main()
finally:
    exec(sys.argv[3])
"""


def run_alone(
    options: dict[str, Any], home: Path, *, before: str = "", after: str = "", prefix: Sequence[str] = ()
) -> subprocess.CompletedProcess[str]:
    """Run the module in a separate process, between the Python code of ``before`` and ``after``."""
    arguments = json.dumps({"ANSIBLE_MODULE_ARGS": {"openshift_version": "4.20", **options}}, default=str)
    command = [*prefix, sys.executable, "-c", _ALONE, arguments, before, after]
    return subprocess.run(command, env=environment(home), capture_output=True, text=True, check=False, timeout=300)
