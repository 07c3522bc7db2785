# Copyright: Contributors to the capability.openshift collection
# SPDX-License-Identifier: GPL-3.0-or-later

"""The result of install_config as text, for one cluster or for a fleet."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from .._data.consequences import consequences_of
from .._data.install_rules import ASSISTED, HOSTED
from .._problems import plural
from .words import listed, problem_text, sorted_names, table


def summary_lines(result: Mapping[str, Any], options: Mapping[str, Any]) -> list[str]:
    """The selection and what it means, or what is wrong. Several clusters are a table.

    ``options``: ``solution``, ``path``, ``write_valid`` and ``check_mode`` of a task, and the ``prefix`` of a role.
    """
    if "clusters" not in result:
        errors = [problem_text(item) for item in result["problems"] if item["severity"] == "error"]
        return list(_one(result, errors, options)) if "install_method" in result else []
    if len(result["clusters"]) > 1:
        return list(_fleet(result, options))
    return [line for row in result["clusters"] for line in _one(_of_only(row, result), row["errors"], options)]


def _of_only(row: Mapping[str, Any], result: Mapping[str, Any]) -> dict[str, Any]:
    """The only cluster of a fleet as the result of a single one."""
    of = {} if row["selection"] is None else result["selections"][row["selection"]]
    return {"problems": result["problems"], **of, **row, "changed": row["differs"]}


def _one(result: Mapping[str, Any], errors: Sequence[str], options: Mapping[str, Any]) -> Iterator[str]:
    path = result.get("path") or options.get("path")
    asked = f"solution {options['solution']}" if options.get("solution") else "selection"
    yield f"{path or result.get('name') or asked}: {_state(result, errors, options, writes=bool(path))}"
    if "install_method" in result:
        version, platform = result["openshift_version"] or "of unknown version", result["platform"] or "unknown"
        yield f"OpenShift {version}, platform {platform}, install method {result['install_method']}"
    yield from _failed(result, errors) if errors else _valid(result)


def _state(result: Mapping[str, Any], errors: Sequence[str], options: Mapping[str, Any], *, writes: bool) -> str:
    if errors:
        return f"{'not written' if writes else 'not valid'}, {plural(len(errors), 'error')}"
    if not writes:
        is_partial = any(item["code"] == "unchecked-rules" for item in result["problems"])
        return "valid, but not all rules were checked" if is_partial else "valid"
    if not result["changed"]:
        return "unchanged"
    return "would be written" if options.get("check_mode") else "written"


def _failed(result: Mapping[str, Any], errors: Sequence[str]) -> Iterator[str]:
    yield ""
    yield from (f"error: {error}" for error in errors)
    suggested = result.get("suggested_capabilities")
    if suggested and result["install_method"] != HOSTED:  # a HostedCluster has neither a set nor a list
        which = "" if result["platform"] else ", apart from rules that depend on the platform"
        yield f"This selection is valid{which}: {_selection(suggested)}"


def _valid(result: Mapping[str, Any]) -> Iterator[str]:
    method, capabilities = result["install_method"], result["capabilities"]
    if method == HOSTED:
        yield from _of_hosted_cluster(result["hosted_cluster_spec"].get("capabilities", {}))
    else:
        yield f"selection: {_selection(capabilities)}"
        if capabilities and not result.get("path"):
            yield _to_paste(method, result)
    yield from (f"reason: {reason}" for reason in result["explanation"])
    enabled, known = result["enabled_capabilities"], result["known_capabilities"]
    yield f"enabled: {len(enabled)} of {len(known)} capabilities: {listed(sorted_names(enabled))}"
    yield from _consequences(sorted_names(set(known) - set(enabled)))


def _to_paste(method: str, result: Mapping[str, Any]) -> str:
    if method == ASSISTED:
        return f"installConfigOverrides: '{result['install_config_overrides']}'"
    return f"install-config.yaml: capabilities: {json.dumps(result['capabilities'])}"


def _selection(capabilities: Mapping[str, Any]) -> str:
    if not capabilities:
        return "none, which is the cluster default (vCurrent)"
    names = capabilities.get("additionalEnabledCapabilities") or ()
    return ", with ".join(filter(None, (f"capability set {capabilities['baselineCapabilitySet']}", ", ".join(names))))


def _of_hosted_cluster(capabilities: Mapping[str, Any]) -> Iterator[str]:
    if not capabilities:
        yield "HostedCluster: no spec.capabilities, because nothing differs from the default of HyperShift"
        return
    yield f"HostedCluster: spec.capabilities: {json.dumps(capabilities)}"
    flags = {"enabled": "--enable-cluster-capabilities", "disabled": "--disable-cluster-capabilities"}
    chosen = [f"{flag}={','.join(capabilities[field])}" for field, flag in flags.items() if capabilities.get(field)]
    yield f"hcp create cluster: {' '.join(chosen)}"


def _consequences(disabled: Sequence[str]) -> Iterator[str]:
    """The first consequence of each disabled capability."""
    for name in disabled:
        yield from (f"without {name}: {item.text}" for item in consequences_of([name])[:1])


def _fleet(result: Mapping[str, Any], options: Mapping[str, Any]) -> Iterator[str]:
    clusters = result["clusters"]
    titles = ("CLUSTER", "VERSION", "PLATFORM", "METHOD", "SELECTION", "ENABLED", "FILE", "STATE")
    yield from table([titles, *(_row(item, result["selections"]) for item in clusters)])
    for item in (item for item in clusters if item["errors"]):
        yield ""
        yield f"{item['name']}:"
        for error in item["errors"]:
            first, *rest = error.splitlines()
            yield f"  - {first}"
            yield from (f"    {line}" for line in rest)
    yield ""
    yield _verdict(clusters, options)


def _row(item: Mapping[str, Any], selections: Sequence[Mapping[str, Any]]) -> tuple[str, ...]:
    of = {} if item["selection"] is None else selections[item["selection"]]
    about = [of.get(key) or "" for key in ("openshift_version", "platform", "install_method")]
    if item["errors"]:
        return (item["name"], *about, "", "", "", plural(len(item["errors"]), "error"))
    if of["install_method"] == HOSTED:
        fields = of["hosted_cluster_spec"].get("capabilities", {})
        selection = "; ".join(f"{field}: {_short(names)}" for field, names in fields.items()) or "the default"
    else:
        capabilities = of.get("capabilities") or {}
        more = _short(capabilities.get("additionalEnabledCapabilities") or [])
        selection = " + ".join(filter(None, (capabilities.get("baselineCapabilitySet", "the default"), more)))
    enabled = f"{len(of['enabled_capabilities'])}/{len(of['known_capabilities'])}"
    file = "" if item["path"] is None else "changes" if item["differs"] else "unchanged"
    return (item["name"], *about, selection, enabled, file, "OK")


def _short(names: Sequence[str]) -> str:
    return ", ".join(names) if len(names) < 4 else f"{len(names)} names"


def _verdict(clusters: Sequence[Mapping[str, Any]], options: Mapping[str, Any]) -> str:
    valid = [item for item in clusters if not item["errors"]]
    counts = f"{len(valid) or 'None'} of {len(clusters)} clusters {'is' if len(valid) < 2 else 'are'} valid."
    if len(valid) == len(clusters):
        return counts
    if all(item["path"] is None for item in valid):  # such as hosted clusters, which have no file
        return f"{counts} Nothing was written."
    if options.get("write_valid"):
        return f"{counts} Files that changed {'would be' if options.get('check_mode') else 'were'} written."
    return f"{counts} Nothing was written. To write the valid ones, set {options.get('prefix', '')}write_valid."
