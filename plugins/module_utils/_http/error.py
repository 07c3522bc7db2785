# Copyright: Contributors to the capability.openshift collection
# SPDX-License-Identifier: GPL-3.0-or-later

"""The error of a request that gets no answer."""

from __future__ import annotations


class HttpError(Exception):
    """The text is the message of a problem; ``code`` and ``hint`` are its other fields.

    ``final``: the same request would fail again.
    """

    def __init__(self, code: str, message: str, hint: str, *, final: bool = True) -> None:
        super().__init__(message)
        self.code, self.hint, self.final = code, hint, final
