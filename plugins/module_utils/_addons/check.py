# Copyright: Contributors to the capability.openshift collection
# SPDX-License-Identifier: GPL-3.0-or-later

"""Decides for each object of an add-on whether it can be installed on a cluster of some selection."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Literal, NamedTuple

from .._contents.references import targets_of
from .._data.aggregated_apis import MOVED_KINDS
from .._problems import Location, Problem, Severity, shown_names
from .._resources import ResourceId, as_list, as_text, mappings_in, nested
from .cluster import Names, SelectedCluster
from .objects import (
    CATALOG_SOURCE,
    CSV,
    ROLES,
    SUBSCRIPTION,
    TYPED_BY_OLM,
    Addon,
    AddonObject,
    Definition,
    Installer,
    definition_of,
    in_install_order,
    is_definition,
)
from .rules import finding

Verdict = Literal["error", "review", "fine"]
VERDICTS: tuple[Verdict, ...] = ("error", "review", "fine")

_VERDICTS: Mapping[str, Verdict] = {"error": "error", "warning": "review"}
_CONSEQUENCES: Mapping[Installer, str] = {
    "olm": "OLM cannot install the bundle",
    "helm": "Helm installs nothing of the chart",
    "kubectl": "the API server rejects it",
    "gitops": "the API server rejects it",
}
_LOOKS_UP_FIRST: Mapping[Installer, tuple[Severity, str, str]] = {
    "helm": (
        "error",
        "Helm looks up all kinds before it applies any, so it installs nothing of the chart",
        "Move the definition to the directory crds of the chart, install it before, or set installer if another tool "
        "applies the chart",
    ),
    "kubectl": (
        "warning",
        "kubectl looks up all kinds before it applies any",
        "Apply the definition first, or run kubectl twice",
    ),
}
"""Installers that look up the kinds of all objects before they apply the first one. Only kubectl applies the others."""

_WITHOUT_DEFINITIONS = frozenset({"apps", "autoscaling", "batch", "extensions", "policy"})
"""Groups that only Kubernetes can serve, because the group of a CustomResourceDefinition has a dot.

Source: kubernetes/apiextensions-apiserver:pkg/apis/apiextensions/validation/validation.go. The core group is also that
of files which only tools read, such as an AgentConfig.
"""
_WEBHOOKS = ("MutatingWebhookConfiguration", "ValidatingWebhookConfiguration")
_API_SERVICE = ("apiregistration.k8s.io", "APIService")
_CONSOLE_PLUGIN = ("console.openshift.io", "ConsolePlugin")
_API_SERVER = ResourceId("", "Service", "default", "kubernetes")
"""The Service of the API server, which creates it itself. Webhooks in an aggregated API server use it.

Source: kubernetes/kubernetes:pkg/controlplane/controller/kubernetesservice/controller.go.
"""
_UNDEFINED = "neither the release nor these files define"


class CheckedObject(NamedTuple):
    """An object, its verdict, the capabilities that would make it fine, and those without which it is an error."""

    item: AddonObject
    verdict: Verdict
    capabilities: Names
    needs: Names


class CheckedAddon(NamedTuple):
    """An add-on, its objects in the order of its files, and its findings."""

    addon: Addon
    objects: tuple[CheckedObject, ...]
    findings: tuple[Problem, ...]


class ProvidedObjects:
    """The objects of add-ons, each with the position at which it is applied: -1 if an earlier add-on has it."""

    def __init__(self) -> None:
        self.definitions: dict[tuple[str, str], tuple[int, Definition, bool]] = {}
        self.resources: dict[ResourceId, int] = {}

    def with_addon(self, objects: Sequence[AddonObject]) -> ProvidedObjects:
        """Return these and the ``objects`` of an add-on, which applies them in this order."""
        result = ProvidedObjects()
        result.definitions = {key: (-1, own, crds) for key, (_at, own, crds) in self.definitions.items()}
        result.resources = dict.fromkeys(self.resources, -1)
        for at, item in enumerate(objects):
            result.resources.setdefault(item.resource_id, at)
            if is_definition(item):
                own = definition_of(item.body)
                result.definitions.setdefault((own.group, own.kind), (at, own, item.in_crds_of_chart))
        return result


class _Finding(NamedTuple):
    """``severity``: the one of the rule if it is ``None``."""

    rule: str
    message: str
    hint: str = ""
    needs: Names = ()
    severity: Severity | None = None


def check_addon(
    addon: Addon, cluster: SelectedCluster, earlier: ProvidedObjects
) -> tuple[CheckedAddon, ProvidedObjects]:
    """Check ``addon``, which is installed after the ``earlier`` objects. Return these with its own, for the next one.

    A cluster gets one bundle of each package, so a bundle of a catalog provides nothing for others. Raises
    ``ReleaseError``.
    """
    order = in_install_order(addon)
    check = _Check(addon, cluster, earlier.with_addon(order))
    found = {id(item): check.findings(item, at) for at, item in enumerate(order)}
    objects: list[CheckedObject] = []
    findings: list[Problem] = []
    for item in addon.objects:
        own = found[id(item)]
        problems = [_problem(each, addon.location(item)) for each in own]
        if addon.installer == "helm" and item.is_other_hook:
            problems = [each._replace(severity="warning") if each.severity == "error" else each for each in problems]
        verdicts = {_VERDICTS.get(problem.severity, "fine") for problem in problems}
        if check.is_unknown(*item.resource_id.group_kind) or any(each.rule == "unknown-kind" for each in own):
            verdicts.add("review")
        errors = [each for each, problem in zip(own, problems, strict=True) if problem.severity == "error"]
        needs = {name for each in errors for name in each.needs}
        # No capability repairs an object with another error.
        all_names = needs.union(*(each.needs for each in own)) if all(each.needs for each in errors) else ()
        verdict: Verdict = min(verdicts, key=VERDICTS.index, default="fine")
        objects.append(CheckedObject(item, verdict, tuple(sorted(all_names)), tuple(sorted(needs))))
        findings += problems
    return CheckedAddon(addon, tuple(objects), tuple(findings)), earlier if addon.name else check.brought


class _Check:
    """The check of one add-on. ``brought`` is also what it brings itself."""

    def __init__(self, addon: Addon, cluster: SelectedCluster, brought: ProvidedObjects) -> None:
        self.addon, self.cluster, self.brought = addon, cluster, brought
        self._plurals = {(item.group, item.plural) for _at, item, _in_crds in brought.definitions.values()}
        self._reported: set[tuple[str, str]] = set()
        self._csvs = [id(item) for item in addon.objects if item.resource_id.group_kind == CSV]

    def findings(self, item: AddonObject, at: int) -> list[_Finding]:
        """The findings on the object that is applied at position ``at``."""
        found = [*self._kind(item, at), *self._namespace(item, at)]
        ignored = self._ignored(item)
        if ignored and found and found[0].needs:
            found[0] = found[0]._replace(message=f"{found[0].message}; it has {ignored}")
        elif ignored:
            found.append(_Finding("ignored-marker", f"has {ignored}"))
        # A catalog names a required API twice.
        found += [
            *dict.fromkeys(self._requirements(item)),
            *self._rights(item),
            *self._services(item),
            *self._references(item),
        ]
        if id(item) in self._csvs[1:]:
            message = f"is one of {len(self._csvs)} ClusterServiceVersions in one directory"
            found.append(_Finding("invalid-manifest", message, "Split the bundle"))
        return found

    def is_unknown(self, group: str, kind: str) -> bool:
        """Whether neither the release nor an add-on defines a kind, so that nothing is known about its objects."""
        return (group, kind) not in self.brought.definitions and not self.cluster.knows(group, kind)

    def _kind(self, item: AddonObject, at: int) -> Iterator[_Finding]:
        group, kind = item.resource_id.group_kind
        served = self.cluster.kind(group, kind)
        own = self.brought.definitions.get((group, kind))
        if (served is None or served.needs) and own is not None:
            position, _definition, in_crds = own
            if position > at:
                yield self._too_early(f"the CustomResourceDefinition of {kind}")
                return
            looked_up = _LOOKS_UP_FIRST.get(self.addon.installer)
            # Helm installs the files in crds one after another, and waits for the definitions after the last one.
            is_later = (in_crds and not item.in_crds_of_chart) or item.hook
            is_before = position < 0 or (self.addon.installer == "helm" and is_later)
            if looked_up and not is_before and self._is_first(group, kind):
                severity, why, hint = looked_up
                hint = "Move the object to the directory templates of the chart" if item.in_crds_of_chart else hint
                message = f"is of a kind that the add-on defines, and {why}"
                yield _Finding("late-definition", message, hint, severity=severity)
        elif served is not None and served.needs:
            so = "its hook fails" if item.hook and self.addon.installer == "helm" else None
            way = "Leave the bundle out" if item.resource_id.group_kind == CSV else "Leave the object out"
            yield self._absent("absent-kind", "its kind exists", served.needs, way, so)
            return
        elif self.is_unknown(group, kind) and group in _WITHOUT_DEFINITIONS:
            message = f"uses {kind}, which the API server of the release does not have"
            yield _Finding("unserved-version", message, "Leave the object out, or use the API that replaced it")
        elif self.is_unknown(group, kind) and (group, item.manifest.version) == ("", "v1") and kind in MOVED_KINDS:
            message = f"uses {kind} of the core group, which the API server of the release does not have"
            yield _Finding("unserved-version", message, f"Use {MOVED_KINDS[kind]}/v1")
        elif self.is_unknown(group, kind) and self._is_first(group, kind):
            yield _Finding("unknown-kind", f"{_UNDEFINED} the kind for this cluster")
        if self.addon.installer != "olm" or item.resource_id.group_kind not in TYPED_BY_OLM:
            yield from self._version(f"uses {kind}", group, kind, item.manifest.version)

    def _version(self, what: str, group: str, kind: str, version: str) -> Iterator[_Finding]:
        served, own = self.cluster.kind(group, kind), self.brought.definitions.get((group, kind))
        versions = self.cluster.versions_without_definition(group, kind)
        if own is not None and (served is None or served.needs):
            versions = own[1].versions
        elif served is not None and served.definition is not None:
            versions = served.definition.versions
        if versions is not None and version not in versions:
            listed = " and ".join(sorted(versions)) or "no version"
            yield _Finding("unserved-version", f"{what} in the version {version}, but the cluster serves {listed}")

    def _namespace(self, item: AddonObject, at: int) -> Iterator[_Finding]:
        group, kind, namespace, _name = item.resource_id
        served, own = self.cluster.kind(group, kind), self.brought.definitions.get((group, kind))
        definition = (served and served.definition) or (own and own[1])
        # OLM creates all objects of a bundle in the Namespace of the installation.
        if not namespace or self.addon.installer == "olm" or (definition and not definition.namespaced):
            return
        target = ResourceId("", "Namespace", "", namespace)
        needs, position = self.cluster.needs(target), self.brought.resources.get(target)
        if needs == () or (position is not None and position < at):
            return
        if position is not None:
            yield self._too_early(f"the Namespace {namespace}")
        elif needs:
            way, what = f"Create {namespace}", f"the Namespace {namespace} exists"
            # Helm has installed a part of the chart by then.
            yield self._absent("absent-namespace", what, needs, way, _CONSEQUENCES["kubectl"])

    def _requirements(self, item: AddonObject) -> Iterator[_Finding]:
        """APIs without which OLM installs nothing, or does not start the operator. The bundle can bring them.

        Those of ``required`` have to be provided by an operator, whatever the cluster has
        (operator-framework/operator-lifecycle-manager:pkg/controller/registry/resolver/resolver.go getBundleVariables).
        """
        if item.resource_id.group_kind != CSV:
            return
        paths = (("customresourcedefinitions", "required"), ("apiservicedefinitions", "required"), ("nativeAPIs",))
        lists = [(path == ("nativeAPIs",), mappings_in(nested(item.body, "spec", *path))) for path in paths]
        for is_native, entries in [*lists, (False, self.addon.required)]:
            for entry in entries:
                kind = as_text(entry.get("kind"))
                group = as_text(entry.get("group")) or as_text(entry.get("name")).partition(".")[2]
                served, is_brought = self.cluster.kind(group, kind), (group, kind) in self.brought.definitions
                if not is_native and not is_brought and self.cluster.knows(group, kind):
                    what = f"requires {kind}.{group} from another operator, but it is part of OpenShift"
                    message = f"{what}: without an operator that provides it, OLM installs nothing"
                    yield _Finding("absent-requirement", message, "Name it in nativeAPIs")
                elif served is not None and served.needs and not is_brought:
                    what, so = f"requires {kind}.{group}, which exists", "OLM does not start the operator"
                    yield self._absent("absent-requirement", what, served.needs, "Do not require it", so)
                # OLM installs an operator that provides what the other lists require.
                elif is_native and self.is_unknown(group, kind):
                    rule = "absent-requirement" if group in _WITHOUT_DEFINITIONS else "unknown-kind"
                    yield _Finding(rule, f"requires {kind}.{group}, which {_UNDEFINED} for this cluster")
                elif version := as_text(entry.get("version")):
                    yield from self._version(f"requires {kind}.{group}", group, kind, version)

    def _rights(self, item: AddonObject) -> Iterator[_Finding]:
        grants: list[Any] = []
        if item.resource_id.group_kind in ROLES:
            grants = [item.body]
        elif item.resource_id.group_kind == CSV:
            install = nested(item.body, "spec", "install", "spec")
            grants = [*mappings_in(nested(install, "clusterPermissions")), *mappings_in(nested(install, "permissions"))]
        absent: dict[str, Names] = {}
        for rule in (rule for grant in grants for rule in mappings_in(grant.get("rules"))):
            plurals = {as_text(name).partition("/")[0] for name in as_list(rule.get("resources"))}
            for group in map(as_text, as_list(rule.get("apiGroups"))):
                for plural in sorted(plurals):
                    needs = self.cluster.api(group, plural)
                    if needs and (group, plural) not in self._plurals:
                        absent[f"{plural}.{group}"] = needs
        if absent:
            needs = tuple(sorted({name for names in absent.values() for name in names}))
            message = f"grants rights on {shown_names(list(absent))}, which do not exist without {' and '.join(needs)}"
            yield _Finding("absent-rights", message, needs=needs)

    def _services(self, item: AddonObject) -> Iterator[_Finding]:
        """Services to which the API server or the console sends requests, and the Deployments of webhooks of OLM."""
        for namespace, name in _services_of(item, self.addon.installer):
            # Helm and OLM set the Namespace of what has none.
            service = ResourceId("", "Service", namespace, name)
            if {service, service._replace(namespace="")} & self.brought.resources.keys() or service == _API_SERVER:
                continue
            needs = self.cluster.needs(service)
            if needs is None:
                message = f"points to {service}, which is neither in these files nor the release"
                yield _Finding("dangling-reference", message)
            elif needs:
                yield self._absent("dangling-reference", f"points to {service}, which exists", needs, "Remove it", "")
        if item.resource_id.group_kind == CSV:
            deployments = mappings_in(nested(item.body, "spec", "install", "spec", "deployments"))
            names = {as_text(deployment.get("name")) for deployment in deployments}
            for webhook in mappings_in(nested(item.body, "spec", "webhookdefinitions")):
                if (name := as_text(webhook.get("deploymentName"))) not in names:
                    message = f"has a webhook for the Deployment {name}, which it does not contain"
                    yield _Finding("dangling-reference", message, "Correct deploymentName")

    def _references(self, item: AddonObject) -> Iterator[_Finding]:
        targets = [target.resource_id for target in targets_of(item.manifest, item.body)]
        if item.resource_id.group_kind == SUBSCRIPTION:
            source, namespace = (as_text(nested(item.body, "spec", key)) for key in ("source", "sourceNamespace"))
            catalog = ResourceId(*CATALOG_SOURCE, namespace, source)
            is_default = self.cluster.needs(catalog) is not None
            targets = [catalog if is_default else ResourceId("", "Namespace", "", namespace)]
            if self.cluster.lost_catalog(catalog) and catalog not in self.brought.resources:
                message = f"refers to {catalog}, which the marketplace operator of this release does not create"
                yield _Finding("dangling-reference", message, "Name another catalog, or create this one")
        for target in dict.fromkeys(targets):
            needs = self.cluster.needs(target)
            if needs and target not in self.brought.resources:
                way = f"Create {target}"
                yield self._absent("dangling-reference", f"refers to {target}, which exists", needs, way, "")

    def _ignored(self, item: AddonObject) -> str:
        if (*item.resource_id.group_kind, item.resource_id.name) in self.addon.optional:
            return "the property olm.manifests.optional, which OLM does not implement"
        return "the annotation capability.openshift.io/name, which only the CVO reads" if item.annotation else ""

    def _absent(self, rule: str, what: str, needs: Names, way: str, consequence: str | None = None) -> _Finding:
        if consequence is None:
            consequence = _CONSEQUENCES[self.addon.installer]
        names, number = " and ".join(needs), self.cluster.added_manifests(needs)
        message = f"{what} only with {names}{f', so {consequence}' if consequence else ''}"
        how = "in the HostedCluster before its installation" if self.cluster.hosted else "permanently"
        return _Finding(rule, message, f"{way}, or enable {names} {how}, which adds {number} manifests", needs)

    def _too_early(self, what: str) -> _Finding:
        # The hooks of a chart come before the rest.
        hint = "Install it before, or as a hook with a lower weight" if self.addon.installer == "helm" else ""
        return _Finding("wrong-order", f"comes before {what}", hint)

    def _is_first(self, group: str, kind: str) -> bool:
        """Whether this is the first object of a kind, of which one finding is enough."""
        is_new = (group, kind) not in self._reported
        self._reported.add((group, kind))
        return is_new


def _problem(found: _Finding, where: Location) -> Problem:
    problem = finding(found.rule, where, found.message, found.hint)
    return problem if found.severity is None else problem._replace(severity=found.severity)


def _services_of(item: AddonObject, installer: Installer) -> Iterator[tuple[str, str]]:
    spec: Any = item.body.get("spec")
    services: list[Any] = []
    if item.resource_id.kind in _WEBHOOKS:
        services = [nested(webhook, "clientConfig", "service") for webhook in mappings_in(item.body.get("webhooks"))]
    elif item.resource_id.group_kind == _CONSOLE_PLUGIN:
        # The second ones are of v1alpha1.
        backends = (nested(spec, "backend"), spec)
        proxies = (end for proxy in mappings_in(nested(spec, "proxy")) for end in (nested(proxy, "endpoint"), proxy))
        services = [nested(end, "service") for end in (*backends, *proxies)]
    elif item.resource_id.group_kind == _API_SERVICE:
        services = [nested(spec, "service")]
    elif is_definition(item) and installer != "olm":  # OLM replaces it
        services = [nested(spec, "conversion", "webhook", "clientConfig", "service")]
    named = ((as_text(nested(service, "namespace")), as_text(nested(service, "name"))) for service in services)
    yield from dict.fromkeys(pair for pair in named if pair[1])
