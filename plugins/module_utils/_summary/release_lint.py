# Copyright: Contributors to the capability.openshift collection
# SPDX-License-Identifier: GPL-3.0-or-later

"""The result of release_lint as text."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from .._problems import plural, sentence
from .words import first_lines, resource_text

_MOST_OF_A_CAUSE = 3
_MOST = 20


def summary_lines(result: Mapping[str, Any], _options: Mapping[str, Any]) -> list[str]:
    """The findings. Of a checkout, one entry for each cause, and the changes of the manifests."""
    if "resources" in result:
        return list(_checkout(result))
    return list(result.get("text", "").splitlines())


def _checkout(result: Mapping[str, Any]) -> Iterator[str]:
    yield f"{plural(len(result['resources']), 'manifest')} for OpenShift {result['version']}"
    causes: dict[tuple[str, ...], list[Mapping[str, Any]]] = {}
    for finding in result["findings"]:
        causes.setdefault((finding["severity"], finding["rule"], finding["hint"]), []).append(finding)
    for (severity, rule, hint), findings in causes.items():
        yield ""
        noun = "resource" if findings[0]["resource"] else "file"
        number = plural(len(findings), noun) if len(findings) > 1 else ""
        shared = findings[0]["message"] if len({finding["message"] for finding in findings}) == 1 else ""
        yield f"{severity} [{rule}] {': '.join(filter(None, (number, shared)))}"
        words = ((*_place(finding), "" if shared else finding["message"]) for finding in findings)
        yield from first_lines((f"    {': '.join(filter(None, each))}" for each in words), _MOST_OF_A_CAUSE, "    ")
        if hint:
            yield f"    {sentence(hint)}"
    if result["merge_base"]:
        changed = (*result["resources"], *result["removed"])
        lines = list(_differences(f"Changes since {result['merge_base']}", "changes", changed))
        yield from lines or ("", f"Changes since {result['merge_base']}: none")
    yield from _differences("Different in the release", "in_release", result["resources"])
    yield ""
    yield result["text"].splitlines()[-1]


def _place(finding: Mapping[str, Any]) -> tuple[str, str]:
    return f"{finding['path']}:{finding['line']}" if finding["line"] else finding["path"], finding["resource"]


def _differences(title: str, key: str, items: Iterable[Mapping[str, Any]]) -> Iterator[str]:
    """Yield the manifests that differ, those with the same difference together."""
    found: dict[str, list[str]] = {}
    for item in items:
        if item[key]:
            found.setdefault("; ".join(item[key]), []).append(f"{item['file']} {resource_text(item)}")
    if found:
        yield ""
        yield f"{title}:"
    for difference, places in list(found.items())[:_MOST]:
        if len(places) <= _MOST_OF_A_CAUSE:
            yield from (f"  {place}: {difference}" for place in places)
            continue
        yield f"  {difference}: {plural(len(places), 'manifest')}"
        yield from first_lines((f"    {place}" for place in places), _MOST_OF_A_CAUSE, "    ")
    if len(found) > _MOST:
        yield f"  and {len(found) - _MOST} more"
