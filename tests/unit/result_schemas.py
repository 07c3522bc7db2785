# Copyright: Contributors to the capability.openshift collection
# SPDX-License-Identifier: GPL-3.0-or-later

"""What a module returned, compared with what it documents: schemas/results, which tools/schemas.py writes."""

from __future__ import annotations

import json
from functools import cache
from pathlib import Path
from typing import Any

from jsonschema import Draft202012Validator

RESULTS = Path(__file__).parents[2] / "schemas" / "results"


def check_result(module: str, result: dict[str, Any]) -> None:
    """Fail if a result of a module has a key or a type that its documentation does not have, or lacks a key."""
    differences = [f"{error.json_path}: {error.message[:1000]}" for error in _validator(module).iter_errors(result)]
    assert not differences, f"{module} returned what it does not document:\n" + "\n".join(differences)


@cache
def _validator(module: str) -> Any:
    return Draft202012Validator(json.loads((RESULTS / f"{module}.json").read_text("utf-8")))
