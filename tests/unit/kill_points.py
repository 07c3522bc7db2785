# Copyright: Contributors to the capability.openshift collection
# SPDX-License-Identifier: GPL-3.0-or-later

"""A process that is killed, played by a call of ``os`` that ends everything."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import pytest


class Killed(BaseException):
    """Stands for a process that ends here."""


@contextmanager
def killed_after(survived: int, name: str, monkeypatch: pytest.MonkeyPatch) -> Iterator[list[bool]]:
    """Let ``survived`` calls of ``os.NAME`` pass and kill at the next; the list is not empty if it came to that."""
    real = getattr(os, name)
    passed: list[None] = []
    killed: list[bool] = []

    def call(*arguments: Any, **options: Any) -> Any:
        if len(passed) == survived:
            raise Killed
        passed.append(None)
        return real(*arguments, **options)

    with monkeypatch.context() as patch:
        patch.setattr(os, name, call)
        try:
            yield killed
        except Killed:
            killed.append(True)
