# Copyright: Contributors to the capability.openshift collection
# SPDX-License-Identifier: GPL-3.0-or-later

"""Find the codes of problems in the sources: each string that can reach a parameter or a field with the name ``code``.

A string reaches it directly, or with a hyphen in it through variables, constants and functions of the same file. A code
that is copied from another problem is found where that one is made.
"""

from __future__ import annotations

import ast
import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path

CODE = "code"
HYPHENATED = re.compile(r"[a-z]+(-[a-z0-9]+)+")
FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef)

Definitions = Mapping[str, list[ast.expr]]
Trees = Mapping[Path, ast.Module]


def parse(paths: Iterable[Path]) -> Trees:
    """Return the trees of the sources."""
    return {path: ast.parse(path.read_text(encoding="utf-8")) for path in paths}


def find_codes(trees: Trees) -> dict[str, set[Path]]:
    """Return each code in the sources, with the files that contain it."""
    sinks = dict(sink for tree in trees.values() for sink in find_sinks(tree))
    found: dict[str, set[Path]] = {}
    for path, tree in trees.items():
        for code in codes_in(tree, sinks):
            found.setdefault(code, set()).add(path)
    return found


def find_sinks(tree: ast.Module) -> Iterator[tuple[str, int]]:
    """Yield the name of each function or class that takes a code, and the position of the code in a call."""
    for node in ast.walk(tree):
        if isinstance(node, ast.ClassDef):
            fields = [ast.unparse(item.target) for item in node.body if isinstance(item, ast.AnnAssign)]
            if CODE in fields:
                yield node.name, fields.index(CODE)
            for item in node.body:
                # Of a class with __new__ or __init__, the name in a call is that of the class.
                if isinstance(item, FUNCTIONS) and CODE in names_of(item):
                    is_constructor = item.name in ("__new__", "__init__")
                    yield node.name if is_constructor else item.name, names_of(item).index(CODE) - 1
        elif isinstance(node, FUNCTIONS) and CODE in names_of(node) and names_of(node)[0] not in ("self", "cls"):
            yield node.name, names_of(node).index(CODE)


def names_of(function: ast.FunctionDef | ast.AsyncFunctionDef) -> list[str]:
    """Return the names of the positional parameters."""
    return [parameter.arg for parameter in function.args.args]


def codes_in(tree: ast.Module, sinks: Mapping[str, int]) -> Iterator[str]:
    """Yield each code that a file makes."""
    known = definitions(tree)
    for node in ast.walk(tree):
        argument = code_of(node, sinks) if isinstance(node, ast.Call) else None
        if isinstance(argument, ast.Constant):
            yield from filter(None, [argument.value])
        elif argument is not None:
            yield from filter(HYPHENATED.fullmatch, strings(argument, known))


def definitions(tree: ast.Module) -> Definitions:
    """Return what a file assigns to each variable, and what each of its functions returns."""
    found: dict[str, list[ast.expr]] = defaultdict(list)
    for node in ast.walk(tree):
        if isinstance(node, ast.Assign | ast.AnnAssign | ast.NamedExpr) and node.value:
            targets = node.targets if isinstance(node, ast.Assign) else [node.target]
            for name in (part for target in targets for part in ast.walk(target) if isinstance(part, ast.Name)):
                found[name.id].append(node.value)
        elif isinstance(node, FUNCTIONS):
            returned = (item.value for item in ast.walk(node) if isinstance(item, ast.Return))
            found[node.name] += filter(None, returned)
    return found


def code_of(call: ast.Call, sinks: Mapping[str, int]) -> ast.expr | None:
    """Return the code of a call."""
    for keyword in call.keywords:
        if keyword.arg == CODE:
            return keyword.value
    position = sinks.get(getattr(call.func, "attr", getattr(call.func, "id", "")))
    return None if position is None or len(call.args) <= position else call.args[position]


def strings(expression: ast.expr, known: Definitions, seen: frozenset[str] = frozenset()) -> Iterator[str]:
    """Yield the strings in an expression, and in what its names stand for."""
    for node in ast.walk(expression):
        if isinstance(node, ast.Constant) and isinstance(node.value, str):
            yield node.value
        elif isinstance(node, ast.Name) and node.id not in seen:
            for value in known.get(node.id, ()):
                yield from strings(value, known, seen | {node.id})
