# Copyright: Contributors to the capability.openshift collection
# SPDX-License-Identifier: GPL-3.0-or-later

# Note that this module util is **PRIVATE** to the collection. It can have breaking changes at any time.

"""A manifest that breaks a rule, before its line is known."""

from __future__ import annotations

from typing import NamedTuple

from .._findings.finding import Finding
from .._problems import Severity
from .._release.manifest import Manifest
from .rules import RULES_BY_ID
from .source import LintSource


class Breach(NamedTuple):
    """A manifest that breaks ``rule``.

    ``hint`` and ``severity`` replace those of the rule. ``key`` is a text in the manifest whose line is to blame. If
    ``manifest`` is one of the previous release, ``is_gone`` is set, and the finding has no file.
    """

    rule: str
    manifest: Manifest
    message: str
    hint: str = ""
    key: str = ""
    severity: Severity | None = None
    is_gone: bool = False

    def finding(self, source: LintSource) -> Finding:
        """The finding, with its location in ``source``."""
        rule, resource = RULES_BY_ID[self.rule], str(self.manifest.resource_id)
        file = "" if self.is_gone else self.manifest.file
        line = 0 if self.is_gone else source.line_of(self.manifest, self.key)
        hint = self.hint.removesuffix(".") or rule.hint
        return Finding(self.rule, self.severity or rule.severity, file, line, resource, self.message, hint)
