# Copyright: Contributors to the capability.openshift collection
# SPDX-License-Identifier: GPL-3.0-or-later

"""The objects of an add-on, in the order in which its installer applies them.

OLM applies CustomResourceDefinitions before the rest (operator-framework/api:pkg/operators/v1alpha1/
installplan_types.go OrderSteps). Helm applies its directory ``crds``, hooks, kinds in a fixed order, and other hooks
(helm/helm:pkg/action/install.go, hooks.go execHook, pkg/releaseutil/kind_sorter.go InstallOrder). Argo CD moves a
Namespace and a definition before the objects that need them (argoproj/argo-cd:gitops-engine/pkg/sync/sync_tasks.go),
and ACM repeats until everything is there. kubectl keeps the order of the documents.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any, Literal, NamedTuple, get_args

from .._contents.references import BINDINGS, RBAC
from .._data.inclusion_rules import CAPABILITY_ANNOTATION
from .._data.kinds import is_cluster_scoped
from .._problems import Location, Problems
from .._release.manifest import Manifest
from .._resources import CUSTOM_RESOURCE_DEFINITIONS, NAMESPACES, ResourceId, as_list, as_text, mappings_in, nested
from .rules import finding

Installer = Literal["olm", "helm", "kubectl", "gitops"]
INSTALLERS: tuple[Installer, ...] = get_args(Installer)

GroupKindName = tuple[str, str, str]

CSV = ("operators.coreos.com", "ClusterServiceVersion")
ROLES = frozenset({(RBAC, "ClusterRole"), (RBAC, "Role")})
CATALOG_SOURCE = ("operators.coreos.com", "CatalogSource")
SUBSCRIPTION = ("operators.coreos.com", "Subscription")
TYPED_BY_OLM = BINDINGS | ROLES | {CSV, SUBSCRIPTION}
"""Kinds that OLM decodes into a Go type and creates in its version, whatever their ``apiVersion`` is.

Source: operator-framework/operator-lifecycle-manager:pkg/controller/operators/catalog/operator.go ExecutePlan.
"""

_HOOK, _HOOK_WEIGHT = "helm.sh/hook", "helm.sh/hook-weight"
_HELM_DEFINITIONS = re.compile(r"(?:[^/]+/charts/)*[^/]+/crds/")
_NOT_APPLIED = frozenset({"kustomize.config.k8s.io", "scorecard.operatorframework.io"})
"""Groups of objects that a tool on the client reads, and no API server."""


class Definition(NamedTuple):
    """What a CustomResourceDefinition defines: ``versions`` are those that the API server serves."""

    group: str
    kind: str
    plural: str
    namespaced: bool
    versions: frozenset[str]


class AddonObject(NamedTuple):
    """An object of an add-on. ``manifest`` has no annotations, because only the CVO reads them.

    ``line``: of the object, or of its document. ``annotation``, ``hook``: the values of the annotations of capabilities
    and of Helm. ``source`` is the file of the chart. ``is_first``: whether it is in the first document of its file.
    ``in_list``: whether it is an item of a List, whose annotations count for Helm.
    """

    manifest: Manifest
    body: Mapping[str, Any]
    line: int
    annotation: str = ""
    hook: str = ""
    source: str = ""
    is_first: bool = True
    in_list: bool = False

    @property
    def resource_id(self) -> ResourceId:
        """Its identity."""
        return self.manifest.resource_id

    @property
    def is_other_hook(self) -> bool:
        """Whether it is a hook of Helm that no installation runs, such as a test."""
        return bool(self.hook) and "install" not in self.hook.lower()

    @property
    def in_crds_of_chart(self) -> bool:
        """Whether Helm applies it before it looks up the kinds of the templates."""
        return _HELM_DEFINITIONS.match(self.source) is not None


class Addon(NamedTuple):
    """Objects that are installed together. ``name`` and ``package`` are of a bundle in a catalog, empty otherwise.

    ``optional`` are the objects that the property ``olm.manifests.optional`` names. ``required`` are the APIs that the
    metadata of a bundle requires, as group, version and kind.
    """

    path: str
    installer: Installer
    objects: tuple[AddonObject, ...]
    name: str = ""
    optional: frozenset[GroupKindName] = frozenset()
    package: str = ""
    required: tuple[Mapping[str, Any], ...] = ()

    def location(self, item: AddonObject) -> Location:
        """The location of one of its objects."""
        field = f"{self.name}: {item.resource_id}" if self.name else str(item.resource_id)
        return Location(item.manifest.file, line=item.line, field=field)


def in_install_order(addon: Addon) -> tuple[AddonObject, ...]:
    """The objects of ``addon`` as its installer applies them."""
    if addon.installer == "kubectl":
        return addon.objects
    if addon.installer == "helm":
        return tuple(sorted(addon.objects, key=_helm_rank))
    return tuple(sorted(addon.objects, key=_rank))


def is_list(value: Any) -> bool:
    """Whether ``value`` is an object of the kind List, whose items are objects."""
    kind = value.get("kind") if isinstance(value, Mapping) else None
    return isinstance(kind, str) and kind.endswith("List") and "items" in value


def read_object(
    value: Any,
    file: str,
    line: int,
    problems: Problems,
    source: str = "",
    *,
    is_first: bool = True,
    item_lines: Sequence[int] = (),
) -> list[AddonObject]:
    """The objects in a document; the objects of a list one by one. Values that are no objects are left out.

    What has only some of version, kind and name is reported: tools complete it. ``item_lines``: of the items of a list,
    if they are known.
    """
    if not isinstance(value, Mapping) or not (value.get("apiVersion") or value.get("kind")):
        return []
    kind, api_version, metadata = value.get("kind"), value.get("apiVersion"), nested(value, "metadata")
    if is_list(value):
        items = as_list(value["items"])
        lines = item_lines or [line] * len(items)
        each = (
            read_object(item, file, at, problems, source, is_first=is_first)
            for item, at in zip(items, lines, strict=True)
        )
        of_list = as_text(nested(metadata, "annotations", _HOOK))
        return [found._replace(hook=of_list, in_list=True) for objects in each for found in objects]
    name = as_text(nested(metadata, "name")) or as_text(nested(metadata, "generateName"))
    group, _slash, version = as_text(api_version).rpartition("/")
    if group in _NOT_APPLIED or (metadata is None and not kind):
        return []
    fields = {"apiVersion": version, "kind": as_text(kind), "metadata.name": name}
    missing = next((field for field, text in fields.items() if not text), "")
    if missing:
        hint = "If it is a patch or a template, render it, and check the result"
        problems.append(finding("template", Location(file, line=line), f"has no {missing}, so it is not checked", hint))
        return []
    if kind == "Template" and "objects" in value:
        message = "is a template of oc process, whose objects are not checked"
        problems.append(finding("template", Location(file, line=line), message))
    annotations = nested(metadata, "annotations")
    given = ResourceId(group, as_text(kind), as_text(nested(metadata, "namespace")), name)
    resource = given.as_object(cluster_scoped=is_cluster_scoped(*given.group_kind))
    annotation, hook = (as_text(nested(annotations, key)) for key in (CAPABILITY_ANNOTATION, _HOOK))
    return [AddonObject(Manifest(resource, version, None, file), value, line, annotation, hook, source, is_first)]


def definition_of(body: Any) -> Definition:
    """What the CustomResourceDefinition ``body`` defines."""
    versions = (item for item in mappings_in(nested(body, "spec", "versions")) if item.get("served") is True)
    return Definition(
        as_text(nested(body, "spec", "group")),
        as_text(nested(body, "spec", "names", "kind")),
        as_text(nested(body, "spec", "names", "plural")),
        nested(body, "spec", "scope") != "Cluster",
        frozenset(as_text(item.get("name")) for item in versions),
    )


def is_definition(item: AddonObject) -> bool:
    """Whether it is a CustomResourceDefinition."""
    return item.resource_id.group_kind == CUSTOM_RESOURCE_DEFINITIONS.group_kind


_UNKNOWN_TO_HELM = 3
"""The rank after those of ``_rank``."""


def _rank(item: AddonObject) -> int:
    return 0 if item.resource_id.group_kind == NAMESPACES.group_kind else 1 if is_definition(item) else 2


def _helm_rank(item: AddonObject) -> tuple[int, int, int, str]:
    """Hooks of one weight are in the order of their names, whatever their kinds are. Other hooks are last.

    Helm sorts documents by their kind, so what is in a List comes with the kinds that it does not know
    (helm/helm:pkg/release/v1/util/kind_sorter.go).
    """
    if item.in_crds_of_chart:
        return 0, 0, 0, ""
    if not item.hook:
        return 2, 0, *_helm_kind(item)
    weight = as_text(nested(item.body, "metadata", "annotations", _HOOK_WEIGHT))
    before = 1 if "pre-install" in item.hook.lower() else 4 if item.is_other_hook else 3
    return before, int(weight) if re.fullmatch(r"[+-]?[0-9]+", weight) else 0, 0, item.resource_id.name


def _helm_kind(item: AddonObject) -> tuple[int, str]:
    """The rank of a kind, with its name if Helm does not know it."""
    if item.in_list:
        return _UNKNOWN_TO_HELM, "List"
    group, kind = item.resource_id.group_kind
    is_custom = "." in group and not group.endswith(".k8s.io")
    return (_UNKNOWN_TO_HELM, kind) if is_custom else (_rank(item), "")
