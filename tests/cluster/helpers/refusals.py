# Copyright: Contributors to the capability.openshift collection
# SPDX-License-Identifier: GPL-3.0-or-later

"""Checks of tasks that fail, and kubeconfigs that make them fail."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import yaml

from ansible_collections.capability.openshift.tests.unit.run_module import Outcome

TOKEN = "sha256~Zm9vYmFyYmF6cXV4cXV1eA"


def refused(outcome: Outcome, code: str, *parts: str) -> str:
    """Check that a module failed with one error of ``code``, a hint, and no secret.

    Returns its message, which contains all ``parts``.
    """
    message = outcome.message
    for part in parts:
        assert part in message, message
    (problem,) = outcome.errors
    assert problem["code"] == code, message
    assert problem["hint"]
    printed = json.dumps(outcome.result)
    assert TOKEN not in printed
    assert "PRIVATE KEY" not in printed
    assert "\n" not in message
    return message


def written(path: Path, document: Any) -> Path:
    path.write_text(document if isinstance(document, str) else yaml.safe_dump(document), encoding="utf-8")
    return path
