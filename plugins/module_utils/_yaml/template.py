# Copyright: Contributors to the capability.openshift collection
# SPDX-License-Identifier: GPL-3.0-or-later

"""Decides whether a file is a template of YAML or broken. Many valid files contain expressions, such as alerts."""

from __future__ import annotations

import re
from collections.abc import Callable

from .values import YamlError

# None of these contains the beginning of another, so a search takes linear time.
_EXPRESSION = "|".join(
    (r"\{\{(?:[^{}]|\{(?!\{)|\}(?!\}))*\}\}", r"\{%(?:[^{%]|\{(?!%)|%(?!\}))*%\}", r"\$\{[^{}\n]*\}")
)
"""An expression of Helm, Jinja or ACM, or a variable of Flux, Kustomize or a Template."""

_EXPRESSIONS = re.compile(_EXPRESSION)
_LINES = re.compile(rf"^[ \t]*(?:(?:{_EXPRESSION})[ \t]*)+\r?$", re.MULTILINE)


def is_template(text: str, read: Callable[[str], object]) -> bool:
    """Whether ``text``, which ``read`` rejects, is a template of YAML.

    One has a line that consists of expressions, or ``read`` does not raise ``YamlError`` if a word replaces each.
    """
    if "\0" in text:
        return False
    if _LINES.search(text):
        return True
    replaced = _EXPRESSIONS.sub("x", text)
    if replaced == text:
        return False
    try:
        read(replaced)
    except YamlError:
        return False
    return True
