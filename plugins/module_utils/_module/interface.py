# Copyright: Contributors to the capability.openshift collection
# SPDX-License-Identifier: GPL-3.0-or-later

"""What the code of a module uses of Ansible. So a program without Ansible can run it as well."""

from __future__ import annotations

from typing import Any, NoReturn, Protocol


class Module(Protocol):
    """A running module, such as ``ansible.module_utils.basic.AnsibleModule``."""

    params: dict[str, Any]
    check_mode: bool
    no_log_values: set[str]
    _diff: bool

    def warn(self, warning: str, /) -> None:
        """Show a warning."""

    def exit_json(self, **result: Any) -> NoReturn:
        """End with ``result``."""

    def fail_json(self, msg: str, **result: Any) -> NoReturn:
        """End with ``result``, and fail."""
