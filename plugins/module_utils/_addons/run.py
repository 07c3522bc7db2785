# Copyright: Contributors to the capability.openshift collection
# SPDX-License-Identifier: GPL-3.0-or-later

"""Checks add-ons against a release and a selection, or against every selection."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import Any, NamedTuple

from .._capability.cluster_options import ClusterOptions
from .._capability.hosted_cluster import selectable_names
from .._capability.resolved_release import resolve_cluster
from .._data.capabilities import NONE
from .._problems import CapabilityError, InvalidOptionError, Problem, Problems
from .._release.release import Release
from .check import VERDICTS, CheckedAddon, ProvidedObjects, check_addon
from .cluster import Names, selected_cluster
from .objects import CSV
from .reader import ReadOptions, common_directory, read_addons


class AddonsResult(NamedTuple):
    """The findings, the directory that their paths are relative to, and the further keys of the result."""

    findings: tuple[Problem, ...]
    directory: str
    objects: int
    keys: dict[str, Any]


def check_addons(
    names: Sequence[str], release: Release, cluster: ClusterOptions, options: ReadOptions, problems: Problems
) -> AddonsResult:
    """Check the add-ons ``names``, each of which is installed after the ones before.

    Without a selection in ``cluster``, check what they need of any selection. Raises ``CapabilityError``.
    """
    if not names:
        problems.error("empty-list", "addons", "is empty", "Name files, directories or images")
    every = cluster.capabilities is None and cluster.solution is None and not cluster.gives_status
    if every and cluster.hosted and release.minor:
        excluded = sorted(selectable_names(release.minor).disabled)
        cluster = cluster._replace(capabilities={"excluded_capabilities": excluded})
    elif every:
        cluster = cluster._replace(capabilities={"baseline_capability_set": NONE})
    context, _status = resolve_cluster(cluster, release, problems)
    selected = selected_cluster(release, context, hosted=cluster.hosted)
    installed = selected.kind(*CSV)
    # A bundle is for clusters with OLM, so OLM is not what it lacks.
    for_bundles = selected
    if every and installed:
        for_bundles = selected_cluster(release, context, installed.needs, hosted=cluster.hosted)
    directory, findings, brought = common_directory(names), Problems(), ProvidedObjects()
    rows: list[dict[str, Any]] = []
    objects: list[dict[str, Any]] = []
    needs: Counter[Names] = Counter()
    repeated: Counter[str] = Counter()
    count, unwanted, packages = 0, 0, set(options.packages)
    for index, name in enumerate(names):
        if name in names[:index]:
            continue
        where, before = f"addons[{index}]", (count, unwanted, repeated.total(), len(findings), len(problems))
        with problems.collect(CapabilityError):
            for addon in read_addons(name, where, directory, options, repeated, findings):
                if addon.name and not addon.objects:
                    unwanted += 1
                    continue
                packages.discard(addon.package)
                target = for_bundles if addon.installer == "olm" else selected
                checked, brought = check_addon(addon, target, brought)
                findings += checked.findings
                rows.append(_row(checked))
                objects += _objects(checked)
                count += len(checked.objects)
                needs.update(item.capabilities for item in checked.objects if item.capabilities)
        if before == (count, unwanted, repeated.total(), len(findings), len(problems)):
            message = f"is {name}, which contains no object to check"
            problems.error("no-objects", where, message, "Name files or directories with manifests")
    if packages:
        message = f"no catalog in addons has a bundle of {', '.join(sorted(packages))}"
        problems.error("unknown-package", "packages", message, "Correct the names, or name their catalogs")
    problems.raise_errors(InvalidOptionError)
    keys = {
        "version": release.version,
        "enabled_capabilities": sorted(selected.enabled),
        "every_selection": every,
        "addons": rows,
        "objects": objects,
        "repairs": [
            {"capabilities": list(key), "objects": number, "manifests": selected.added_manifests(key)}
            for key, number in sorted(needs.items())
        ],
    }
    return AddonsResult(tuple(findings), directory, count, keys)


def _row(checked: CheckedAddon) -> dict[str, Any]:
    verdicts = Counter(item.verdict for item in checked.objects)
    return {
        "path": checked.addon.path,
        "name": checked.addon.name,
        "installer": checked.addon.installer,
        **{verdict: verdicts[verdict] for verdict in VERDICTS},
        "needs": sorted({name for item in checked.objects for name in item.needs}),
    }


def _objects(checked: CheckedAddon) -> list[dict[str, Any]]:
    """The objects of an add-on. Those of a catalog that are fine are left out: it can have a hundred thousand."""
    return [
        {
            "path": item.item.manifest.file,
            "line": item.item.line,
            "resource": checked.addon.location(item.item).field,
            "verdict": item.verdict,
            "capabilities": list(item.capabilities),
        }
        for item in checked.objects
        if item.verdict != "fine" or not checked.addon.name
    ]
