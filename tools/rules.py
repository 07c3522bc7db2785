#!/usr/bin/env python
# Copyright: Contributors to the capability.openshift collection
# SPDX-License-Identifier: GPL-3.0-or-later

"""Write docs/rules.md, the tables of rules, solutions and consequences, from the data that the collection decides by.

Usage: .venv/bin/python tools/rules.py [--check]    --check: change nothing, end with 1 where the page is not current.
"""

from __future__ import annotations

import sys
from collections.abc import Iterable, Iterator

from environment import ROOT

from ansible_collections.capability.openshift.plugins.module_utils._data.capabilities import (
    ALWAYS_ENABLED,
    CAPABILITIES,
    FORCED_CAPABILITIES,
    SET_AMENDMENTS,
)
from ansible_collections.capability.openshift.plugins.module_utils._data.consequences import CONSEQUENCES
from ansible_collections.capability.openshift.plugins.module_utils._data.dependencies import DEPENDENCIES, all_rules
from ansible_collections.capability.openshift.plugins.module_utils._data.hosted_clusters import (
    DEFAULT_OFF,
    SELECTABLE_SINCE,
)
from ansible_collections.capability.openshift.plugins.module_utils._data.install_rules import INSTALL_METHODS, Rule
from ansible_collections.capability.openshift.plugins.module_utils._data.solutions import SOLUTIONS, Solution

PAGE = ROOT / "docs" / "rules.md"

HEAD = """\
<!-- SPDX-License-Identifier: GPL-3.0-or-later -->
<!-- Made by tools/rules.py from the data in plugins/module_utils/_domain. Change it there. -->
# Rules of a selection

Which selections of capabilities can be installed depends on version, platform and install method. These are the rules
that `capability.openshift.install_config` and the filter `validate_capabilities` know, with their sources.
[Select capabilities for an installation](select_capabilities.md) shows how to use them.
"""
LAYERS = {
    "installer": "Held by openshift-install, before anything boots. Agent-based and assisted installs run it as well.",
    "ClusterVersion": "Held by the ClusterVersion CRD, at installation and whenever the selection changes later.",
    "HostedCluster": "Held by the HostedCluster CRD of hosted control planes.",
    "documentation": "Known of installers and written down, but no check of any of them: warnings here.",
}


def main() -> int:
    """Write the page, or compare it."""
    page = "\n".join((HEAD, *rules(), *operator(), *hosted(), *solutions(), *consequences()))
    if "--check" not in sys.argv[1:]:
        PAGE.write_text(page)
        return 0
    if PAGE.exists() and PAGE.read_text() == page:
        return 0
    print(f"{PAGE.relative_to(ROOT)} is not current. Run .venv/bin/python tools/rules.py", file=sys.stderr)
    return 1


def rules() -> Iterator[str]:
    """Yield a table for each layer."""
    needs = {item.rule: item for item in DEPENDENCIES}
    for layer, held in LAYERS.items():
        yield f"## {layer}\n\n{held}\n"
        rows = []
        for rule in all_rules():
            if rule.layer == layer:
                need = needs.get(rule)
                name = f"`{need.capability}`" if need else ""
                rows.append((f"`{rule.name}`", span(rule), methods(rule), name, rule.condition, rule.source))
        yield table(("rule", "versions", "methods", "needs", "where", "source"), rows)


def operator() -> Iterator[str]:
    """Yield what the cluster-version operator does by itself, which no selection has to ask for."""
    yield "## What the cluster-version operator does by itself\n"
    rows = [
        (f"`{name}` is on whatever is asked", f"{ALWAYS_ENABLED.since} and later", ALWAYS_ENABLED.source)
        for name in ALWAYS_ENABLED.capabilities
    ]
    rows += [
        (f"`{item.capability}` is turned on by the update", f"{item.from_minor} to {item.to_minor}", item.source)
        for item in FORCED_CAPABILITIES
    ]
    rows += [
        (f"`{item.capability}` is in {', '.join(item.sets)}, too", f"{item.since} and later", item.source)
        for item in SET_AMENDMENTS
    ]
    rows += [
        (f"`{item.name}` exists only with {' or '.join(item.gates)}", f"{item.since} and later", item.source)
        for item in CAPABILITIES
        if item.gates
    ]
    yield table(("fact", "versions", "source"), rows)


def hosted() -> Iterator[str]:
    """Yield what a HostedCluster can say."""
    yield "## Names that a HostedCluster can choose\n"
    yield f"Off unless they are chosen: {code(DEFAULT_OFF)}. Everything else is on.\n"
    rows = [
        (f"{item.since} and later", code(item.disabled), code(item.enabled) or "none", item.source)
        for item in SELECTABLE_SINCE
    ]
    yield table(("versions", "can turn off", "can turn on", "source"), rows)


def solutions() -> Iterator[str]:
    """Yield the named solutions."""
    yield "## Solutions\n"
    yield "What a version, platform or method demands beside it is added, and the result says so.\n"
    rows = [(f"`{item.name}`", item.description, intent(item), item.source) for item in SOLUTIONS]
    yield table(("solution", "for", "intent", "source"), rows)


def intent(solution: Solution) -> str:
    """Return what a solution asks for, in words."""
    wants = [f"`{want.capability}`{f' up to {want.until}' if want.until else ''}" for want in solution.wants]
    parts = [f"starts from {solution.starts_from}"]
    parts += [f"wants {', '.join(wants)}"] if wants else []
    parts += [f"without {code(solution.without)}"] if solution.without else []
    parts += [f"where possible without {code(solution.rather_without)}"] if solution.rather_without else []
    return "; ".join(parts)


def consequences() -> Iterator[str]:
    """Yield what a cluster goes without."""
    yield "## What a cluster goes without\n"
    yield "These are no rules: they say what to expect where a capability is off.\n"
    yield table(("capability", "consequence", "source"), [(f"`{c}`", text, source) for c, text, source in CONSEQUENCES])


def span(rule: Rule) -> str:
    """Return the versions that a rule holds in."""
    if rule.until is None:
        return f"{rule.since} and later"
    return str(rule.since) if rule.since == rule.until else f"{rule.since} to {rule.until}"


def methods(rule: Rule) -> str:
    """Return the install methods that a rule holds for."""
    return "all" if rule.methods == INSTALL_METHODS else ", ".join(rule.methods)


def code(names: Iterable[str]) -> str:
    """Return names in alphabetical order, as code."""
    return ", ".join(f"`{name}`" for name in sorted(names))


def table(head: tuple[str, ...], rows: Iterable[tuple[str, ...]]) -> str:
    """Return a Markdown table, with an empty line behind it."""
    lines = [head, ("---",) * len(head), *rows]
    return "".join(f"| {' | '.join(cell.replace('|', chr(92) + '|') for cell in line)} |\n" for line in lines)


if __name__ == "__main__":
    sys.exit(main())
