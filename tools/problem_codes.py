# Copyright: Contributors to the capability.openshift collection
# SPDX-License-Identifier: GPL-3.0-or-later

"""Find the codes of problems in the sources: each string that reaches a parameter or a field with the name ``code``.

A string reaches it directly, through a variable or a constant of its file, as an item of a tuple or of a dict, or as
what a function of its file returns. A code that is copied from another problem is found where that one is made.
"""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path

CODE = "code"
FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef)


def find_codes(paths: Iterable[Path]) -> dict[str, set[Path]]:
    """Return each code in the sources, with the files that contain it."""
    trees = {path: ast.parse(path.read_text(encoding="utf-8")) for path in paths}
    sinks = dict(sink for tree in trees.values() for sink in find_sinks(tree))
    found: dict[str, set[Path]] = {}
    for path, tree in trees.items():
        for code in Source(tree, sinks).codes():
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


class Source:
    """One file."""

    def __init__(self, tree: ast.Module, sinks: Mapping[str, int]) -> None:
        self.tree, self.sinks = tree, sinks
        self.functions = {node.name: node for node in ast.walk(tree) if isinstance(node, FUNCTIONS)}

    def codes(self) -> Iterator[str]:
        """Yield each code that the file makes."""
        scopes = [*self.functions.values(), self.tree]
        for scope in scopes:
            for node in ast.walk(scope):
                if isinstance(node, ast.Call) and (argument := self.argument(node)) is not None:
                    yield from self.values(argument, scope)

    def argument(self, call: ast.Call) -> ast.expr | None:
        """Return the code of a call."""
        for keyword in call.keywords:
            if keyword.arg == CODE:
                return keyword.value
        name = getattr(call.func, "attr", getattr(call.func, "id", None))
        position = self.sinks.get(name or "")
        if position is None or len(call.args) <= position:
            return None
        return call.args[position]

    def values(self, node: ast.expr, scope: ast.AST, item: int | None = None) -> Iterator[str]:
        """Yield the strings that an expression can be; of a tuple, the one at ``item``."""
        if isinstance(node, ast.Constant) and isinstance(node.value, str) and node.value:
            yield node.value
        elif isinstance(node, ast.IfExp):
            yield from self.values(node.body, scope, item)
            yield from self.values(node.orelse, scope, item)
        elif isinstance(node, ast.BoolOp):
            for value in node.values:
                yield from self.values(value, scope, item)
        elif isinstance(node, ast.Tuple) and item is not None:
            yield from self.values(node.elts[item], scope)
        elif isinstance(node, ast.Dict):
            for value in node.values:
                yield from self.values(value, scope, item)
        elif isinstance(node, ast.Subscript):
            index = node.slice.value if isinstance(node.slice, ast.Constant) else item
            yield from self.values(node.value, scope, index if isinstance(index, int) else item)
        elif isinstance(node, ast.Call):
            yield from self.returned(node, scope, item)
        elif isinstance(node, ast.Name):
            for value, index in self.assigned(node.id, scope):
                yield from self.values(value, scope, item if index is None else index)

    def returned(self, call: ast.Call, scope: ast.AST, item: int | None) -> Iterator[str]:
        """Yield what a function of this file returns, or a method of a dict."""
        if isinstance(call.func, ast.Attribute) and call.func.attr == "get":
            yield from self.values(call.func.value, scope, item)
            for default in call.args[1:]:
                yield from self.values(default, scope, item)
        elif isinstance(call.func, ast.Name) and (function := self.functions.get(call.func.id)):
            for node in ast.walk(function):
                if isinstance(node, ast.Return) and node.value is not None:
                    yield from self.values(node.value, function, item)

    def assigned(self, name: str, scope: ast.AST) -> Iterator[tuple[ast.expr, int | None]]:
        """Yield what is assigned to a variable in its function, or else in the file, and its position in a tuple."""
        for place in (scope, self.tree):
            found = [hit for node in ast.walk(place) for hit in assignment(node, name)]
            if found:
                yield from found
                return


def assignment(node: ast.AST, name: str) -> Iterator[tuple[ast.expr, int | None]]:
    """Yield the value that a statement assigns to a variable, and its position in a tuple."""
    if isinstance(node, ast.Assign):
        for target in node.targets:
            if isinstance(target, ast.Name) and target.id == name:
                yield node.value, None
            elif isinstance(target, ast.Tuple):
                names = [getattr(element, "id", None) for element in target.elts]
                if name in names:
                    yield node.value, names.index(name)
    elif isinstance(node, ast.AnnAssign | ast.NamedExpr) and getattr(node.target, "id", None) == name and node.value:
        yield node.value, None
