#!/usr/bin/env python
# Copyright: Contributors to the capability.openshift collection
# SPDX-License-Identifier: GPL-3.0-or-later

"""Write the table of packages in docs/architecture.md and the picture there, from the imports of this tree.

All pictures of docs/images that have a source there are drawn with Graphviz.

Usage: .venv/bin/python tools/architecture.py [--check]    --check: change nothing, end with 1 if one is not current.

Each file that the page names has to exist.
"""

from __future__ import annotations

import re
import sys
import textwrap
from functools import cache
from typing import NamedTuple

import grimp
from environment import NAME, NAMESPACE, ROOT
from generated import GeneratedError, draw, with_part, write_or_compare

PAGE = ROOT / "docs" / "architecture.md"
IMAGES = ROOT / "docs" / "images"
DRAWING = IMAGES / "architecture.dot"
PLUGINS = ROOT / "plugins"
UTILS = PLUGINS / "module_utils"
PREFIX = f"ansible_collections.{NAMESPACE}.{NAME}.plugins."
TOP = "modules and plugins"
_LINE_WIDTH = 40
_MOST_LINES = 2
"""Letters of a line in a box of the drawing, and lines of its subject, and of its options."""
_LEGEND = (
    "An arrow points to an imported package. Arrows that follow from two others are omitted. "
    "In italics: options that the package checks. Grey: reports no problems."
)
MOST_FLOORS = 7
"""Of packages, without the modules and plugins that stand on them."""


class Package(NamedTuple):
    """What the drawing says of a package: its subject, and options that it checks, as messages begin with them."""

    subject: str
    options: str = ""


PACKAGES = {
    "_verify": Package("release_verify: what a cluster has and lacks, compared with a release"),
    "_summary": Package("results of modules as lines of text"),
    "_rollout": Package(
        "release_apply: rollout without a CVO, refusals, waits, inventory, lock, prune",
        "previous_release, only",
    ),
    "_mirror_check": Package(
        "mirror_check: is each image of a release in a mirror, and signed", "release_image, images"
    ),
    "_update_plan": Package(
        "update_plan: verdict, path of versions, conditions, channel, admin gates",
        "its clusters, its enabled_capabilities, releases, promql",
    ),
    "_install_config": Package(
        "install_config: text, fields, platform of install-config.yaml; solutions",
        "solution, content, path, its clusters",
    ),
    "_sites": Package(
        "site_check: sites in a Git checkout, JSON in overrides, fields without effect",
        "openshift_versions, allow_no_sites",
    ),
    "_addons": Package("addon_check: bundles and charts, kinds, order, namespaces, rights of objects", "addons"),
    "_usage": Package("capability_usage_info: counted API requests, must-gather", "request_counts, capability_names"),
    "_extract": Package("files that release_manifests and release_fetch write", "dest"),
    "_lint": Package(
        "release_lint: annotations, profiles, files, changes of a release",
        "checkout, skip_rules, components, previous_release",
    ),
    "_report": Package("HTML and Markdown of an update plan", "report"),
    "_cluster": Package(
        "fields of ClusterVersion, operators, CVO; guard (ValidatingAdmissionPolicy)",
        "cluster_version, allowed_capabilities, capabilities of cluster_capabilities",
    ),
    "_contents": Package("what a selection brings, and comparisons of it; references that dangle"),
    "_injection": Package("CA, proxy and TLS settings that the CVO writes into manifests"),
    "_module": Package("argument specs and results of Ansible modules; empty options", "wait_timeout"),
    "_capability": Package(
        "capabilities of versions and selections, known, enabled; hosted clusters",
        "capabilities, enabled_capabilities, feature_set, cluster_profile, overrides",
    ),
    "_findings": Package("findings of checks of files, as SARIF, JUnit, text", "baseline, outputs, relative_to"),
    "_release_image": Package(
        "form of release: pull spec or TYPE:PATH; is the image a release; cache", "release_cache, release_source"
    ),
    "_release": Package("directory of a release: files, YAML documents, manifests, version", "release (directory)"),
    "_kubernetes": Package("requests to an API server and their errors", "kubeconfig, context, host, ca_cert"),
    "_signature": Package(
        "OpenPGP, sigstore, keys, signature stores, image policies", "signature_keys, signature_stores"
    ),
    "_registry": Package(
        "images, archives, blobs, pull specs, tokens, mirror sets, registries.conf",
        "mirrors, pull_secret, auth_file",
    ),
    "_data": Package("tables of facts per minor"),
    "_yaml": Package("YAML syntax as Go reads it"),
    "_problems": Package("form of a message; values of a wrong type, missing libraries"),
    "_progress": Package("what long work does now"),
    "_resources": Package("group, kind, namespace, name"),
    "_unstructured": Package("nested fields of objects"),
    "_checkout": Package(
        "files of site_check and addon_check: links, globs, large files", "checkout (of site_check), paths"
    ),
    "_http": Package("HTTPS: proxies, redirects, certificates, slow hosts", "ca_path"),
    "_files": Package("directories and files that cannot be created or written; working directory", "chdir"),
    "_version": Package("OpenShift versions"),
}

SILENT = frozenset({"_summary", "_data", "_yaml", "_progress", "_resources", "_unstructured", "_version", TOP})
"""Packages that report no problems."""


def main() -> int:
    """Write the page and the drawing, or compare them."""
    try:
        graph = imports()
        texts = {DRAWING: drawing(graph), PAGE: page(graph)}
        sources = {path: path.read_text(encoding="utf-8") for path in IMAGES.glob("*.dot")} | {DRAWING: texts[DRAWING]}
        pictures = {path.with_suffix(".svg"): draw(source) for path, source in sources.items()}
    except GeneratedError as error:
        print(f"architecture: {error}", file=sys.stderr)
        return 1
    return write_or_compare(texts | pictures)


# The imports


def imports() -> dict[str, set[str]]:
    """Return for each package of module_utils, and for all modules and plugins together, what it imports."""
    found = grimp.build_graph(PREFIX.rstrip("."), cache_dir=None)
    graph: dict[str, set[str]] = {}
    for module in found.modules:
        if package := package_of(module):
            others = map(package_of, found.find_modules_directly_imported_by(module))
            graph.setdefault(package, set()).update(set(others) - {package, ""})
    if strangers := set(graph) - {TOP} ^ set(PACKAGES):
        names = ", ".join(sorted(strangers))
        raise GeneratedError(f"PACKAGES in tools/architecture.py and plugins/module_utils differ in {names}")
    return graph


def package_of(module: str) -> str:
    """Return the package of a module below plugins, empty if it belongs to none."""
    kind, *rest = module.removeprefix(PREFIX).split(".")
    if kind == "module_utils":
        return rest[0] if rest else ""
    return TOP if rest and kind != "doc_fragments" else ""


def floors(graph: dict[str, set[str]]) -> dict[str, int]:
    """Return the floor of each package: 1 without imports, else one above the highest that it imports."""

    @cache
    def floor(name: str, above: tuple[str, ...] = ()) -> int:
        if name in above:
            raise GeneratedError(f"circular imports: {' -> '.join((*above, name))}")
        return 1 + max((floor(other, (*above, name)) for other in graph[name]), default=0)

    found = {name: floor(name) for name in graph}
    highest = max(found[name] for name in PACKAGES)
    if highest > MOST_FLOORS:
        raise GeneratedError(f"the packages stand on {highest} floors, expected at most {MOST_FLOORS}")
    return found


# The drawing


def drawing(graph: dict[str, set[str]]) -> str:
    """Return the floors in the language of Graphviz. An arrow that follows from two others is left out."""
    floor = floors(graph)

    @cache
    def below(name: str) -> frozenset[str]:
        return frozenset(graph[name]).union(*(below(other) for other in graph[name]))

    lines = [
        "// Written by tools/architecture.py from the imports.",
        'digraph "Packages and their imports" {',
        f'  graph [label="{_LEGEND}", fontname="sans-serif", fontsize=14]',
        '  node [shape=box, style="rounded,filled", color="#5b7ea8", margin="0.08,0.02"]',
        '  node [fontname="sans-serif", fontsize=12]',
        '  edge [color="#888899"]',
    ]
    for number in sorted(set(floor.values()), reverse=True):
        names = (name for name in sorted(graph) if floor[name] == number)
        lines.append(f"  {{rank=same; {'; '.join(map(_box, names))}}}")
    lines += [
        f'  "{name}" -> "{other}"'
        for name in sorted(graph)
        for other in sorted(graph[name])
        if not any(other in below(between) for between in graph[name])
    ]
    return "\n".join((*lines, "}", ""))


def _box(name: str) -> str:
    rows = [f"<b>{name}</b>"]
    if name != TOP:
        subject, options = (textwrap.wrap(text, _LINE_WIDTH) for text in PACKAGES[name][:2])
        if len(subject) > _MOST_LINES or len(options) > _MOST_LINES:
            raise GeneratedError(f"the subject or the options of {name} have more than {_MOST_LINES} lines")
        rows += [*subject, *(f"<i>{line}</i>" for line in options)]
    # In a table, the underscores of a line do not touch the next one.
    cells = "".join(f"<tr><td>{row}</td></tr>" for row in rows)
    table = f'<table border="0" cellspacing="0" cellpadding="1">{cells}</table>'
    return f'"{name}" [label=<{table}>, fillcolor="{"#eeeeee" if name in SILENT else "#eef4fb"}"]'


# The page


def page(graph: dict[str, set[str]]) -> str:
    """Return the page with the floors of packages as they are. What a package is for stands only there."""
    text = PAGE.read_text(encoding="utf-8")
    for name in re.findall(r"`(_\w+/\w+\.py)`", text):
        if not (UTILS / name).exists():
            raise GeneratedError(f"docs/architecture.md names {name}, which is not in plugins/module_utils")
    purposes = dict(re.findall(r"(?m)^\| \d \| `(\w+)` \| (.+) \|$", text))
    if strangers := set(purposes) ^ set(PACKAGES):
        raise GeneratedError(f"the table of packages in docs/architecture.md differs in {', '.join(sorted(strangers))}")
    floor = floors(graph)
    highest_first = sorted(PACKAGES, key=lambda name: -floor[name])
    rows = [f"| {floor[name]} | `{name}` | {purposes[name]} |" for name in highest_first]
    return with_part(PAGE, "\n".join(("| floor | package | purpose |", "| --- | --- | --- |", *rows, "")))


if __name__ == "__main__":
    sys.exit(main())
