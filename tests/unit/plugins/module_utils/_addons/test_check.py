# Copyright: Contributors to the capability.openshift collection
# SPDX-License-Identifier: GPL-3.0-or-later

"""What is decided about an object of an add-on, whatever its form is. The messages are asserted here."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from ansible_collections.capability.openshift.plugins.module_utils._addons.run import AddonsResult
from ansible_collections.capability.openshift.tests.unit.builders.addons import (
    EVERYTHING,
    LINK,
    NAMESPACE,
    ONLY_OLM,
    WIDGET,
    bundle,
    catalog_bundle,
    chart,
    check,
    csv,
    documents,
    found,
    own_definition,
    thing,
    write_addon,
)
from ansible_collections.capability.openshift.tests.unit.builders.resolved_clusters import V4_21, V4_22

CSV_NAME = "ClusterServiceVersion.operators.coreos.com widgets.v1"
LINK_NAME = "ConsoleLink.console.openshift.io one"
WIDGET_NAME = "Widget.example.com fresh/w"
RBAC = "rbac.authorization.k8s.io/v1"


def gitops(folder: Path, *objects: Any, **options: Any) -> AddonsResult:
    return check(write_addon(folder, {"all.yaml": documents(*objects)}), **options)


def kubectl(folder: Path, *objects: Any, **options: Any) -> AddonsResult:
    write_addon(folder, {"all.yaml": documents(*objects)})
    return check(str(folder / "all.yaml"), **options)


def one(result: AddonsResult) -> Any:
    (only,) = result.findings
    return only


# Kinds and Namespaces


def test_a_kind_of_a_disabled_capability_is_an_error(tmp_path):
    result = gitops(tmp_path, LINK)
    error = one(result)
    assert (error.severity, error.code, str(error.where)) == ("error", "absent-kind", f"all.yaml, line 2, {LINK_NAME}")
    assert error.message == "its kind exists only with Console, so the API server rejects it"
    assert error.hint == "Leave the object out, or enable Console permanently, which adds 4 manifests"
    (row,) = result.keys["objects"]
    assert (row["verdict"], row["capabilities"]) == ("error", ["Console"])
    fine = gitops(tmp_path, LINK, thing("ConfigMap", namespace="openshift-marketplace"), capabilities=EVERYTHING)
    assert (fine.findings, {row["verdict"] for row in fine.keys["objects"]}) == ((), {"fine"})


def test_a_namespace_of_a_disabled_capability_is_an_error(tmp_path):
    error = one(gitops(tmp_path, thing("ConfigMap", namespace="openshift-marketplace"), installer="helm"))
    assert error.code == "absent-namespace"
    assert (
        error.message
        == "the Namespace openshift-marketplace exists only with marketplace, so the API server rejects it"
    )
    assert error.hint.startswith("Create openshift-marketplace, or enable marketplace permanently")


def test_all_that_a_namespace_needs_is_named(tmp_path):
    """The API of the ClusterVersion accepts marketplace only with OLM."""
    two, storage = "openshift-two", {"baselineCapabilitySet": "None", "additionalEnabledCapabilities": ["Storage"]}
    market = ["OperatorLifecycleManager", "marketplace"]
    every = ((two, None, ["Build", "Storage"]), (two, storage, ["Build"]), ("openshift-marketplace", None, market))
    for namespace, capabilities, needs in every:
        result = gitops(tmp_path, thing("ConfigMap", namespace=namespace), capabilities=capabilities)
        assert result.keys["repairs"][0]["capabilities"] == needs


@pytest.mark.parametrize(
    "item",
    [
        thing("ClusterRole", namespace="openshift-marketplace", api=RBAC),
        thing("OperatorHub", namespace="openshift-marketplace", api="config.openshift.io/v1"),
    ],
    ids=["of Kubernetes", "of the release"],
)
def test_a_cluster_scoped_object_needs_no_namespace(tmp_path, item):
    market = {"baselineCapabilitySet": "None", "additionalEnabledCapabilities": ["marketplace"]}
    rules = [rule for rule, _resource in found(gitops(tmp_path, item))]
    assert "absent-namespace" not in rules
    assert found(gitops(tmp_path / "on", item, capabilities=market)) == []


def test_a_cluster_scoped_object_of_an_own_definition_needs_no_namespace(tmp_path):
    widget = thing("Widget", namespace="openshift-marketplace", api="example.com/v1")
    assert found(gitops(tmp_path, own_definition(namespaced=False), widget)) == []
    assert [rule for rule, _resource in found(gitops(tmp_path, own_definition(), widget))] == ["absent-namespace"]


def test_an_unknown_kind_is_reported_once_and_none_of_its_objects_is_fine(tmp_path):
    items = [thing("PtpConfig", name, api="ptp.openshift.io/v1") for name in "abc"]
    result = gitops(tmp_path, *items, thing("ConfigMap", namespace="nowhere"))
    assert found(result, "info") == found(result) == [("unknown-kind", "PtpConfig.ptp.openshift.io a")]
    assert [row["verdict"] for row in result.keys["objects"]] == ["review", "review", "review", "fine"]


@pytest.mark.parametrize(
    ("kind", "api", "rule"),
    [
        ("ConsolePlugn", "console.openshift.io/v1", "unknown-kind"),
        ("DeploymintConfig", "apps.openshift.io/v1", "unknown-kind"),
        ("VolumeAttributesClass", "storage.k8s.io/v1", "unknown-kind"),
        ("AgentConfig", "v1beta1", "unknown-kind"),
        # No definition can have these groups.
        ("Route", "v1", "unserved-version"),
        ("SecurityContextConstraints", "v1", "unserved-version"),
        ("Template", "v1", "unknown-kind"),
        ("Deploymint", "apps/v1", "unserved-version"),
        ("Ingress", "extensions/v1beta1", "unserved-version"),
        ("PodSecurityPolicy", "policy/v1beta1", "unserved-version"),
    ],
)
def test_a_known_group_makes_no_kind_known(tmp_path, kind, api, rule):
    result = gitops(tmp_path, thing(kind, api=api), capabilities=EVERYTHING)
    assert [rule for rule, _resource in found(result)] == [rule]
    assert [row["verdict"] for row in result.keys["objects"]] == ["review" if rule == "unknown-kind" else "error"]
    assert one(result).hint != "Use a served version"  # there is none


@pytest.mark.parametrize(
    ("kind", "api"),
    [
        ("Route", "route.openshift.io/v1"),
        ("PodSecurityPolicyReview", "security.openshift.io/v1"),
        ("ServiceCIDR", "networking.k8s.io/v1"),
        ("PersistentVolumeClaim", "v1"),
    ],
)
def test_kinds_of_api_servers_are_known(tmp_path, kind, api):
    assert found(gitops(tmp_path, thing(kind, api=api))) == []


@pytest.mark.parametrize(
    ("kind", "api", "capability"),
    [
        ("BuildConfig", "build.openshift.io/v1", "Build"),
        ("DeploymentConfig", "apps.openshift.io/v1", "DeploymentConfig"),
        ("PackageManifest", "packages.operators.coreos.com/v1", "OperatorLifecycleManager"),
        ("VolumeSnapshotClass", "snapshot.storage.k8s.io/v1", "CSISnapshot"),
        ("ClusterExtension", "olm.operatorframework.io/v1", "OperatorLifecycleManagerV1"),
    ],
)
def test_apis_without_a_definition_in_any_release(tmp_path, kind, api, capability):
    none = {"baselineCapabilitySet": "None"}
    assert gitops(tmp_path, thing(kind, api=api), capabilities=none).keys["repairs"][0]["capabilities"] == [capability]
    assert found(gitops(tmp_path, thing(kind, api=api), capabilities=EVERYTHING)) == []


@pytest.mark.parametrize(
    ("gates", "feature_set", "exists"),
    [
        (["VolumeGroupSnapshot"], "", True),
        ([], "", False),
        (None, "", False),
        (None, "TechPreviewNoUpgrade", True),
    ],
)
def test_an_api_behind_a_feature_gate(tmp_path, gates, feature_set, exists):
    group = thing("VolumeGroupSnapshotClass", api="groupsnapshot.storage.k8s.io/v1beta1")
    result = gitops(tmp_path, group, cluster={"feature_gates": gates, "feature_set": feature_set})
    assert [rule for rule, _resource in found(result)] == ["absent-kind" if exists else "unknown-kind"]


@pytest.mark.parametrize(("version", "rules"), [("v1beta1", []), ("v1beta2", ["unserved-version"])])
def test_a_release_serves_one_version_of_group_snapshots(tmp_path, version, rules):
    group = thing("VolumeGroupSnapshotClass", api=f"groupsnapshot.storage.k8s.io/{version}")
    cluster = {"feature_gates": ["VolumeGroupSnapshot"], "feature_set": ""}
    result = gitops(tmp_path, group, capabilities=EVERYTHING, cluster=cluster)
    assert [rule for rule, _resource in found(result)] == rules


@pytest.mark.parametrize(
    ("kind", "api", "versions"),
    [
        ("CustomResourceDefinition", "apiextensions.k8s.io/v1beta1", "v1"),
        ("CronJob", "batch/v1beta1", "v1"),
        ("Deployment", "apps/v1beta2", "v1"),
        ("HorizontalPodAutoscaler", "autoscaling/v2beta2", "v1 and v2"),
        ("Route", "route.openshift.io/v2", "v1"),
        ("Sensor", "base.openshift.io/v2", "v1 and v1beta1"),
        ("VolumeSnapshotClass", "snapshot.storage.k8s.io/v1beta1", "v1"),
        ("ClusterExtension", "olm.operatorframework.io/v1alpha1", "v1"),
    ],
)
def test_a_version_that_is_not_served(tmp_path, kind, api, versions):
    group, _slash, version = api.partition("/")
    served = (thing(kind, "served", api=f"{group}/{name}") for name in versions.split(" and "))
    error = one(gitops(tmp_path, *served, thing(kind, api=api), capabilities=EVERYTHING))
    assert error.code == "unserved-version"
    assert error.message == f"uses {kind} in the version {version}, but the cluster serves {versions}"


# What an add-on brings, in the order of its installer


def test_kubectl_keeps_the_order_of_the_documents(tmp_path):
    result = kubectl(tmp_path, WIDGET, NAMESPACE, own_definition())
    assert found(result, "error") == [("wrong-order", WIDGET_NAME), ("wrong-order", WIDGET_NAME)]
    assert {item.message for item in result.findings} == {
        "comes before the CustomResourceDefinition of Widget",
        "comes before the Namespace fresh",
    }


def test_kubectl_reads_the_files_of_a_directory_in_the_order_of_their_paths(tmp_path):
    files = {"a.yaml": thing("Secret"), "b/c.yaml": thing("ConfigMap", namespace="fresh"), "d.yaml": NAMESPACE}
    path = write_addon(tmp_path, {name: documents(item) for name, item in files.items()})
    assert found(check(path, installer="kubectl")) == [("wrong-order", "ConfigMap fresh/one")]
    assert found(check(path)) == []


def test_kubectl_looks_up_kinds_before_it_applies_any(tmp_path):
    second = {**WIDGET, "metadata": {"name": "second", "namespace": "fresh"}}
    result = kubectl(tmp_path, own_definition(), NAMESPACE, WIDGET, second)
    review = one(result)
    assert (review.severity, review.code) == ("warning", "late-definition")
    assert review.message.startswith("is of a kind that the add-on defines, and kubectl looks up all kinds")
    assert review.hint == "Apply the definition first, or run kubectl twice"


@pytest.mark.parametrize("objects", [(WIDGET, NAMESPACE, own_definition()), (own_definition(), WIDGET, NAMESPACE)])
def test_gitops_applies_namespaces_and_definitions_first(tmp_path, objects):
    assert found(gitops(tmp_path, *objects)) == []
    assert found(check(str(tmp_path / "all.yaml"), installer="gitops")) == []


def test_helm_applies_kinds_in_its_order_and_looks_them_up_first(tmp_path):
    path = write_addon(tmp_path, {"out.yaml": chart(WIDGET, NAMESPACE, own_definition())})
    result = check(path)
    error = one(result)
    assert (error.code, error.severity) == ("late-definition", "error")
    assert result.keys["addons"][0]["error"] == 1
    assert error.message.endswith("Helm looks up all kinds before it applies any, so it installs nothing of the chart")
    assert error.hint.startswith("Move the definition to the directory crds of the chart")
    for folder, rules in (("crds", []), ("charts/base/crds", []), ("templates/crds", [error.code])):
        one_file = chart(own_definition("Other"), folder=folder) + documents(own_definition())
        write_addon(tmp_path, {"out.yaml": chart(WIDGET, NAMESPACE) + one_file})
        assert [rule for rule, _resource in found(check(path))] == rules


def hooked(item: dict[str, Any], hook: str, weight: str = "0") -> dict[str, Any]:
    annotations = {"helm.sh/hook": hook, "helm.sh/hook-weight": weight}
    return {**item, "metadata": {**item["metadata"], "annotations": annotations}}


def test_helm_looks_up_the_kind_of_a_hook_when_it_runs_the_hook(tmp_path):
    path = write_addon(tmp_path, {"out.yaml": chart(hooked(WIDGET, "post-install"), NAMESPACE, own_definition())})
    assert found(check(path)) == []
    first = (hooked(NAMESPACE, "pre-install", "-5"), hooked(own_definition(), "pre-install", "-4"))
    write_addon(tmp_path, {"out.yaml": chart(hooked(WIDGET, "pre-install", "1"), *first)})
    assert found(check(path)) == []
    write_addon(tmp_path, {"out.yaml": chart(hooked(WIDGET, "pre-install", "-9"), *first)})
    assert found(check(path)) == [("wrong-order", WIDGET_NAME), ("wrong-order", WIDGET_NAME)]
    config = (hooked(thing("ConfigMap", name, "fresh"), "pre-install") for name in ("early", "late"))
    write_addon(tmp_path, {"out.yaml": chart(hooked(NAMESPACE, "pre-install"), *config)})
    assert found(check(path)) == [("wrong-order", "ConfigMap fresh/early")]
    assert one(check(path)).hint == "Install it before, or as a hook with a lower weight"
    write_addon(tmp_path, {"out.yaml": chart(NAMESPACE, hooked(thing("Pod", namespace="fresh"), "pre-install"))})
    assert found(check(path)) == [("wrong-order", "Pod fresh/one")]
    write_addon(tmp_path, {"out.yaml": chart(hooked(LINK, "post-install"))})
    assert one(check(path)).message == "its kind exists only with Console, so its hook fails"
    for hook, severity, needs in (("pre-install", "error", ["Console"]), ("test", "warning", [])):
        write_addon(tmp_path, {"out.yaml": chart(hooked(LINK, hook))})
        result = check(path)
        assert (one(result).severity, result.keys["addons"][0]["needs"]) == (severity, needs)


def test_helm_does_not_wait_for_definitions_between_the_files_of_crds(tmp_path):
    path = write_addon(tmp_path, {"out.yaml": chart(own_definition(), WIDGET, folder="crds") + chart(NAMESPACE)})
    result = check(path)
    assert ("late-definition", WIDGET_NAME) in found(result)
    hints = [item.hint for item in result.findings if item.code == "late-definition"]
    assert hints == ["Move the object to the directory templates of the chart"]


def test_helm_sorts_a_list_as_one_document_with_its_own_annotations(tmp_path):
    config = thing("ConfigMap", namespace="fresh")
    listed = {"apiVersion": "v1", "kind": "List", "items": [NAMESPACE]}
    path = write_addon(tmp_path, {"out.yaml": chart(listed, config)})
    assert found(check(path)) == [("wrong-order", "ConfigMap fresh/one")]
    write_addon(tmp_path, {"out.yaml": chart({**listed, "items": [NAMESPACE, config]})})
    assert found(check(path)) == []
    for kind, rules in (("Gadget", ["wrong-order"]), ("Widget", [])):
        definition = chart(own_definition(kind), folder="crds")
        write_addon(tmp_path, {"out.yaml": definition + chart(listed, {**WIDGET, "kind": kind})})
        assert [rule for rule, _resource in found(check(path))] == rules
    write_addon(tmp_path, {"out.yaml": chart({**listed, "items": [hooked(LINK, "test")]})})
    assert one(check(path)).severity == "error"


def test_hooks_that_no_installation_runs_provide_nothing_for_it(tmp_path):
    config = hooked(thing("ConfigMap", namespace="fresh"), "post-install")
    for hook, rules in (("post-delete", ["wrong-order"]), ("pre-upgrade,pre-install", [])):
        path = write_addon(tmp_path, {"out.yaml": chart(hooked(NAMESPACE, hook, "-5"), config)})
        assert [rule for rule, _resource in found(check(path))] == rules


@pytest.mark.parametrize(
    ("kind", "api"), [("ClusterServiceVersion", "operators.coreos.com/v1"), ("Role", f"{RBAC}beta1")]
)
def test_olm_creates_some_kinds_in_its_own_version(tmp_path, kind, api):
    extra = () if kind == "ClusterServiceVersion" else (csv(),)
    result = check(bundle(tmp_path, {**thing(kind, api=api), "spec": {}}, *extra), capabilities=EVERYTHING)
    assert found(result) == []
    other = gitops(tmp_path / "b", thing(kind, api=api), capabilities=EVERYTHING, installer="kubectl")
    assert [rule for rule, _resource in found(other)] == ["unserved-version"]


def test_olm_applies_definitions_first_and_sets_the_namespace(tmp_path):
    objects = (csv(), WIDGET, thing("ConfigMap", namespace="openshift-marketplace"), own_definition())
    assert found(check(bundle(tmp_path, *objects))) == []
    without = check(bundle(tmp_path / "none", csv()), capabilities={"baselineCapabilitySet": "None"})
    assert one(without).hint.startswith("Leave the bundle out, or enable OperatorLifecycleManager permanently")


def test_an_addon_finds_what_earlier_ones_brought(tmp_path):
    first = write_addon(tmp_path / "first", {"a.yaml": documents(own_definition(), NAMESPACE)})
    write_addon(tmp_path, {"second.yaml": documents(WIDGET)})
    second = str(tmp_path / "second.yaml")
    assert found(check(first, second)) == []
    # The Namespace is not part of the release, so it may come from elsewhere.
    assert found(check(second, first)) == [("unknown-kind", WIDGET_NAME)]
    market = write_addon(tmp_path / "market", {"a.yaml": documents(thing("Namespace", "openshift-marketplace"))})
    write_addon(tmp_path, {"map.yaml": documents(thing("ConfigMap", namespace="openshift-marketplace"))})
    assert found(check(market, str(tmp_path / "map.yaml"))) == []
    assert found(check(str(tmp_path / "map.yaml"), market)) == [
        ("absent-namespace", "ConfigMap openshift-marketplace/one")
    ]


def test_an_addon_can_bring_what_the_selection_excludes(tmp_path):
    brought = own_definition("ConsoleLink", "console.openshift.io", namespaced=False)
    assert found(gitops(tmp_path, LINK, brought)) == []
    assert found(kubectl(tmp_path / "b", LINK, brought)) == [("wrong-order", LINK_NAME)]
    other = gitops(tmp_path / "c", own_definition(versions=("v2",)), {**WIDGET, "metadata": {"name": "w"}})
    assert found(other) == [("unserved-version", "Widget.example.com w")]


# Bundles


def test_olm_ignores_the_capability_annotation(tmp_path):
    marked = {**LINK, "metadata": {"name": "one", "annotations": {"capability.openshift.io/name": "Console"}}}
    path = bundle(tmp_path, csv(), marked)
    error = one(check(path))
    assert error.code == "absent-kind"
    assert error.message == (
        "its kind exists only with Console, so OLM cannot install the bundle; it has the annotation "
        "capability.openshift.io/name, which only the CVO reads"
    )
    review = one(check(path, capabilities=EVERYTHING))
    assert (review.code, review.severity) == ("ignored-marker", "warning")
    unknown = check(bundle(tmp_path / "unknown", csv(), {**marked, "kind": "Unknown"}))
    assert [code for code, _resource in found(unknown)] == ["ignored-marker", "unknown-kind"]


def test_olm_ignores_the_property_for_optional_manifests(tmp_path):
    entry = {"group": "console.openshift.io/v1", "kind": "ConsoleLink", "name": "one"}
    optional = [{"type": "olm.manifests.optional", "value": {"manifests": [entry]}}]
    path = bundle(tmp_path, csv(), LINK, properties=optional)
    error = one(check(path))
    assert error.code == "absent-kind"
    assert "olm.manifests.optional" in error.message
    assert found(check(path, capabilities=EVERYTHING)) == [("ignored-marker", LINK_NAME)]


def test_native_apis_that_olm_waits_for(tmp_path):
    path = bundle(tmp_path, csv(nativeAPIs=[{"group": "console.openshift.io", "kind": "ConsoleLink", "version": "v1"}]))
    error = one(check(path))
    assert (error.code, error.severity) == ("absent-requirement", "error")
    assert error.message.endswith("so OLM does not start the operator")
    assert found(check(path, capabilities=EVERYTHING)) == []


@pytest.mark.parametrize("path", ["customresourcedefinitions", "apiservicedefinitions"])
@pytest.mark.parametrize(
    ("kind", "group"),
    [
        ("ConsoleLink", "console.openshift.io"),  # a definition of the release
        ("BuildConfig", "build.openshift.io"),  # aggregated
        ("Route", "route.openshift.io"),
        ("Deployment", "apps"),
    ],
)
def test_no_operator_provides_an_api_of_openshift(tmp_path: Path, path: str, kind: str, group: str) -> None:
    """OLM looks for an operator that provides what is required, whatever the cluster has."""
    entry = {"name": f"{kind.lower()}s.{group}", "group": group, "kind": kind, "version": "v1"}
    spec: dict[str, Any] = {path: {"required": [entry]}}
    addon = bundle(tmp_path, csv(**spec))
    for capabilities in (None, EVERYTHING):
        result = check(addon, capabilities=capabilities)
        error = one(result)
        assert (error.code, error.severity, error.hint) == ("absent-requirement", "error", "Name it in nativeAPIs")
        # No capability repairs it.
        assert (result.keys["objects"][0]["capabilities"], result.keys["addons"][0]["needs"]) == ([], [])
    bundle(tmp_path, csv(nativeAPIs=[entry]))
    assert found(check(addon, capabilities=EVERYTHING)) == []


def test_a_native_api_that_nothing_defines_is_for_review(tmp_path):
    native = [{"group": "console.openshift.io", "kind": "ConsolePlugn", "version": "v1"}]
    result = check(bundle(tmp_path, csv(nativeAPIs=native)), capabilities=EVERYTHING)
    note = one(result)
    assert (note.code, note.severity) == ("unknown-kind", "info")
    # In extra manifests, nothing is installed before.
    assert note.hint == "Correct the kind, or check what else defines it"
    assert note.message == (
        "requires ConsolePlugn.console.openshift.io, which neither the release nor these files define for this cluster"
    )
    assert result.keys["addons"][0]["review"] == 1
    bundle(tmp_path, csv(nativeAPIs=[{"group": "extensions", "kind": "Ingress", "version": "v1beta1"}]))
    assert one(check(str(tmp_path), capabilities=EVERYTHING)).code == "absent-requirement"


@pytest.mark.parametrize(
    "spec",
    [
        {"customresourcedefinitions": {"required": [{"name": "widgets.example.com", "kind": "Widget"}]}},
        {"nativeAPIs": [{"group": "base.openshift.io", "kind": "Sensor"}]},
    ],
)
def test_a_required_api_is_served_in_its_version(tmp_path, spec):
    for version, rules in (("v1", []), ("v9", ["unserved-version"])):
        text = json.dumps(spec).replace('"kind"', f'"version": "{version}", "kind"')
        path = bundle(tmp_path, csv(**json.loads(text)), own_definition())
        assert [rule for rule, _resource in found(check(path, capabilities=EVERYTHING))] == rules


@pytest.mark.parametrize(("kind", "group"), [("Route", "route.openshift.io"), ("Build", "build.openshift.io")])
def test_a_required_definition_that_no_cluster_has(tmp_path, kind, group):
    entry = {"name": f"{kind.lower()}s.{group}", "kind": kind, "version": "v1"}
    path = bundle(tmp_path, csv(customresourcedefinitions={"required": [entry]}))
    error = one(check(path, capabilities=EVERYTHING))
    assert (error.code, error.hint) == ("absent-requirement", "Name it in nativeAPIs")
    bundle(tmp_path, csv(nativeAPIs=[{**entry, "group": group}]))
    assert found(check(path, capabilities=EVERYTHING)) == []


def test_required_apis_of_the_bundle_and_of_other_operators(tmp_path):
    required = [{"name": "widgets.example.com", "kind": "Widget"}, {"name": "ptps.ptp.io", "kind": "Ptp"}]
    spec = csv(customresourcedefinitions={"required": required})
    assert found(check(bundle(tmp_path, spec, own_definition()))) == []


@pytest.mark.parametrize("field", ["clusterPermissions", "permissions"])
def test_rights_on_apis_that_do_not_exist_are_for_review(tmp_path, field):
    rule = {"apiGroups": ["console.openshift.io"], "resources": ["consolelinks/status", "pods"], "verbs": ["get"]}
    install = {"spec": {field: [{"serviceAccountName": "a", "rules": [rule]}]}}
    result = check(bundle(tmp_path, csv(install=install)))
    review = one(result)
    assert (review.code, review.severity) == ("absent-rights", "warning")
    assert review.message == "grants rights on consolelinks.console.openshift.io, which do not exist without Console"
    assert result.keys["addons"][0]["review"] == 1
    role = thing("Role", namespace="x", api=RBAC, rules=[{**rule, "resources": ["*"]}])
    assert found(gitops(tmp_path / "role", role)) == [("absent-rights", "Role.rbac.authorization.k8s.io x/one")]
    both = thing("ClusterRole", api=RBAC, rules=[{"apiGroups": ["*", "config.openshift.io"], "resources": ["pods"]}])
    assert found(gitops(tmp_path / "both", both)) == []


def test_two_csvs_in_one_directory(tmp_path):
    result = check(bundle(tmp_path, csv("one"), csv("two"), LINK))
    name = "ClusterServiceVersion.operators.coreos.com two"
    assert found(result) == [("invalid-manifest", name), ("absent-kind", LINK_NAME)]


# References


def test_webhooks_point_to_services_that_exist(tmp_path):
    def hook(namespace: str, name: str) -> dict[str, Any]:
        service = {"namespace": namespace, "name": name}
        kind, api = "ValidatingWebhookConfiguration", "admissionregistration.k8s.io/v1"
        return thing(kind, name, api=api, webhooks=[{"clientConfig": {"service": service}}])

    own = thing("Service", "own", "fresh")
    hooks = [hook("fresh", "own"), hook("openshift-base", "hooks")]
    hooks += [hook("openshift-base", "console"), hook("fresh", "missing"), hook("default", "kubernetes")]
    result = gitops(tmp_path, NAMESPACE, own, *hooks)
    names = [f"ValidatingWebhookConfiguration.admissionregistration.k8s.io {name}" for name in ("console", "missing")]
    assert found(result) == [("dangling-reference", name) for name in names]
    assert {item.severity for item in result.findings} == {"warning"}
    assert result.findings[1].message.endswith("which is neither in these files nor the release")


def test_console_plugins_point_to_services_that_exist(tmp_path):
    backend = {"service": {"namespace": "fresh", "name": "missing"}}
    proxy = [{"endpoint": {"service": {"namespace": "openshift-base", "name": "hooks"}}}]
    spec = {"backend": backend, "proxy": proxy}
    plugin = thing("ConsolePlugin", api="console.openshift.io/v1", spec=spec)
    result = gitops(tmp_path, plugin, capabilities=EVERYTHING)
    assert found(result) == [("dangling-reference", "ConsolePlugin.console.openshift.io one")]
    older = {**backend, "proxy": [{"service": {"namespace": "fresh", "name": "other"}}]}
    plugin = thing("ConsolePlugin", api="console.openshift.io/v1alpha1", spec=older)
    result = gitops(tmp_path, plugin, capabilities=EVERYTHING)
    assert [rule for rule, _resource in found(result, "warning")] == ["dangling-reference", "dangling-reference"]


@pytest.mark.parametrize(("name", "is_absent"), [("hooks", False), ("console", True), ("gone", True)])
def test_the_service_of_an_api_exists(tmp_path, name, is_absent):
    service = {"namespace": "openshift-base", "name": name}
    api = thing("APIService", "v1.example.com", api="apiregistration.k8s.io/v1", spec={"service": service})
    resource = "APIService.apiregistration.k8s.io v1.example.com"
    assert found(gitops(tmp_path, api)) == ([("dangling-reference", resource)] if is_absent else [])
    # Kubernetes serves the API itself.
    assert found(gitops(tmp_path, {**api, "spec": {}})) == []


def test_conversions_and_webhooks_of_bundles(tmp_path):
    converted = own_definition()
    service = {"namespace": "system", "name": "webhook"}
    converted["spec"]["conversion"] = {"strategy": "Webhook", "webhook": {"clientConfig": {"service": service}}}
    name = "CustomResourceDefinition.apiextensions.k8s.io widgets.example.com"
    assert found(gitops(tmp_path, converted)) == [("dangling-reference", name)]
    install = {"spec": {"deployments": [{"name": "manager"}]}}
    hooks = [{"deploymentName": "manager"}, {"deploymentName": "other"}]
    result = check(bundle(tmp_path / "bundle", csv(install=install, webhookdefinitions=hooks), converted))
    assert found(result) == [("dangling-reference", "ClusterServiceVersion.operators.coreos.com widgets.v1")]
    assert one(result).message == "has a webhook for the Deployment other, which it does not contain"


def test_subscriptions_and_bindings_refer_to_what_exists(tmp_path):
    api = "operators.coreos.com/v1alpha1"
    subscription = thing("Subscription", namespace="fresh", api=api, spec={"sourceNamespace": "openshift-marketplace"})
    binding = thing("ClusterRoleBinding", api=RBAC, roleRef={"kind": "ClusterRole", "name": "console-reader"})
    result = gitops(tmp_path, subscription, binding)
    assert found(result) == [
        ("dangling-reference", "Subscription.operators.coreos.com fresh/one"),
        ("dangling-reference", "ClusterRoleBinding.rbac.authorization.k8s.io one"),
    ]
    assert [row["capabilities"] for row in result.keys["objects"]] == [["marketplace"], ["Console"]]
    catalog = thing("Namespace", "openshift-marketplace")
    assert len(found(gitops(tmp_path / "own", subscription, catalog))) == 0


def test_a_namespace_of_the_marketplace_brings_no_default_catalog(tmp_path):
    api = "operators.coreos.com/v1alpha1"
    spec = {"source": "redhat-operators", "sourceNamespace": "openshift-marketplace"}
    subscription = thing("Subscription", namespace="fresh", api=api, spec=spec)
    namespace = thing("Namespace", "openshift-marketplace")
    result = gitops(tmp_path, namespace, subscription)
    assert found(result) == [("dangling-reference", "Subscription.operators.coreos.com fresh/one")]
    assert one(result).message == (
        "refers to CatalogSource.operators.coreos.com openshift-marketplace/redhat-operators, which exists only with "
        "marketplace"
    )
    assert found(gitops(tmp_path, namespace, subscription, capabilities=EVERYTHING)) == []
    catalog = thing("CatalogSource", "redhat-operators", namespace="openshift-marketplace", api=api)
    assert found(gitops(tmp_path, namespace, catalog, subscription), "warning") == []


@pytest.mark.parametrize(
    ("file", "key", "type_name", "is_required"),
    [
        ("dependencies", "dependencies", "olm.gvk", True),
        ("dependencies", "dependencies", "olm.gvk.required", True),
        ("properties", "properties", "olm.gvk.required", True),
        ("properties", "properties", "olm.gvk", False),
    ],
)
@pytest.mark.parametrize(
    ("kind", "group", "is_part"), [("Sensor", "base.openshift.io", True), ("Widget", "example.com", False)]
)
def test_the_metadata_of_a_bundle_requires_apis(tmp_path, file, key, type_name, is_required, kind, group, is_part):
    """OLM takes no API from the cluster, so what is part of OpenShift is missing."""
    path = bundle(tmp_path, csv())
    entry = {"type": type_name, "value": {"group": group, "kind": kind, "version": "v1"}}
    write_addon(tmp_path, {f"metadata/{file}.yaml": json.dumps({key: [entry]})})
    expected = [("absent-requirement", CSV_NAME)] if is_required and is_part else []
    assert found(check(path, capabilities=EVERYTHING)) == expected


def test_a_file_of_the_metadata_can_have_properties_and_dependencies(tmp_path):
    path = bundle(tmp_path, csv(), LINK, properties=[])
    entry = {"type": "olm.gvk", "value": {"group": "base.openshift.io", "kind": "Sensor", "version": "v1"}}
    optional = {"group": "console.openshift.io", "kind": "ConsoleLink", "name": "one"}
    properties = [{"type": "olm.manifests.optional", "value": {"manifests": [optional]}}]
    write_addon(tmp_path, {"metadata/all.yaml": json.dumps({"dependencies": [entry], "properties": properties})})
    expected = [("absent-requirement", CSV_NAME), ("ignored-marker", LINK_NAME)]
    assert found(check(path, capabilities=EVERYTHING)) == expected


@pytest.mark.parametrize(
    ("before", "other", "is_required"),
    [
        ("---\n# license\n", [], True),
        ("# license\n---\n", [], False),
        ("a: 1\n---\n", [], False),
        ("", [{"type": "olm.package", "value": {"packageName": "gears", "version": "1.0.0"}}], False),
    ],
)
def test_opm_reads_the_first_document_and_the_first_file_with_a_list(tmp_path, before, other, is_required):
    path = bundle(tmp_path, csv())
    entry = {"type": "olm.gvk", "value": {"group": "base.openshift.io", "kind": "Sensor", "version": "v1"}}
    texts = {"a.yaml": {"dependencies": other}, "dependencies.yaml": {"dependencies": [entry]}}
    write_addon(tmp_path, {f"metadata/{name}": before + json.dumps(text) for name, text in texts.items()})
    expected = [("absent-requirement", CSV_NAME)] if is_required else []
    assert found(check(path, capabilities=EVERYTHING)) == expected


def test_the_properties_of_a_bundle_in_a_catalog_require_apis_beside_its_objects(tmp_path):
    entry = {"type": "olm.gvk.required", "value": {"group": "base.openshift.io", "kind": "Sensor", "version": "v1"}}
    text = json.dumps(catalog_bundle("widgets.v1", csv(), properties=[entry]))
    result = check(write_addon(tmp_path, {"catalog.json": text}))
    assert found(result) == [("absent-requirement", f"widgets.v1: {CSV_NAME}")]


@pytest.mark.parametrize("capabilities", [EVERYTHING, ONLY_OLM])
@pytest.mark.parametrize(("minor", "is_lost"), [(V4_21, False), (V4_22, True)])
def test_the_marketplace_of_later_releases_lacks_a_catalog(tmp_path, minor, is_lost, capabilities):
    api = "operators.coreos.com/v1alpha1"
    spec = {"source": "redhat-marketplace", "sourceNamespace": "openshift-marketplace"}
    subscription = thing("Subscription", namespace="fresh", api=api, spec=spec)
    namespace = thing("Namespace", "openshift-marketplace")
    result = gitops(tmp_path, namespace, subscription, minor=minor, capabilities=capabilities)
    is_absent = is_lost or capabilities is ONLY_OLM
    name = "Subscription.operators.coreos.com fresh/one"
    assert found(result) == ([("dangling-reference", name)] if is_absent else [])
    needs = ["marketplace"] if is_absent and not is_lost else []
    assert [row["capabilities"] for row in result.keys["objects"]] == [[], needs]
    catalog = thing("CatalogSource", "redhat-marketplace", namespace="openshift-marketplace", api=api)
    assert found(gitops(tmp_path, namespace, catalog, subscription, minor=minor), "warning") == []


# Selections


def test_without_a_selection_an_addon_is_checked_for_every_selection(tmp_path):
    result = check(bundle(tmp_path, csv(), LINK), capabilities=None)
    assert found(result) == [("absent-kind", LINK_NAME)]
    assert result.keys["every_selection"]
    assert result.keys["addons"] == [
        {"path": "manifests", "name": "", "installer": "olm", "error": 1, "review": 0, "fine": 1, "needs": ["Console"]}
    ]
    # A HostedCluster cannot disable marketplace, and has no operator of OLM v1.
    extension = thing("ClusterExtension", api="olm.operatorframework.io/v1")
    objects = (LINK, thing("ConfigMap", namespace="openshift-marketplace"), extension)
    hosted = gitops(tmp_path / "hosted", *objects, capabilities=None, profile="ibm-cloud-managed")
    name = "ClusterExtension.olm.operatorframework.io one"
    assert found(hosted) == [("absent-kind", LINK_NAME), ("unknown-kind", name)]
    assert hosted.findings[1].message.endswith("these files define the kind for this cluster")
    # A cluster without OLM can be selected on purpose.
    without = check(bundle(tmp_path / "without", csv()), capabilities={"baselineCapabilitySet": "None"})
    assert found(without) == [("absent-kind", "ClusterServiceVersion.operators.coreos.com widgets.v1")]


def test_what_a_hosted_cluster_lacks_is_enabled_before_its_installation(tmp_path):
    selection = {"baselineCapabilitySet": "vCurrent", "excluded_capabilities": ["Console"]}
    result = gitops(tmp_path, LINK, capabilities=selection, profile="ibm-cloud-managed")
    hint = (
        "Leave the object out, or enable Console in the HostedCluster before its installation, which adds 4 manifests"
    )
    assert one(result).hint == hint


def test_a_warning_is_no_need_and_no_capability_repairs_another_error(tmp_path):
    rules = [{"apiGroups": ["console.openshift.io"], "resources": ["consolelinks"], "verbs": ["get"]}]
    install = {"strategy": "deployment", "spec": {"clusterPermissions": [{"rules": rules}]}}
    wrong = {"group": "base.openshift.io", "kind": "Sensor", "version": "v9"}
    path = bundle(tmp_path, csv(install=install))
    none = {"baselineCapabilitySet": "None"}
    olm, console = "OperatorLifecycleManager", "Console"
    for needs, repairs, own in (([olm], [[console, olm]], []), ([olm], [], [wrong])):
        bundle(tmp_path, csv(install=install, nativeAPIs=own))
        result = check(path, capabilities=none).keys
        assert ([row["needs"] for row in result["addons"]], [row["capabilities"] for row in result["repairs"]]) == (
            [needs],
            repairs,
        )


def test_what_a_repair_adds(tmp_path):
    (repair,) = gitops(tmp_path, LINK).keys["repairs"]
    assert repair == {"capabilities": ["Console"], "objects": 1, "manifests": 4}
