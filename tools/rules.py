#!/usr/bin/env python
# Copyright: Contributors to the capability.openshift collection
# SPDX-License-Identifier: GPL-3.0-or-later

"""Write the pages of rules and problems in docs/reference from the data of the collection.

Usage: .venv/bin/python tools/rules.py [--check]    --check: change nothing, and end with 1 if a page is not current.
"""

from __future__ import annotations

import sys
from collections.abc import Iterable, Iterator

from environment import ROOT
from generated import GeneratedError, with_part, write_or_compare
from rule_pages import example, pages

from ansible_collections.capability.openshift.plugins.module_utils._data.bootstrap_resources import (
    BOOTSTRAP_OBJECTS,
    BOOTSTRAP_RESOURCES,
    bootstrap_renderer,
)
from ansible_collections.capability.openshift.plugins.module_utils._data.capabilities import (
    ALWAYS_ENABLED,
    BRANCHES,
    CAPABILITIES,
    FORCED_CAPABILITIES,
    SET_AMENDMENTS,
    newest_minor,
)
from ansible_collections.capability.openshift.plugins.module_utils._data.consequences import CONSEQUENCES
from ansible_collections.capability.openshift.plugins.module_utils._data.dependencies import DEPENDENCIES, all_rules
from ansible_collections.capability.openshift.plugins.module_utils._data.hosted_clusters import (
    DEFAULT_DISABLED_SINCE,
    DELETED_FILES,
    SELECTABLE_SINCE,
)
from ansible_collections.capability.openshift.plugins.module_utils._data.install_rules import INSTALL_METHODS, Rule
from ansible_collections.capability.openshift.plugins.module_utils._data.solutions import SOLUTIONS, Solution
from ansible_collections.capability.openshift.plugins.module_utils._version import Minor

PAGE = ROOT / "docs" / "reference" / "rules.md"

LAYERS = {
    "installer": "Enforced by openshift-install before a machine boots, for the install methods in the table.",
    "ClusterVersion": "Enforced by the ClusterVersion CRD, at installation and whenever the selection changes.",
    "HostedCluster": "Enforced by the HostedCluster CRD of hosted control planes.",
    "documentation": "Documented, but not enforced. Violations are warnings.",
}


def main() -> int:
    """Write the pages, or compare them."""
    head = f"The rules are those of OpenShift {min(BRANCHES)} to {newest_minor()}.\n"
    facts = (*rules(), *operator(), *bootstrap(), *hosted(), *deleted_files(), *solutions(), *consequences())
    try:
        return write_or_compare({PAGE: with_part(PAGE, "\n".join((head, *facts, *details()))), **pages()})
    except GeneratedError as error:
        print(f"rules: {error}", file=sys.stderr)
        return 1


def rules() -> Iterator[str]:
    """Yield a table for each layer."""
    needs = {item.rule: item for item in DEPENDENCIES}
    for layer, text in LAYERS.items():
        solved = [f"`{rule.name}`" for rule in all_rules() if rule.layer == layer and rule.solved_by_solutions]
        names = f"{', '.join(solved[:-1])} and {solved[-1]}" if solved else ""
        also = f"\nSolutions satisfy {names}, because the cluster does not work otherwise." if solved else ""
        yield f"## {layer}\n\n{text}{also}\n"
        rows = []
        for rule in all_rules():
            if rule.layer == layer:
                need = needs.get(rule)
                name = f"`{need.capability}`" if need else ""
                versions = span(rule.since, rule.until)
                rows.append((f"[{rule.name}](#{rule.name})", versions, methods(rule), name, rule.condition))
        yield table(("rule", "versions", "methods", "requires", "condition"), rows)


def details() -> Iterator[str]:
    """Yield message, source and example of each rule."""
    yield "## Each rule\n\nAn example shows the repair as a difference.\n"
    by_name: dict[str, list[Rule]] = {}
    for rule in all_rules():
        by_name.setdefault(rule.name, []).append(rule)
    for name, versions in sorted(by_name.items()):
        yield f"### {name}\n\n{versions[0].message[:1].upper()}{versions[0].message[1:].rstrip('.')}.\n"
        when = ((span(rule.since, rule.until), rule) for rule in versions)
        yield "".join(f"- {text}: {rule.condition}. Source: {rule.source}\n" for text, rule in when)
        yield from example("selections", name)


def operator() -> Iterator[str]:
    """Yield what the cluster-version operator does by itself, whatever the selection is."""
    yield "## What the cluster-version operator does by itself\n"
    rows = [
        (f"`{name}` is enabled for every selection", f"{ALWAYS_ENABLED.since} and later", ALWAYS_ENABLED.source)
        for name in ALWAYS_ENABLED.capabilities
    ]
    rows += [
        (f"`{item.capability}` is enabled by the update", f"{item.from_minor} to {item.to_minor}", item.source)
        for item in FORCED_CAPABILITIES
    ]
    rows += [
        (f"`{item.capability}` is also in {', '.join(item.sets)}", f"{item.since} and later", item.source)
        for item in SET_AMENDMENTS
    ]
    rows += [
        (f"`{item.name}` exists only with {' or '.join(item.gates)}", f"{item.since} and later", item.source)
        for item in CAPABILITIES
        if item.gates
    ]
    yield table(("rule", "versions", "source"), rows)


def bootstrap() -> Iterator[str]:
    """Yield what the bootstrap of an installation creates, whatever the selection is."""
    yield "## What the bootstrap of an installation creates\n"
    yield "Every cluster has these resources of releases, also if their manifests need a disabled capability.\n"
    minors: dict[tuple[str, str], list[Minor]] = {}
    for item in BOOTSTRAP_RESOURCES:
        for minor in sorted(BRANCHES):
            if source := bootstrap_renderer(item.kind, item.name, minor):
                minors.setdefault((f"{item.kind} `{item.name}`", source), []).append(minor)
    resources: dict[tuple[Minor, Minor, str], list[str]] = {}
    for (resource, source), found in minors.items():
        name = resource.removeprefix("CustomResourceDefinition ")
        resources.setdefault((found[0], found[-1], source), []).append(name)
    rows = [
        (span(since, None if until == newest_minor() else until), ", ".join(names), source)
        for (since, until, source), names in sorted(resources.items())
    ]
    yield table(("versions", "resources, definitions if no kind is named", "source"), rows)
    yield "These objects belong to a capability, and are created without it. `install_config` names them.\n"
    objects = [
        (
            f"`{item.capability}`",
            f"{item.since} and later",
            ", ".join([*item.methods, *item.platforms, *([f"{item.field}: {item.value}"] if item.field else [])]),
            item.objects,
            item.source,
        )
        for item in BOOTSTRAP_OBJECTS
    ]
    yield table(("capability", "versions", "only with", "without the capability", "source"), objects)


def hosted() -> Iterator[str]:
    """Yield the names that a HostedCluster can select."""
    yield "## Names that a HostedCluster can select\n"
    yield "A hosted cluster enables all names by default, except these.\n"
    ends = [*(item.since for item in DEFAULT_DISABLED_SINCE[1:]), None]
    rows = [
        (
            f"{item.since} and later" if end is None else f"from {item.since}, before {end}",
            code(item.names) or "none",
            item.source,
        )
        for item, end in zip(DEFAULT_DISABLED_SINCE, ends, strict=True)
    ]
    yield table(("versions", "disabled by default", "source"), rows)
    yield "A HostedCluster can select these names.\n"
    selectable = [
        (f"{item.since} and later", code(item.disabled), code(item.enabled) or "none", item.source)
        for item in SELECTABLE_SINCE
    ]
    yield table(("versions", "can disable", "can enable", "source"), selectable)


def deleted_files() -> Iterator[str]:
    """Yield the files that HyperShift deletes from a release."""
    yield "## Files that HyperShift deletes from a release\n"
    rows = [
        (
            ", ".join(f"`{name}`" for name in sorted(item.names)),
            span(item.since, item.until),
            span(*item.unknown) if item.unknown else "",
            item.source,
        )
        for item in DELETED_FILES
    ]
    yield table(("files", "versions", "not known for", "source"), rows)


def solutions() -> Iterator[str]:
    """Yield the named solutions."""
    yield "## Solutions\n"
    yield "Names that the version, platform or install method requires are added, and the result lists them.\n"
    rows = [(f"`{item.name}`", item.description, intent(item), item.source) for item in SOLUTIONS]
    yield table(("solution", "for", "selection", "source"), rows)


def intent(solution: Solution) -> str:
    """Describe the selection of a solution."""
    wants = [f"`{want.capability}`{f' up to {want.until}' if want.until else ''}" for want in solution.wants]
    parts = [f"starts from {solution.starts_from}"]
    parts += [f"wants {', '.join(wants)}"] if wants else []
    parts += [f"without {code(solution.without)}"] if solution.without else []
    parts += [f"if possible without {code(solution.rather_without)}"] if solution.rather_without else []
    return "; ".join(parts)


def consequences() -> Iterator[str]:
    """Yield the consequences of disabled capabilities."""
    yield "## Consequences of disabled capabilities\n"
    yield "These are not rules. They describe what does not work if a capability is disabled.\n"
    yield table(("capability", "consequence", "source"), [(f"`{c}`", text, source) for c, text, source in CONSEQUENCES])


def span(since: Minor, until: Minor | None) -> str:
    """The versions from ``since`` to ``until``."""
    if until is None:
        return f"{since} and later"
    return str(since) if since == until else f"{since} to {until}"


def methods(rule: Rule) -> str:
    """The install methods that a rule applies to."""
    return "all" if rule.methods == INSTALL_METHODS else ", ".join(rule.methods)


def code(names: Iterable[str]) -> str:
    """Names in alphabetical order, as code."""
    return ", ".join(f"`{name}`" for name in sorted(names))


def table(head: tuple[str, ...], rows: Iterable[tuple[str, ...]]) -> str:
    """A Markdown table, followed by an empty line."""
    lines = [head, ("---",) * len(head), *rows]
    return "".join(f"| {' | '.join(cell.replace('|', chr(92) + '|') for cell in line)} |\n" for line in lines)


if __name__ == "__main__":
    sys.exit(main())
