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
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import NamedTuple

import grimp
from environment import NAME, NAMESPACE, ROOT
from generated import DrawingError, draw, write_or_compare

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
    """What a package is about: in a few words for the drawing, and in sentences for the table.

    ``options``: those that it checks, as users write them at the beginning of a message.
    """

    subject: str
    options: str
    purpose: str


PACKAGES = {
    "_verify": Package(
        "release_verify: what a cluster has and lacks, compared with a release",
        "",
        "Compares a cluster with a release and writes nothing. Reports resources that are missing, unexpected, "
        "different or not ready. It expects what a rollout leaves, so it imports `_rollout`.",
    ),
    "_summary": Package(
        "results of modules as lines of text",
        "",
        "Renders the results of modules as the lines of text that roles, playbooks and the command "
        "`openshift-capability` show.",
    ),
    "_rollout": Package(
        "release_apply: rollout without a CVO, refusals, waits, inventory, lock, prune",
        "previous_release, only, journal",
        "Applies a release to a cluster without a CVO: order, server-side apply, waiting, pruning, the "
        "inventory on the cluster, and resuming after an interruption.",
    ),
    "_mirror_check": Package(
        "mirror_check: is each image of a release in a mirror, and signed",
        "release_image, images",
        "Whether a mirror registry has the images of a release, with the signatures that the CVO and "
        "CRI-O demand, and the commands that copy what is missing.",
    ),
    "_update_plan": Package(
        "update_plan: verdict, path of versions, conditions, channel, admin gates",
        "promql, releases, cluster_version file, its clusters, its enabled_capabilities",
        "Predicts which capabilities a path of updates enables, and because of which resources, for one "
        "cluster or a fleet. Clusters with equal requests share a plan.",
    ),
    "_fleet": Package(
        "cluster_capabilities_info: a table of many clusters",
        "its clusters",
        "Reads the capabilities of many clusters, and shows in one table which cluster differs from its group.",
    ),
    "_install_config": Package(
        "install_config: text, fields, platform of install-config.yaml; solutions",
        "solution, content, path, its clusters",
        "Writes or edits an install-config with a selection that passes the rules in `_data`. "
        "Edits the text in place. Checks the fields that a selection depends on, and leaves the others to "
        "`openshift-install`.",
    ),
    "_sites": Package(
        "site_check: sites in a Git checkout, JSON in overrides, fields without effect",
        "openshift_versions, allow_no_sites",
        "Finds the selections in a Git checkout, checks each for the version of its site, and corrects them in "
        "place, also in strings with JSON.",
    ),
    "_addons": Package(
        "addon_check: bundles and charts, kinds, order, namespaces, rights of objects",
        "addons",
        "Whether bundles, catalogs, charts and other objects can be installed with a selection, in the order in which "
        "their installer applies them.",
    ),
    "_usage": Package(
        "capability_usage_info: counted API requests, must-gather",
        "request_counts, capability_names",
        "Assigns the requests that an API server counted to capabilities and to kinds of clients, for a cluster "
        "or a must-gather.",
    ),
    "_extract": Package(
        "files that release_manifests and release_fetch write",
        "dest",
        "What `release_info`, `release_manifests` and `release_fetch` do: summarize, decide, and write files "
        "to a directory. Removes only files that it wrote.",
    ),
    "_lint": Package(
        "release_lint: annotations, profiles, files, changes of a release",
        "checkout, skip_rules, components, previous_release",
        "Checks the manifests of a release, or those of one operator, for their authors, and the update from "
        "the previous release.",
    ),
    "_report": Package(
        "HTML and Markdown of an update plan",
        "report",
        "Renders an update plan as HTML, Markdown and text. The templates are Python strings, because Ansible "
        "ships only `.py` files to the target.",
    ),
    "_cluster": Package(
        "fields of ClusterVersion, operators, CVO; guard (ValidatingAdmissionPolicy)",
        "capabilities of cluster_capabilities, allowed_capabilities",
        "An OpenShift cluster: spec and status of the ClusterVersion, the state of operators, the capability "
        "guard, and the requests that read or write them. The spec never loses a capability.",
    ),
    "_footprint": Package(
        "release_info: counts, unknown and unused capabilities, CPU and memory of Pods",
        "",
        "What a release or a selection brings: names, images, permissions in the cloud, CPU and memory "
        "requests. Compares two releases. It counts, and decides nothing.",
    ),
    "_exposure": Package(
        "accounts with far-reaching permissions, webhooks",
        "",
        "What a selection exposes: the accounts that have far-reaching permissions in the whole cluster, as the RBAC "
        "authorizer of an API server counts them, and names of what can be attacked. Compares two selections or "
        "releases.",
    ),
    "_injection": Package(
        "CA, proxy and TLS settings that the CVO writes into manifests",
        "",
        "The configuration of a cluster that the CVO injects into manifests: CA bundles, proxy settings, TLS settings.",
    ),
    "_references": Package(
        "included manifests that refer to excluded ones",
        "",
        "References between manifests that dangle, because capabilities include a manifest and exclude what "
        "it refers to. Parses only bodies that mention such a target.",
    ),
    "_module": Package(
        "argument specs and results of Ansible modules",
        "wait_timeout",
        "The Ansible side: argument specs, results, checks for missing libraries, plain values instead of "
        "tagged ones. Contains no rule of OpenShift.",
    ),
    "_capability": Package(
        "capabilities of versions and selections, known, enabled; hosted clusters",
        "capabilities, enabled_capabilities, feature_set, cluster_profile, overrides",
        "Decides as the CVO does: which capabilities are enabled, which manifests are included, what an "
        "update enables implicitly. Also which selections the installer accepts.",
    ),
    "_findings": Package(
        "findings of checks of files, as SARIF, JUnit, text",
        "baseline, outputs, relative_to",
        "Findings of checks of files, and a baseline of known ones. Renders them as text, JSON, SARIF, JUnit "
        "and annotations of GitHub Actions.",
    ),
    "_release_image": Package(
        "release that is named as an image, and its cache",
        "release_cache, release_source",
        "What the option `release` names: a directory, or an image, whose release is read into a cache.",
    ),
    "_release": Package(
        "directory of a release: files, YAML documents, manifests, version",
        "release (directory)",
        "A release: its directories, files, documents and manifests, and the order in which the CVO applies "
        "them. Only the loader reads files.",
    ),
    "_kubernetes": Package(
        "requests to an API server and their errors",
        "kubeconfig, context, host, ca_cert",
        "A client for the API server: requests, errors, retries, discovery, watches, CRDs, schemas. Knows "
        "neither OpenShift nor releases.",
    ),
    "_signature": Package(
        "OpenPGP, sigstore, keys, signature stores, image policies",
        "signature_keys, signature_stores",
        "Signatures of images: OpenPGP with gpgv as the CVO verifies it, signature stores, and sigstore with "
        "the key of an image policy. Knows no registry and no cluster: callers pass what they have read.",
    ),
    "_registry": Package(
        "content of images, archives, pull specs, tokens, mirror sets, registries.conf",
        "mirrors, pull_secret, auth_file",
        "Images in registries and archives: pull specs, mirrors, credentials, manifests, layers and their "
        "files. Of OpenShift, it knows only mirror sets.",
    ),
    "_data": Package(
        "tables of facts per minor",
        "",
        "Facts about OpenShift per minor version, as tables with a source for each row: capabilities, sets, "
        "platforms, rules, solutions. New facts go here.",
    ),
    "_yaml": Package(
        "YAML syntax as Go reads it",
        "",
        "Reads YAML as Go does, with libyaml, and keeps the position of each node.",
    ),
    "_problems": Package(
        "form of a message; values of a wrong type, missing libraries",
        "",
        "The one type of problem (severity, code, location, message, hint), exceptions, and their wording.",
    ),
    "_progress": Package(
        "what long work does now",
        "",
        "The type of the function that shows what long work does at the moment, and a counter of items.",
    ),
    "_resources": Package(
        "group, kind, namespace, name",
        "",
        "Names in the Kubernetes API: the identity of a resource, a kind as served, the target of a request.",
    ),
    "_unstructured": Package(
        "nested fields of objects",
        "",
        "Reads nested fields of objects that have no schema.",
    ),
    "_checkout": Package(
        "files of site_check and addon_check: links, globs, large files",
        "checkout (of site_check), paths",
        "Finds and reads the YAML and JSON files of a directory, and follows no link that leaves it.",
    ),
    "_http": Package(
        "HTTPS: proxies, redirects, certificates, slow hosts",
        "ca_path",
        "The client of registries, token servers and signature stores: proxies, certificates, redirects, retries.",
    ),
    "_files": Package(
        "permissions of directories and files to write; working directory",
        "chdir",
        "Paths of a user, the problems of files, and files that are replaced atomically.",
    ),
    "_version": Package(
        "OpenShift versions",
        "",
        "Versions of OpenShift: parse, compare, minor.",
    ),
}

SILENT = frozenset(
    {"_summary", "_exposure", "_data", "_yaml", "_progress", "_resources", "_unstructured", "_version", TOP}
)
"""Packages that report no problems."""


class ArchitectureError(Exception):
    """The tree is not as the page describes it; the message says where."""


def main() -> int:
    """Write the page and the drawing, or compare them."""
    try:
        graph = imports()
        texts = {DRAWING: drawing(graph), PAGE: page(graph)}
        sources = {path: path.read_text(encoding="utf-8") for path in IMAGES.glob("*.dot")} | {DRAWING: texts[DRAWING]}
        pictures = {path.with_suffix(".svg"): draw(source) for path, source in sources.items()}
    except (ArchitectureError, DrawingError) as error:
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
        raise ArchitectureError(f"PACKAGES in tools/architecture.py and plugins/module_utils differ in {names}")
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
            raise ArchitectureError(f"circular imports: {' -> '.join((*above, name))}")
        return 1 + max((floor(other, (*above, name)) for other in graph[name]), default=0)

    found = {name: floor(name) for name in graph}
    highest = max(found[name] for name in PACKAGES)
    if highest > MOST_FLOORS:
        raise ArchitectureError(f"the packages stand on {highest} floors, expected at most {MOST_FLOORS}")
    return found


def files(package: str) -> list[Path]:
    """Return the files of a package."""
    folder = UTILS / package
    return sorted(folder.glob("*.py")) if folder.is_dir() else [folder.with_suffix(".py")]


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
            raise ArchitectureError(f"the subject or the options of {name} have more than {_MOST_LINES} lines")
        rows += [*subject, *(f"<i>{line}</i>" for line in options)]
    # In a table, the underscores of a line do not touch the next one.
    cells = "".join(f"<tr><td>{row}</td></tr>" for row in rows)
    table = f'<table border="0" cellspacing="0" cellpadding="1">{cells}</table>'
    return f'"{name}" [label=<{table}>, fillcolor="{"#eeeeee" if name in SILENT else "#eef4fb"}"]'


# The page


def page(graph: dict[str, set[str]]) -> str:
    """Return the page with its table of packages as it should be."""
    text = PAGE.read_text(encoding="utf-8")
    part = re.compile(r"(<!-- begin packages[^\n]*-->\n).*?(\n<!-- end packages -->)", re.DOTALL)
    content = "\n".join(packages(graph))
    text, number = part.subn(lambda match: f"{match[1]}\n{content}\n{match[2]}", text)
    if number != 1:
        raise ArchitectureError(f"docs/architecture.md has {number} parts 'packages', expected one")
    for name in re.findall(r"`(_\w+/\w+\.py)`", text):
        if not (UTILS / name).exists():
            raise ArchitectureError(f"docs/architecture.md names {name}, which is not in plugins/module_utils")
    return text


def packages(graph: dict[str, set[str]]) -> Iterator[str]:
    """Yield a table of the packages, highest first."""
    floor = floors(graph)
    yield "| floor | package | files | purpose | imports |\n| --- | --- | --- | --- | --- |"
    # In the order of PACKAGES within a floor.
    for name in sorted(PACKAGES, key=lambda name: -floor[name]):
        below = ", ".join(f"`{other}`" for other in PACKAGES if other in graph[name])
        yield f"| {floor[name]} | `{name}` | {len(files(name))} | {PACKAGES[name].purpose} | {below} |"


if __name__ == "__main__":
    sys.exit(main())
