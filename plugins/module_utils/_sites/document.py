# Copyright: Contributors to the capability.openshift collection
# SPDX-License-Identifier: GPL-3.0-or-later

"""Reads the YAML documents of a file with the positions of their nodes, and finds the objects that describe sites.

A file is split at its ``---`` lines, as Kubernetes clients do (k8s.io/apimachinery:pkg/util/yaml/decoder.go), so a
document that is not YAML does not hide the others. Objects are also in Policies, Lists and ManifestWorks.
"""

from __future__ import annotations

import posixpath
import re
from bisect import bisect_left
from collections.abc import Iterator
from functools import lru_cache
from itertools import pairwise
from typing import Any, NamedTuple

from .._data.capabilities import API_FIELDS
from .._files.checkout import KUSTOMIZATIONS, CheckoutFile
from .._problems import Location, Problems
from .._yaml.nodes import Node, Pair, own_pair, parse_tree, walk
from .._yaml.template import is_template as is_yaml_template
from .._yaml.values import YamlError, resolve_plain

_SEPARATOR = re.compile(r"^---(?=[ \t\r\n]|\Z)", re.MULTILINE)
_MARKS = re.compile(
    "AgentClusterInstall|ClusterDeployment|ClusterImageSet|ClusterInstance|ClusterPool|ClusterVersion|HostedCluster|"
    "InfraEnv|PolicyGen(?:erator|Template)|SiteConfig|baseDomain|baselineCapability|additionalEnabledCapabilities|"
    "install-?[cC]onfig-?[oO]verrides"
)
"""Every document that describes a site, or policies of one, has one of these words. The others need not be YAML."""

_TEMPLATE = re.compile(r"\{\{|\{%|\$\{|\$\([A-Za-z_][\w.-]*\)|\bENC\[AES")
_SELECTION = re.compile(r"""(?<![.\w])(?:baselineCapability(?:Set)?|additionalEnabledCapabilities)["'\\]*\s*:""")
_OF_CLUSTER_API = "baselineCapability"
"""The field of an OpenshiftAssistedControlPlane (openshift-assisted/cluster-api-provider-openshift-assisted)."""

_PAIR = re.compile(r"(?<!\\)((?:\\\\)*)((?:\\u[dD][89abAB][0-9a-fA-F]{2}\\u[dD][c-fC-F][0-9a-fA-F]{2})+)")
"""Characters above U+FFFF as JSON escapes them. YAML has other escapes, and no selection contains such a character."""

_LINE_BREAK = re.compile("\n")
_UTF_16 = (b"\xff\xfe", b"\xfe\xff")
_TAB = re.compile(r"[ ]*\t")
MOST_NODES = 20_000
"""Nodes of one value with its aliases expanded. A selection has less than a hundred."""

_MOST_LEVELS = 100


CLUSTER_INSTANCE, SITE_CONFIG = "ClusterInstance", "SiteConfig"
AGENT_CLUSTER_INSTALL, INFRA_ENV = "AgentClusterInstall", "InfraEnv"
CLUSTER_DEPLOYMENT, CLUSTER_IMAGE_SET = "ClusterDeployment", "ClusterImageSet"
CLUSTER_POOL = "ClusterPool"
HOSTED_CLUSTER, CLUSTER_VERSION = "HostedCluster", "ClusterVersion"
INSTALL_CONFIG = "install-config"
ANNOTATION = "agent-install.openshift.io/install-config-overrides"
"""The overrides of an AgentClusterInstall."""

_GROUPS = {
    CLUSTER_INSTANCE: "siteconfig.open-cluster-management.io",
    SITE_CONFIG: "ran.openshift.io",
    AGENT_CLUSTER_INSTALL: "extensions.hive.openshift.io",
    INFRA_ENV: "agent-install.openshift.io",
    CLUSTER_DEPLOYMENT: "hive.openshift.io",
    CLUSTER_IMAGE_SET: "hive.openshift.io",
    CLUSTER_POOL: "hive.openshift.io",
    HOSTED_CLUSTER: "hypershift.openshift.io",
    CLUSTER_VERSION: "config.openshift.io",
}
SITE_KINDS = frozenset(_GROUPS)
"""Kinds of objects that describe sites, or decide about their versions."""

_INSTALL_CONFIG_FIELDS = ("baseDomain", "platform", "controlPlane", "metadata")
_FEWEST_FIELDS = 2
_POLICY_GENERATORS = ("PolicyGenerator", "PolicyGenTemplate")
_PATCHES = ("patches", "patchesJson6902", "patchesStrategicMerge", "replacements", "transformers", "vars")
APPLICATIONS = {"Application": ("spec",), "ApplicationSet": ("spec", "template", "spec")}
"""Where the spec of an application of Argo CD is."""

_RAW_TEMPLATES = "object-templates-raw"
_NOT_WANTED = "mustnothave"


@lru_cache(maxsize=1)
def _line_breaks(text: str) -> list[int]:
    """The indexes of all line breaks. A list of sites asks for many lines of the same text."""
    return [match.start() for match in _LINE_BREAK.finditer(text)]


class SourceDocument(NamedTuple):
    """A document of a file. ``start`` is the index of its text in the text of the file, ``line`` its first line."""

    path: str
    text: str
    start: int
    line: int
    root: Node

    def line_of(self, node: Node) -> int:
        """The line of ``node`` in its file, from 1."""
        return self.line + bisect_left(_line_breaks(self.text), node.start)

    def target(self, node: Node | None) -> Node | None:
        """``node``, or the node that an alias repeats."""
        if node is None or node.kind != "alias":
            return node
        return next((item for _path, item in walk(self.root) if item.anchor and item.start == node.target), None)

    def pair(self, node: Node | None, name: str) -> Pair | None:
        """The pair ``name`` of a map, also a merged one."""
        node = self.target(node)
        if node is None or node.kind != "map":
            return None
        return next((pair for item in self._maps(node, set()) if (pair := own_pair(item, name))), None)

    def keys(self, node: Node | None) -> Iterator[Node]:
        """Yield the keys of a map, also merged ones."""
        return (pair.key for item in self._maps(node, set()) for pair in item.pairs)

    def get(self, node: Node | None, *names: str) -> Node | None:
        """The node at a path of keys below ``node``, ``None`` if there is none."""
        node = self.target(node)
        for name in names:
            pair = self.pair(node, name)
            node = self.target(pair.value) if pair is not None else None
        return node

    def text_of(self, node: Node | None, *names: str) -> str:
        """The scalar at a path of keys as text, ``""`` if there is none, or null."""
        found = self.get(node, *names)
        is_text = found is not None and found.kind == "scalar" and _scalar(found) is not None
        return found.value if found is not None and is_text else ""

    def texts_of(self, node: Node | None, *names: str) -> tuple[str, ...]:
        """The scalars at a path of keys below each item of a list as text."""
        return tuple(self.text_of(item, *names) for item in (node.items if node is not None else ()))

    def value_of(self, node: Node | None) -> Any:
        """The plain value of ``node``, as Go reads it. Raises ``YamlError`` if aliases expand to too many nodes."""
        return _Values(self).of(node)

    def _maps(self, node: Node | None, seen: set[int]) -> Iterator[Node]:
        """Yield a map and those that are merged into it, each once: of two with the same key, the first counts."""
        node = self.target(node)
        if node is None or node.start in seen:
            return
        seen.add(node.start)
        if node.kind == "map":
            yield node
        merged = own_pair(node, "<<")
        for item in (merged.value,) if merged is not None else node.items:
            yield from self._maps(item, seen)


class _Values:
    """Converts nodes to plain values, and counts them: aliases can repeat a node exponentially often."""

    def __init__(self, document: SourceDocument) -> None:
        self.document, self.count = document, 0

    def of(self, node: Node | None, level: int = 0) -> Any:
        self.count += 1
        if self.count > MOST_NODES or level > _MOST_LEVELS:
            raise YamlError("contains excessive aliasing")
        alias, node = node, self.document.target(node)
        if node is None and alias is not None:
            raise YamlError("refers to an anchor that does not exist")
        if node is None:
            return None
        if node.kind == "scalar":
            return _scalar(node)
        if node.kind == "list":
            return [self.of(item, level + 1) for item in node.items]
        values: dict[str, Any] = {}
        for pair in node.pairs:
            if pair.key.value == "<<" and not pair.key.style:
                merged = self.of(pair.value, level + 1)
                for item in reversed(merged) if isinstance(merged, list) else (merged,):
                    values = {**item, **values} if isinstance(item, dict) else values
        for pair in node.pairs:
            if pair.key.value != "<<" or pair.key.style:
                values[pair.key.value] = self.of(pair.value, level + 1)
        return values


def _scalar(node: Node) -> object:
    if node.style or node.tag in ("!", "tag:yaml.org,2002:str"):
        return node.value
    return resolve_plain(node.value)


def is_template(text: str) -> bool:
    """Whether ``text`` contains an expression of Helm, Jinja or ACM, a variable of Flux, Kustomize or a Template, or
    a value that SOPS encrypted.
    """
    return _TEMPLATE.search(text) is not None


def read_documents(file: CheckoutFile, problems: Problems, marks: re.Pattern[str] = _MARKS) -> Iterator[SourceDocument]:
    """Yield the documents of ``file`` that contain one of ``marks``. Problems name the file and the line."""
    if file.data.startswith(_UTF_16):
        if marks.search(file.data.decode("utf-16", "ignore")):
            message = "is UTF-16, expected UTF-8"
            problems.error("invalid-encoding", Location(file.path), message, "Save the file in UTF-8")
        return
    try:
        text = file.data.decode("utf-8")
    except UnicodeDecodeError as error:
        if marks.search(file.data.decode("latin-1")):
            line = file.data.count(b"\n", 0, error.start) + 1
            problems.error("invalid-encoding", Location(file.path, line=line), "is not UTF-8", "Save the file in UTF-8")
        return
    if not marks.search(text):
        return
    starts = [0, *(match.start() for match in _SEPARATOR.finditer(text) if match.start()), len(text)]
    line = 1
    for start, end in pairwise(starts):
        part = text[start:end]
        if marks.search(part):
            document = _read_document(file.path, part, start, line, problems)
            if document is not None:
                yield document
        line += part.count("\n")


def _read_document(path: str, text: str, start: int, line: int, problems: Problems) -> SourceDocument | None:
    try:
        is_json = text.lstrip().startswith(("{", "["))
        tree = parse_tree(_PAIR.sub(lambda at: f"{at[1]}{'?' * len(at[2])}", text) if is_json else text)
    except YamlError as error:
        number = line + min(max(1, error.line), len(text.splitlines())) - 1
        where = Location(path, line=number)
        if is_yaml_template(text, parse_tree):
            report_template(path, line, problems)
        else:
            lines = text.splitlines()
            broken = lines[error.line - 1] if 0 < error.line <= len(lines) else ""
            tab = _TAB.match(broken)
            hint = "Replace the tab at the beginning of the line by spaces" if tab else "Correct the syntax"
            problems.error("invalid-yaml", where, f"is not YAML: {error.message}", hint)
        return None
    if tree.next_document >= 0:
        where = Location(path, line=line + len(text[: tree.next_document].splitlines()))
        message = "is another document, which Kubernetes does not read: no line before it is ---"
        problems.error("invalid-yaml", where, message, "Write --- on a separate line, and end lines with line feeds")
    if tree.root is None or tree.root.kind not in ("map", "list"):
        return None
    if any(pair.key.kind == "map" for pair in tree.root.pairs):  # {{ x }} is a map with a map as its key
        report_template(path, line, problems)
        return None
    return SourceDocument(path, text, start, line, tree.root)


def report_template(path: str, line: int, problems: Problems) -> None:
    """Report a template that is not checked."""
    message = "is a template, so it is not checked"
    problems.info("template", Location(path, line=line), message, "Render it, and check the result")


class SiteObject(NamedTuple):
    """An object of one of the kinds that describe a site. ``node`` is its map in ``document``."""

    document: SourceDocument
    kind: str
    node: Node

    @property
    def name(self) -> str:
        """The name in its metadata."""
        return self.document.text_of(self.node, "metadata", "name")

    @property
    def namespace(self) -> str:
        """The namespace in its metadata."""
        return self.document.text_of(self.node, "metadata", "namespace")

    @property
    def resource(self) -> str:
        """Kind and name, for messages."""
        return f"{self.kind} {self.name}".strip()

    def location(self, node: Node) -> Location:
        """The location of ``node`` in the object."""
        return Location(self.document.path, line=self.document.line_of(node), field=self.resource)


def report_patches(where: Location, problems: Problems) -> None:
    """Report that the patches at ``where`` are not checked."""
    message, hint = "changes objects, and the result is not checked", "Run kustomize build, and check the result"
    problems.info("kustomization", where, message, hint)


def find_objects(document: SourceDocument, problems: Problems) -> Iterator[SiteObject]:
    """Yield the objects in ``document``. Problems name what is not checked: templates, Kustomizations, generators."""
    root = document.root
    kind, version = document.text_of(root, "kind"), document.text_of(root, "apiVersion")
    is_kustomization = kind == "Kustomization" or posixpath.basename(document.path) in KUSTOMIZATIONS
    if (is_kustomization and any(document.pair(root, name) for name in _PATCHES)) or _has_patches(document, kind):
        report_patches(Location(document.path, line=document.line), problems)
    elif _is_object(kind, version):
        yield SiteObject(document, kind, root)
    elif kind in ("", "InstallConfig") and _is_install_config(document, version):
        yield SiteObject(document, INSTALL_CONFIG, root)
    else:
        if kind in _POLICY_GENERATORS:
            name = document.text_of(root, "metadata", "name")
            message = "generates policies, which are not checked for the selections of the sites that they are bound to"
            hint = "Run kustomize build, write the objects in the policies to a file, and check it with addon_check"
            where = Location(document.path, line=document.line, field=f"{kind} {name}")
            problems.info("policy-generator", where, message, hint)
        yield from _nested_objects(document, root, None, problems)


def _has_patches(document: SourceDocument, kind: str) -> bool:
    """Whether Flux or Argo CD patches what it applies."""
    if kind == "Kustomization":
        return any(document.get(document.root, "spec", name) for name in _PATCHES)
    if kind not in APPLICATIONS:
        return False
    spec = document.get(document.root, *APPLICATIONS[kind])
    sources = document.get(spec, "sources")
    places = [document.get(spec, "source"), *(sources.items if sources is not None else ())]
    return any(document.get(place, "kustomize", "patches") for place in places)


def _is_object(kind: str, version: str) -> bool:
    group = _GROUPS.get(kind)
    return group is not None and version.partition("/")[0] == group


def _is_install_config(document: SourceDocument, version: str) -> bool:
    if "/" in version or document.pair(document.root, "baseDomain") is None:
        return False
    return sum(document.pair(document.root, name) is not None for name in _INSTALL_CONFIG_FIELDS) > _FEWEST_FIELDS


def is_selection(pair: Pair) -> bool:
    """Whether ``pair`` is a field of a selection, or a text that contains one. A definition has maps as fields."""
    is_field = pair.key.value in (*API_FIELDS, _OF_CLUSTER_API) and pair.value.kind != "map"
    return is_field or (pair.value.kind == "scalar" and _SELECTION.search(pair.value.value) is not None)


def _nested_objects(
    document: SourceDocument, node: Node, parent: Node | None, problems: Problems
) -> Iterator[SiteObject]:
    """Yield the objects below ``node``. Aliases are not followed: what they repeat is found at its anchor."""
    if node.kind == "map":
        kind = document.text_of(node, "kind")
        wanted = document.text_of(parent, "complianceType").lower()
        # What only names an object, such as an override of kube-compare, has no metadata.
        is_whole = bool(wanted) or document.pair(node, "metadata") is not None
        if kind and is_whole and _is_object(kind, document.text_of(node, "apiVersion")):
            if wanted != _NOT_WANTED:
                yield SiteObject(document, kind, node)
            return
        if found := next(filter(is_selection, node.pairs), None):
            message = "contains a selection, but is not an object that describes a site, so it is not checked"
            hint = "Check the object or the install-config that is made of it"
            problems.info("unread-selection", Location(document.path, line=document.line_of(found.key)), message, hint)
        for pair in node.pairs:
            if pair.key.value == _RAW_TEMPLATES and is_template(pair.value.value):
                report_template(document.path, document.line_of(pair.value), problems)
            yield from _nested_objects(document, pair.value, node, problems)
    for item in node.items:
        yield from _nested_objects(document, item, node, problems)
