# Copyright: Contributors to the capability.openshift collection
# SPDX-License-Identifier: GPL-3.0-or-later

# Note that this module util is **PRIVATE** to the collection. It can have breaking changes at any time.

"""The result of install_config as text, for one cluster or for a fleet."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from itertools import groupby
from typing import Any

from .._problems import plural
from .words import listed, problem_line


def summary_lines(result: Mapping[str, Any], options: Mapping[str, Any]) -> list[str]:
    """The selection and what it means, or what is wrong. With the option ``full``, all consequences and notes."""
    if "clusters" in result:
        return list(_fleet(result, options))
    return list(_one(result, options)) if "install_method" in result else []


def _one(result: Mapping[str, Any], options: Mapping[str, Any]) -> Iterator[str]:
    errors = [item for item in result["problems"] if item["severity"] == "error"]
    if errors:
        yield f"{options.get('path') or 'install-config'}: not written, {plural(len(errors), 'error')}"
    else:
        yield f"{result.get('path', 'hosted cluster')}: {_state(result, options)}"
    version, method = result["openshift_version"] or "of unknown version", result["install_method"]
    yield f"OpenShift {version}, platform {result['platform'] or 'unknown'}, install method {method}"
    yield from _failed(result, errors) if errors else _valid(result, full=bool(options.get("full")))


def _state(result: Mapping[str, Any], options: Mapping[str, Any]) -> str:
    if "path" not in result:
        return "not written to a file"
    if not result["changed"]:
        return "unchanged"
    return "would be written" if options.get("check_mode") else "written"


def _failed(result: Mapping[str, Any], errors: Sequence[Mapping[str, Any]]) -> Iterator[str]:
    yield ""
    yield from map(problem_line, errors)
    suggested = result.get("suggested_capabilities")
    if suggested:
        names = ", ".join(suggested.get("additionalEnabledCapabilities") or ())
        baseline = suggested["baselineCapabilitySet"]
        yield f"This selection meets every rule: {baseline}{f' and {names}' if names else ''}"


def _valid(result: Mapping[str, Any], *, full: bool) -> Iterator[str]:
    capabilities = result["capabilities"] or {}
    names = capabilities.get("additionalEnabledCapabilities") or []
    baseline = "none, which is the cluster default (vCurrent)"
    if capabilities:
        baseline = f"capability set {capabilities['baselineCapabilitySet']}"
    yield f"selection: {', with '.join(filter(None, (baseline, ', '.join(names))))}"
    if "path" not in result:
        yield f"HostedCluster spec: {json.dumps(result['hosted_cluster_spec'])}"
    yield from (f"reason: {reason}" for reason in result["explanation"])
    enabled, known = result["enabled_capabilities"], result["known_capabilities"]
    others = [name for name in enabled if name not in names]
    listing = listed([*(["those of the selection"] if names else []), *others])
    yield f"enabled: {len(enabled)} of {len(known)} capabilities: {listing}"
    yield from _consequences(result["consequences"], full=full)
    yield from (problem_line(item) for item in result["problems"] if full or item["severity"] == "warning")
    if "backup_file" in result:
        yield f"backup: {result['backup_file']}"


def _consequences(consequences: Sequence[Mapping[str, Any]], *, full: bool) -> Iterator[str]:
    ordered = sorted(consequences, key=lambda item: str(item["capability"]).lower())
    for name, items in groupby(ordered, key=lambda item: item["capability"]):
        for item in list(items) if full else [next(items)]:
            source = f" ({item['source']})" if full else ""
            yield f"without {name}: {item['text']}{source}"


def _fleet(result: Mapping[str, Any], options: Mapping[str, Any]) -> Iterator[str]:
    clusters = result["clusters"]
    rows = [_row(item, result["selections"]) for item in clusters]
    titles = ("CLUSTER", "VERSION", "PLATFORM", "METHOD", "SELECTION", "ENABLED", "FILE", "STATE")
    least = (7, 7, 8, 8, 9, 7, 9, 0)
    widths = [max(low, *(len(row[at]) for row in rows), 0) for at, low in enumerate(least)]
    for row in (titles, *rows):
        yield "  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)).rstrip()
    invalid = [item for item in clusters if item["errors"]]
    for item in invalid:
        yield ""
        yield f"{item['name']}:"
        for error in item["errors"]:
            first, *rest = error.splitlines()
            yield f"  - {first}"
            yield from (f"    {line}" for line in rest)
    yield ""
    yield _verdict(len(clusters), len(invalid), options)


def _row(item: Mapping[str, Any], selections: Sequence[Mapping[str, Any]]) -> tuple[str, ...]:
    of = {} if item["selection"] is None else selections[item["selection"]]
    about = [of.get(key) or "" for key in ("openshift_version", "platform", "install_method")]
    if item["errors"]:
        return (item["name"], *about, "", "", "", plural(len(item["errors"]), "error"))
    capabilities = of.get("capabilities") or {}
    names = capabilities.get("additionalEnabledCapabilities") or []
    more = ", ".join(names) if len(names) < 4 else f"{len(names)} names"
    selection = " + ".join(filter(None, (capabilities.get("baselineCapabilitySet", "the default"), more)))
    enabled = f"{len(of['enabled_capabilities'])}/{len(of['known_capabilities'])}"
    file = "" if item["path"] is None else "changes" if item["differs"] else "unchanged"
    return (item["name"], *about, selection, enabled, file, "OK")


def _verdict(total: int, invalid: int, options: Mapping[str, Any]) -> str:
    if not invalid:
        return f"{total} of {total} clusters are valid."
    if invalid == total:
        return f"None of {total} clusters is valid. Nothing was written."
    valid = f"{total - invalid} of {total} clusters are valid."
    if options.get("write_valid"):
        return f"{valid} Only these {'would be' if options.get('check_mode') else 'were'} written, if they changed."
    return f"{valid} Nothing was written. To write the valid ones set write_valid."
