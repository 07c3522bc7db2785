# Copyright: Contributors to the capability.openshift collection
# SPDX-License-Identifier: GPL-3.0-or-later

"""Values as Ansible reads them from an inventory: from ansible-core 2.19 on, only trusted ones are templates."""

from __future__ import annotations

from typing import Any

try:
    from ansible.template import trust_as_template
except ImportError:  # before ansible-core 2.19

    def trust_as_template(value: str) -> str:  # type: ignore[misc]
        """Return ``value``: each text can be a template."""
        return value


def template(value: Any) -> Any:
    """Return ``value`` with all texts in it as templates."""
    if isinstance(value, dict):
        return {key: template(item) for key, item in value.items()}
    if isinstance(value, list):
        return [template(item) for item in value]
    return trust_as_template(value) if isinstance(value, str) else value
