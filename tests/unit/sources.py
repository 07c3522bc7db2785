# Copyright: Contributors to the capability.openshift collection
# SPDX-License-Identifier: GPL-3.0-or-later

"""The Python files of the collection and of its tests as syntax trees, parsed once for all tests that look at them."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Mapping
from functools import cache
from pathlib import Path

ROOT = Path(__file__).parents[2]


@cache
def trees(folder: str) -> Mapping[Path, ast.Module]:
    """Return the trees of all files of a folder of the checkout."""
    return {path: ast.parse(path.read_text("utf-8")) for path in sorted((ROOT / folder).rglob("*.py"))}


def literals(tree: ast.Module) -> Iterator[str]:
    """Yield the string literals of a file, also the constant parts of f-strings, without docstrings."""
    docstrings = {id(node.value) for node in ast.walk(tree) if isinstance(node, ast.Expr)}
    for node in ast.walk(tree):
        if isinstance(node, ast.Constant) and isinstance(node.value, str) and id(node) not in docstrings:
            yield node.value.strip()
