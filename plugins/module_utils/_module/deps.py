# Copyright: Contributors to the capability.openshift collection
# SPDX-License-Identifier: GPL-3.0-or-later

# Note that this module util is **PRIVATE** to the collection. It can have breaking changes at any time.

"""Python libraries that a module needs on its host in any case. Others are reported where they are imported."""

from __future__ import annotations

from importlib.util import find_spec
from typing import TYPE_CHECKING

from .._problems import CapabilityError, missing_library
from .result import fail

if TYPE_CHECKING:
    from ansible.module_utils.basic import AnsibleModule


def require_yaml(module: AnsibleModule) -> None:
    """Fail the module if PyYAML is missing. It is not imported here, because importing is slow."""
    _require(module, "yaml", "PyYAML")


def require_jinja2(module: AnsibleModule) -> None:
    """Fail the module if Jinja2 is missing."""
    _require(module, "jinja2", "Jinja2")


def require_urllib3(module: AnsibleModule) -> None:
    """Fail the module if urllib3 is missing."""
    _require(module, "urllib3", "urllib3")


def _require(module: AnsibleModule, package: str, library: str) -> None:
    if find_spec(package) is None:
        fail(module, CapabilityError([missing_library(library)]))
