# Copyright: Contributors to the capability.openshift collection
# SPDX-License-Identifier: GPL-3.0-or-later

"""Extra manifests of sites, in the layouts of the repositories that use them.

They create what a release refers to, and are checked as add-ons.
"""

from __future__ import annotations

import json

import pytest

from ansible_collections.capability.openshift.tests.unit.builders.addons import RELEASE_FILES
from ansible_collections.capability.openshift.tests.unit.builders.releases import (
    cluster_version_crd,
    manifest,
    write_release,
)
from ansible_collections.capability.openshift.tests.unit.builders.sites import (
    INSTALL_CONFIG,
    agent_cluster_install,
    cluster_instance,
    overrides,
    quoted,
    rules_of,
    site_config,
    write_checkout,
)

RAN_DU = ("NodeTuning", "OperatorLifecycleManager", "Ingress")
NAMESPACE = "apiVersion: v1\nkind: Namespace\nmetadata:\n  name: openshift-marketplace\n"
# The layout of openshift-kni/telco-reference:telco-ran/install/clusterinstance.
KUSTOMIZATION = """\
apiVersion: kustomize.config.k8s.io/v1beta1
kind: Kustomization
resources: [example-sno.yaml]
generatorOptions: {disableNameSuffixHash: true}
configMapGenerator:
- name: extra-manifests
  namespace: berlin
  files:
  - extra-manifests/01-kubelet.yaml
  - marketplace.yaml=extra-manifests/09-openshift-marketplace-ns.yaml
"""
EXISTING = {"kind": "Namespace", "metadata": {"name": "openshift-marketplace"}}
CONFIG_MAP = """\
apiVersion: v1
kind: ConfigMap
metadata: {name: extra-manifests, namespace: NAMESPACE}
data:
  marketplace.yaml: |
    apiVersion: v1
    kind: Namespace
    metadata: {name: openshift-marketplace}
"""
LIST = "apiVersion: v1\nkind: List\nitems:\n- " + "\n  ".join(CONFIG_MAP.splitlines()) + "\n"
KEY = "marketplace.yaml:"
REFS = "  extraManifestsRefs:\n  - name: others\n  - name: extra-manifests\n"
INSTANCE = cluster_instance(quoted(overrides(*RAN_DU)), image_set="img5.0.0", more=REFS)
AGENT = agent_cluster_install(overrides(*RAN_DU), spec="imageSetRef: {name: img5.0.0}\nMANIFESTS\n")
SITE_CONFIG = site_config(("one", "img5.0.0", overrides(*RAN_DU)))


@pytest.fixture
def checked(check, tmp_path):
    """Check files with a 5.0 whose OLM has a manifest in the Namespace of marketplace."""
    crd = cluster_version_crd([*RAN_DU, "marketplace"])
    files = {
        "0000_00_clusterversion.crd.yaml": crd,
        "0000_50_marketplace_01.yaml": manifest("openshift-marketplace", "marketplace", kind="Namespace"),
        "0000_50_olm_01.yaml": manifest("one", "OperatorLifecycleManager", namespace="openshift-marketplace"),
    }
    release = write_release(tmp_path / "release", files, "5.0.0")
    return lambda files, **options: check(files, releases=[str(release)], **options)


@pytest.mark.parametrize(
    "files",
    [
        {
            "kustomization.yaml": KUSTOMIZATION,
            "extra-manifests/01-kubelet.yaml": "kind: KubeletConfig\n",
            "extra-manifests/09-openshift-marketplace-ns.yaml": NAMESPACE,
            "example-sno.yaml": INSTANCE,
        },
        {"berlin.yaml": INSTANCE, "elsewhere/extra.yaml": CONFIG_MAP.replace("NAMESPACE", "berlin")},
        {"berlin.yaml": INSTANCE, "list.yaml": LIST.replace("NAMESPACE", "berlin")},
        {
            "paris.yaml": AGENT.replace("MANIFESTS", "manifestsConfigMapRefs: [{name: extra-manifests}]"),
            "extra.yaml": CONFIG_MAP.replace("NAMESPACE", "paris"),
        },
        {
            "paris.yaml": AGENT.replace("MANIFESTS", "manifestsConfigMapRef: {name: extra-manifests}"),
            "extra.yaml": CONFIG_MAP.replace(", namespace: NAMESPACE", ""),
        },
        {
            "sites/lab.yaml": SITE_CONFIG
            + "    extraManifests: {searchPaths: [custom-manifest/, sno-extra-manifest]}\n",
            "sites/sno-extra-manifest/ns.yaml": NAMESPACE,
        },
        {"sites/lab.yaml": SITE_CONFIG + "    extraManifestPath: extra/\n", "sites/extra/ns.yaml": NAMESPACE},
        {
            "base/kustomization.yaml": KUSTOMIZATION.replace("example-sno.yaml", ""),
            "base/extra-manifests/01-kubelet.yaml": "kind: KubeletConfig\n",
            "base/extra-manifests/09-openshift-marketplace-ns.yaml": NAMESPACE,
            "berlin/kustomization.yaml": KUSTOMIZATION.partition("  files:")[0]
            + "  behavior: merge\n  files: [b.yaml]\n",
            "berlin/b.yaml": "kind: KubeletConfig\n",
            "berlin/example-sno.yaml": INSTANCE,
        },
        {"cluster-manifests/install.yaml": AGENT.replace("MANIFESTS", ""), "openshift/ns.yaml": NAMESPACE},
    ],
    ids=[
        "telco reference",
        "ConfigMap",
        "List",
        "list of an agent install",
        "agent install",
        "search paths",
        "path",
        "merge",
        "manifests of the agent-based installer",
    ],
)
def test_a_namespace_of_extra_manifests_exists(checked, files):
    assert rules_of(checked(files)["findings"]) == []
    only = [path for path, text in files.items() if "installConfigOverrides" in text or "overrides:" in text]
    without = {
        path: "" if text == NAMESPACE else text.replace("openshift-marketplace", "x") for path, text in files.items()
    }
    found = checked({**without, only[0]: files[only[0]]})["findings"]
    assert rules_of(found) == [("dangling-namespace", only[0])]


def test_extra_manifests_of_another_site_do_not_count(checked):
    files = {"berlin.yaml": INSTANCE, "extra.yaml": CONFIG_MAP.replace("NAMESPACE", "rome")}
    found = checked(files)["findings"]
    assert rules_of(found) == [("dangling-namespace", "berlin.yaml")]
    assert rules_of(found, "info") == [("unread-extra-manifests", "berlin.yaml")]


def test_the_config_map_of_a_site_whose_namespace_kustomize_sets_is_the_nearest(checked):
    other = CONFIG_MAP.replace("NAMESPACE", "rome").replace("name: openshift-marketplace", "name: other")
    files = {
        "berlin/kustomization.yaml": KUSTOMIZATION.replace("  namespace: berlin\n", "") + "namespace: berlin\n",
        "berlin/extra-manifests/01-kubelet.yaml": "kind: KubeletConfig\n",
        "berlin/extra-manifests/09-openshift-marketplace-ns.yaml": NAMESPACE,
        "berlin/example-sno.yaml": INSTANCE.replace("  namespace: berlin\n", ""),
        "rome/extra.yaml": other,
    }
    assert "namespace:" not in files["berlin/example-sno.yaml"]
    assert rules_of(checked(files)["findings"]) == []
    without = checked({**files, "berlin/kustomization.yaml": ""})
    assert rules_of(without["findings"]) == [("dangling-namespace", "berlin/example-sno.yaml")]


def test_a_missing_file_or_directory_of_extra_manifests_is_named(checked):
    without = {"kustomization.yaml": KUSTOMIZATION, "example-sno.yaml": INSTANCE}
    paths = "    extraManifests: {searchPaths: [sno-extra-manifest]}\n"
    for files, name in (
        (without, "extra-manifests"),
        ({"example-sno.yaml": SITE_CONFIG + paths}, "sno-extra-manifest"),
    ):
        outcome = checked(files)
        assert "; 1 of 1 site was not checked with all extra manifests\n" in outcome["text"]
        found = outcome["findings"]
        assert rules_of(found) == [("dangling-namespace", "example-sno.yaml")]
        assert rules_of(found, "info")[-1] == ("unread-extra-manifests", "example-sno.yaml")
        assert any(name in item["message"] for item in found if item["rule"] == "unread-extra-manifests")


@pytest.mark.parametrize("options", [{}, {"solution": "ran_du", "state": "fixed"}])
def test_extra_manifests_that_are_not_read_can_create_the_namespace_of_marketplace(check, options):
    outcome = check({"berlin.yaml": INSTANCE}, **options)
    assert rules_of(outcome["findings"], "info") == [("unread-extra-manifests", "berlin.yaml")]


def test_a_config_map_whose_name_gets_a_hash_is_not_the_one_of_the_site(checked):
    hashed = KUSTOMIZATION.replace("generatorOptions: {disableNameSuffixHash: true}\n", "")
    site = {"example-sno.yaml": INSTANCE, "extra-manifests/09-openshift-marketplace-ns.yaml": NAMESPACE}
    found = checked(site | {"kustomization.yaml": hashed})["findings"]
    assert rules_of(found) == [("dangling-namespace", "example-sno.yaml")]
    assert rules_of(found, "warning")[-1] == ("unread-extra-manifests", "kustomization.yaml")
    of_generator = hashed.replace("  files:", "  options: {disableNameSuffixHash: true}\n  files:")
    for known in (of_generator, f"{hashed}configurations: [references.yaml]\n"):
        assert rules_of(checked(site | {"kustomization.yaml": known})["findings"]) == []


@pytest.mark.parametrize(
    ("name", "affixes", "counts"),
    [
        ("extra-manifests", "", True),
        ("extra-manifests", "namePrefix: lab-\n", False),
        ("manifests", "namePrefix: extra-\n", True),
        ("extra", "nameSuffix: -manifests\n", True),
    ],
)
def test_a_config_map_has_the_name_with_the_prefix_and_suffix_of_kustomize(checked, name, affixes, counts):
    kustomization = affixes + KUSTOMIZATION.replace("name: extra-manifests", f"name: {name}")
    files = {
        "kustomization.yaml": kustomization,
        "extra-manifests/01-kubelet.yaml": "kind: KubeletConfig\n",
        "extra-manifests/09-openshift-marketplace-ns.yaml": NAMESPACE,
        "example-sno.yaml": INSTANCE,
    }
    assert rules_of(checked(files)["findings"]) == ([] if counts else [("dangling-namespace", "example-sno.yaml")])


def unread(findings):
    return [item for item in rules_of(findings, "warning") if item[0] == "unread-extra-manifests"]


@pytest.mark.parametrize("suffix", [".txt", ".YAML", ".yml.patch_x", "", ".yml"])
def test_a_key_that_assisted_service_does_not_take_creates_nothing(checked, suffix):
    files = {
        "berlin.yaml": INSTANCE,
        "extra.yaml": CONFIG_MAP.replace("NAMESPACE", "berlin").replace(KEY, f"ns{suffix}:"),
    }
    found = checked(files)["findings"]
    assert rules_of(found) == ([] if suffix == ".yml" else [("dangling-namespace", "berlin.yaml")])
    is_rejected = suffix in (".txt", ".YAML", "")
    assert unread(found) == [("unread-extra-manifests", "extra.yaml")] * is_rejected


def test_a_manifest_with_the_suffix_of_json_is_json(checked):
    text = CONFIG_MAP.replace("NAMESPACE", "berlin").replace(KEY, "ns.json:")
    found = checked({"berlin.yaml": INSTANCE, "extra.yaml": text})["findings"]
    assert rules_of(found) == [("dangling-namespace", "berlin.yaml")]
    assert unread(found) == [("unread-extra-manifests", "extra.yaml")]
    as_json = '{"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": "openshift-marketplace"}}'
    kustomization = KUSTOMIZATION.partition("  files:")[0] + "  files: [ns.json, missing.json]\n"
    for content, is_rejected in ((NAMESPACE, True), (as_json, False), ('{"a": {{ x }}}', False)):
        found = checked({"extra.yaml": "a: 1\n", "kustomization.yaml": kustomization, "ns.json": content})["findings"]
        assert unread(found) == [("unread-extra-manifests", "kustomization.yaml")] * is_rejected


@pytest.mark.parametrize(
    ("name", "content", "counts"),
    [
        ("ns.yaml", f"---\n{NAMESPACE}---\n", True),
        ("ns.yaml", f"{NAMESPACE}---\napiVersion: v1\nkind: Namespace\nmetadata: {{name: other}}\n", True),
        ("ns.yaml", f"apiVersion: v1\nkind: Namespace\nmetadata: {{name: other}}\n---\n{NAMESPACE}", False),
        ("ns.json", '{"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": "openshift-marketplace"}}', False),
    ],
)
def test_the_generator_of_a_site_config_reads_the_first_document(checked, name, content, counts):
    site = SITE_CONFIG + "    extraManifests: {searchPaths: [extra]}\n"
    found = checked({"lab.yaml": site, f"extra/{name}": content})["findings"]
    assert rules_of(found) == ([] if counts else [("dangling-namespace", "lab.yaml")])
    is_dropped = content.count("kind: ") > 1 or not counts
    assert unread(found) == [("unread-extra-manifests", f"extra/{name}")] * is_dropped


@pytest.mark.parametrize(
    ("manifest", "counts"),
    [
        (f"kind: List\napiVersion: v1\nitems: [{json.dumps({'apiVersion': 'v1', **EXISTING})}]\n", False),
        ("kind: ConfigMapList\napiVersion: v1\nitems: []\n", False),
        ("# A comment\n", False),
        (f"{NAMESPACE}---\na: 1\n", False),
        (f"{NAMESPACE}---\n- {EXISTING}\n", False),
        (f"{NAMESPACE}---\n${{more}}\n", True),
        (f"---\n# A comment\n---\n{NAMESPACE}", False),
        (f"# A comment\n---\n{NAMESPACE}", True),
        (f"---\n# A comment\n---\n{NAMESPACE}---\nkind: Namespace\n", True),
        (f"%YAML 1.1\n---\n{NAMESPACE}", True),
        (f"---\n---\n{NAMESPACE}---\n{NAMESPACE.replace('market', 'other')}", True),
    ],
)
def test_what_the_bootstrap_cannot_read_does_not_exist(checked, manifest, counts):
    """assisted-service divides a file only if several documents are not empty."""
    files = {"berlin.yaml": INSTANCE, "kustomization.yaml": KUSTOMIZATION}
    files["extra-manifests/01-kubelet.yaml"] = "kind: KubeletConfig\n"
    files["extra-manifests/09-openshift-marketplace-ns.yaml"] = manifest
    found = checked(files)["findings"]
    expected = [
        ("dangling-namespace", "berlin.yaml"),
        ("unread-extra-manifests", "extra-manifests/09-openshift-marketplace-ns.yaml"),
    ]
    assert rules_of(found) == ([] if counts else expected)


@pytest.mark.parametrize("name", ["ibi-cluster-templates-v1", "hcp-cluster-templates-v1"])
def test_no_bootstrap_reads_the_extra_manifests_of_an_image_based_or_hosted_cluster(checked, name):
    site = cluster_instance(more=f"  templateRefs: [{{name: {name}}}]\n{REFS}")
    wrong = LIST.replace("NAMESPACE", "berlin").replace("marketplace.yaml: |", "marketplace.txt: |")
    assert checked({"berlin.yaml": site, "map.yaml": wrong})["findings"] == []


def test_the_bootstrap_reads_no_later_version_of_yaml(checked):
    files = {"berlin.yaml": INSTANCE, "kustomization.yaml": KUSTOMIZATION}
    files["extra-manifests/01-kubelet.yaml"] = "kind: KubeletConfig\n"
    files["extra-manifests/09-openshift-marketplace-ns.yaml"] = f"%YAML 1.2\n---\n{NAMESPACE}"
    expected = ("invalid-manifest", "extra-manifests/09-openshift-marketplace-ns.yaml")
    assert rules_of(checked(files)["findings"]) == [expected]


@pytest.mark.parametrize(("left_out", "reported"), [("b.yaml", ["a.yaml"]), ("a.yaml", ["b.yaml"])])
def test_only_files_that_the_filter_keeps_are_reported(checked, left_out, reported):
    site = SITE_CONFIG + f"    extraManifests: {{searchPaths: [extra], filter: {{exclude: [{left_out}]}}}}\n"
    extra = dict.fromkeys(("extra/a.yaml", "extra/b.yaml"), f"{NAMESPACE}---\n{NAMESPACE.replace('market', '')}")
    found = checked({"lab.yaml": site, **extra})["findings"]
    assert unread(found) == [("unread-extra-manifests", f"extra/{name}") for name in reported]


@pytest.mark.parametrize(
    ("name", "beside", "counts"),
    [
        ("ns.json", "agent-config.yaml", False),
        ("ns.yaml", "agent-config.yaml", True),
        ("ns.json", "other.yaml", True),
    ],
)
def test_the_agent_based_installer_reads_no_json(checked, name, beside, counts):
    text = '{"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": "openshift-marketplace"}}'
    config = INSTALL_CONFIG.replace("[Console]", json.dumps(RAN_DU))
    files = {"lab/install-config.yaml": config, f"lab/{beside}": "a: 1\n", f"lab/openshift/{name}": text}
    found = checked(files, openshift_version="5.0")["findings"]
    assert rules_of(found) == ([] if counts else [("dangling-namespace", "lab/install-config.yaml")])
    assert unread(found) == [("unread-extra-manifests", f"lab/openshift/{name}")] * (not counts)


def test_two_config_maps_with_the_same_key_are_rejected(checked):
    one = CONFIG_MAP.replace("NAMESPACE", "berlin")
    files = {"berlin.yaml": INSTANCE, "extra.yaml": one, "second.yaml": one.replace("extra-manifests", "others")}
    assert unread(checked(files)["findings"]) == [("unread-extra-manifests", "berlin.yaml")]
    files["second.yaml"] = files["second.yaml"].replace(KEY, "other.yaml:")
    assert unread(checked(files)["findings"]) == []


def test_a_directory_can_be_relative_to_the_kustomization_above(checked):
    site = SITE_CONFIG + "    extraManifests: {searchPaths: [extra]}\n"
    files = {"sites/one/site.yaml": site, "sites/extra/ns.yaml": NAMESPACE, "sites/kustomization.yaml": "a: 1\n"}
    assert rules_of(checked(files)["findings"]) == []
    nearer = {"sites/one/extra/ns.yaml": NAMESPACE.replace("marketplace", "x")}
    assert rules_of(checked(files | nearer)["findings"]) == [("dangling-namespace", "sites/one/site.yaml")]


def test_of_config_maps_with_one_name_the_nearest_counts(checked):
    unnamed = CONFIG_MAP.replace(", namespace: NAMESPACE", "")
    files = {
        "a/berlin.yaml": INSTANCE,
        "a/extra/map.yaml": unnamed.replace("openshift-marketplace", "x"),
        "b/rome.yaml": INSTANCE.replace("berlin", "rome"),
        "b/extra/map.yaml": unnamed,
    }
    assert rules_of(checked(files)["findings"]) == [("dangling-namespace", "a/berlin.yaml")]
    files["maps.yaml"] = CONFIG_MAP.replace("NAMESPACE", "berlin")
    assert rules_of(checked(files)["findings"]) == []


@pytest.mark.parametrize("behavior", ["merge", "replace"])
def test_what_another_site_changes_in_a_common_config_map_does_not_count(checked, behavior):
    generator = KUSTOMIZATION.replace("  namespace: berlin\n", "").partition("  files:")[0]
    files = {
        "base/kustomization.yaml": f"{generator}  files: [kubelet.yaml]\n",
        "base/kubelet.yaml": "kind: KubeletConfig\n",
        "sites/berlin/site.yaml": INSTANCE,
        "sites/berlin/kustomization.yaml": f"{generator}  behavior: {behavior}\n  files: [ns.yaml]\n",
        "sites/berlin/ns.yaml": NAMESPACE,
        "sites/rome/site.yaml": INSTANCE.replace("berlin", "rome"),
    }
    assert rules_of(checked(files)["findings"]) == [("dangling-namespace", "sites/rome/site.yaml")]


@pytest.mark.parametrize(("paths", "rules"), [("null", []), ("[]", ["dangling-namespace"])])
def test_of_search_paths_and_a_path_the_search_paths_count(checked, paths, rules):
    site = f"{SITE_CONFIG}    extraManifestPath: extra\n    extraManifests: {{searchPaths: {paths}}}\n"
    found = checked({"lab.yaml": site, "extra/ns.yaml": NAMESPACE})["findings"]
    assert rules_of(found) == [(rule, "lab.yaml") for rule in rules]


@pytest.mark.parametrize(
    ("refs", "rules"), [("null", []), ("[]", ["dangling-namespace"]), ("[{name: x}]", ["dangling-namespace"])]
)
def test_of_two_fields_with_extra_manifests_the_list_counts(checked, refs, rules):
    fields = f"manifestsConfigMapRef: {{name: extra-manifests}}\n  manifestsConfigMapRefs: {refs}"
    files = {"paris.yaml": AGENT.replace("MANIFESTS", fields), "extra.yaml": CONFIG_MAP.replace("NAMESPACE", "paris")}
    assert rules_of(checked(files)["findings"]) == [(rule, "paris.yaml") for rule in rules]


def test_extra_manifests_outside_of_paths_count_and_files_outside_of_the_checkout_do_not(checked, tmp_path):
    (tmp_path / "outside.yaml").write_text(NAMESPACE)
    files = {"sites/berlin.yaml": INSTANCE, "extra.yaml": CONFIG_MAP.replace("NAMESPACE", "berlin")}
    assert rules_of(checked(files, paths=["sites"])["findings"]) == []
    files["extra.yaml"] = KUSTOMIZATION.replace("extra-manifests/09-openshift-marketplace-ns.yaml", "../outside.yaml")
    assert rules_of(checked(files)["findings"]) == [("dangling-namespace", "sites/berlin.yaml")]


def test_without_a_release_the_rule_of_5_0_is_checked_and_extra_manifests_satisfy_it(check):
    found = check({"berlin.yaml": INSTANCE})["findings"]
    assert rules_of(found, "warning") == [("doc-olm-marketplace", "berlin.yaml")]
    extra = {"extra.yaml": CONFIG_MAP.replace("NAMESPACE", "berlin")}
    assert check(extra)["findings"] == []
    fixed = check(extra, state="fixed", solution="ran_du")
    assert (fixed["findings"], fixed["changed"]) == ([], False)


def test_a_solution_without_extra_manifests_has_marketplace(check, tmp_path):
    check({"berlin.yaml": INSTANCE}, state="fixed", solution="ran_du")
    assert '"marketplace"' in (tmp_path / "checkout" / "berlin.yaml").read_text()


def test_a_reference_and_the_rule_of_5_0_are_one_finding(checked):
    found = checked({"berlin.yaml": INSTANCE.replace("extraManifestsRefs", "others")})["findings"]
    assert [item["rule"] for item in found if "openshift-marketplace" in item["message"]] == ["dangling-namespace"]
    assert found[0]["hint"].startswith("Create Namespace openshift-marketplace")


# Extra manifests as add-ons

LINK = "apiVersion: console.openshift.io/v1\nkind: ConsoleLink\nmetadata: {name: NAME}\n"
IN_MARKETPLACE = "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: catalog, namespace: openshift-marketplace}\n"
WITH_EXTRA = cluster_instance(quoted(overrides(*RAN_DU)), more=REFS)
BLOCK = """\
apiVersion: v1
kind: ConfigMap
metadata: {name: extra-manifests, namespace: berlin}
data:
  links.yaml: |
    # two links
    apiVersion: console.openshift.io/v1
    kind: ConsoleLink
    metadata: {name: one}
    ---
    apiVersion: console.openshift.io/v1
    kind: ConsoleLink
    metadata: {name: two}
  note.json: '{"apiVersion": "console.openshift.io/v1", "kind": "ConsoleLink", "metadata": {"name": "three"}}'
"""


@pytest.fixture
def judged(check, tmp_path):
    """Check files with a 4.20 in which kinds and Namespaces need capabilities."""
    release = write_release(tmp_path / "release", RELEASE_FILES, "4.20.3")
    return lambda files, **options: check(files, **{"releases": [str(release)], **options})


def places(outcome, *rules):
    """Rule, path, line and resource of the findings of rules."""
    return [
        (item["rule"], item["path"], item["line"], item["resource"].partition(": ")[0].rpartition(" ")[2])
        for item in outcome["findings"]
        if item["rule"] in rules
    ]


def test_each_object_is_found_where_it_is(judged):
    outcome = judged({"berlin.yaml": WITH_EXTRA, "extra.yaml": BLOCK})
    assert places(outcome, "absent-kind") == [
        ("absent-kind", "extra.yaml", 7, "one"),
        ("absent-kind", "extra.yaml", 11, "two"),
        ("absent-kind", "extra.yaml", 14, "three"),
    ]
    assert outcome["findings"][0]["resource"].endswith(": extra manifest of berlin")
    assert outcome["counts"]["error"] == 3


@pytest.mark.parametrize(
    ("site", "folder"),
    [
        (KUSTOMIZATION.replace("[example-sno.yaml]", "[]"), "extra-manifests/01-kubelet.yaml"),
        (SITE_CONFIG.replace("img5.0.0", "img4.20.3") + "    extraManifestPath: extra\n", "extra/link.yaml"),
        (INSTALL_CONFIG.replace("[Console]", "[Ingress]"), "openshift/link.yaml"),
    ],
    ids=["generated ConfigMap", "directory", "install-config"],
)
def test_files_of_extra_manifests_are_checked(judged, site, folder):
    files = {"site.yaml": WITH_EXTRA, folder: f"# a link\n---\n{LINK}"}
    files["kustomization.yaml" if "Kustomization" in site else "site.yaml"] = site
    outcome = judged(files, openshift_version="4.20.3")
    assert places(outcome, "absent-kind") == [("absent-kind", folder, 3, "NAME")]


def test_an_object_is_where_it_is_after_the_correction_of_a_site_in_the_same_file(judged):
    wrong = "'{\n      " + overrides("Ingress", "nodetuning")[1:-1] + "\n    }'"
    site = cluster_instance(wrong, image_set="img4.20.3", more=REFS)
    other = cluster_instance(quoted(overrides("Ingress", "NodeTuning")), image_set="img4.20.3", more=REFS)
    files = {"berlin.yaml": f"{site}---\n{BLOCK}", "other.yaml": other}
    first, second = (judged(given, state="fixed") for given in (files, {}))
    assert first["fixed_files"] == ["berlin.yaml"]
    assert places(first, "absent-kind") == places(second, "absent-kind") != []


def test_two_sites_can_link_to_the_same_directory(judged, tmp_path):
    site = SITE_CONFIG.replace("img5.0.0", "img4.20.3") + "    extraManifestPath: extra\n"
    write_checkout(tmp_path / "checkout", {f"{name}/site.yaml": site for name in ("a", "b")})
    for name in ("a", "b"):
        (tmp_path / "checkout" / name / "extra").symlink_to("../shared")
    outcome = judged({"shared/link.yaml": LINK})
    assert places(outcome, "absent-kind") == [("absent-kind", "shared/link.yaml", 1, "NAME")]
    assert outcome["text"].splitlines()[-1].startswith("1 error in 2 sites")


@pytest.mark.parametrize(
    ("given", "found"),
    [
        ("{exclude: [a.yaml]}", ["extra/b.yaml"]),
        ("{inclusionDefault: Exclude, include: [a.yaml]}", ["extra/a.yaml"]),
        ("{inclusionDefault: include}", ["extra/a.yaml", "extra/b.yaml"]),
    ],
)
def test_files_that_are_filtered_out_or_deeper_are_not_checked(judged, given, found):
    site = SITE_CONFIG.replace("img5.0.0", "img4.20.3")
    site += f"    extraManifests: {{searchPaths: [extra], filter: {given}}}\n"
    files = {f"extra/{path}": LINK for path in ("a.yaml", "b.yaml", "deep/a.yaml")}
    assert [item["path"] for item in judged({"site.yaml": site, **files})["findings"]] == found


@pytest.mark.parametrize(("paths", "found"), [("[a, b]", ["b/z.yaml"]), ("[b, a]", ["a/z.yaml"])])
def test_a_file_replaces_the_one_of_the_same_name_in_an_earlier_directory(judged, paths, found):
    """Source: openshift-kni/kni-enhancements:enhancements/siteconfig-extra-manifest-version-independence.md."""
    site = SITE_CONFIG.replace("img5.0.0", "img4.20.3") + f"    extraManifests: {{searchPaths: {paths}}}\n"
    files = {"site.yaml": site, "a/z.yaml": LINK, "b/z.yaml": LINK}
    assert [item["path"] for item in judged(files)["findings"]] == found


@pytest.mark.parametrize(
    ("own", "found"),
    [
        ("extraManifestPath: extra", ["unread-extra-manifests"]),
        ("extraManifests: {searchPaths: [extra]}", ["absent-namespace"]),
    ],
)
def test_the_generator_adds_extra_manifests_without_search_paths(judged, own, found):
    site = SITE_CONFIG.replace("img5.0.0", "img4.20.3") + f"    {own}\n"
    outcome = judged({"site.yaml": site, "extra/catalog.yaml": IN_MARKETPLACE})
    assert [item["rule"] for item in outcome["findings"]] == found


def test_what_the_extra_manifests_bring_counts_in_any_order(judged):
    names = "extra-manifests/01-kubelet.yaml", "extra-manifests/09-openshift-marketplace-ns.yaml"
    alone = KUSTOMIZATION.replace(f"  - marketplace.yaml={names[1]}\n", "")
    files = {"site.yaml": WITH_EXTRA.replace("  - name: others\n", ""), names[0]: IN_MARKETPLACE}
    assert len(places(judged({**files, "kustomization.yaml": alone}), "absent-namespace")) == 1
    files["kustomization.yaml"] = KUSTOMIZATION
    assert [item["rule"] for item in judged(files)["findings"]] == ["unread-extra-manifests"]
    assert judged({**files, names[1]: NAMESPACE})["findings"] == []


def test_sites_with_one_selection_share_a_finding_and_others_have_their_own(judged, tmp_path):
    def instance(name, *names):
        return cluster_instance(quoted(overrides(*names)), name, more=REFS)

    shared = BLOCK.replace(", namespace: berlin", "")
    sites = {f"{name}.yaml": instance(name, *RAN_DU) for name in ("berlin", "rome")}
    more = {"paris.yaml": instance("paris", *RAN_DU, "Console"), "oslo.yaml": instance("oslo", "Ingress", "Build")}
    baseline = {"baseline": str(tmp_path / "known.json")}
    assert judged({**sites, "extra.yaml": shared}, **baseline, update_baseline=True)["findings"] == []
    outcome = judged(more, **baseline)
    # With one more site, each is new, although the baseline has it for others.
    assert len(places(outcome, "absent-kind")) == 3
    assert outcome["findings"][0]["resource"].endswith(": extra manifest of berlin, oslo, rome")
    assert "paris" not in outcome["text"]


def test_without_a_release_of_the_site_extra_manifests_are_not_judged(judged):
    files = {"berlin.yaml": WITH_EXTRA, "extra.yaml": BLOCK}
    assert places(judged(files, releases=[]), "absent-kind") == []
    assert places(judged(files, openshift_versions={"*": "4.18"}), "absent-kind") == []


def test_what_cannot_be_read_is_reported_and_the_rest_is_checked(judged):
    broken = BLOCK.replace("# two links", "kind: [").replace("---", "---\n    {{ .Values.link }}\n    ---")
    outcome = judged({"berlin.yaml": WITH_EXTRA, "extra.yaml": broken})
    found = places(outcome, "absent-kind", "invalid-manifest", "template")
    assert [item[:3] for item in found] == [
        ("invalid-manifest", "extra.yaml", 8),
        ("template", "extra.yaml", 11),
        ("absent-kind", "extra.yaml", 13),
        ("absent-kind", "extra.yaml", 16),
    ]


def test_a_corrected_selection_decides(judged):
    wrong = cluster_instance(quoted(overrides(*RAN_DU, "console")), more=REFS)
    outcome = judged({"berlin.yaml": wrong, "extra.yaml": BLOCK}, state="fixed")
    assert (outcome["fixed_files"], outcome["findings"]) == (["berlin.yaml"], [])


def test_findings_of_extra_manifests_are_in_sarif(judged, tmp_path):
    path = tmp_path / "sites.sarif"
    outputs = [f"sarif:{path}"]
    judged({"berlin.yaml": WITH_EXTRA, "extra.yaml": BLOCK}, outputs=outputs)
    (run,) = json.loads(path.read_text())["runs"]
    first = run["results"][0]
    assert run["tool"]["driver"]["rules"][first["ruleIndex"]]["id"] == first["ruleId"] == "absent-kind"
    physical = first["locations"][0]["physicalLocation"]
    assert (physical["artifactLocation"]["uri"], physical["region"]["startLine"]) == ("extra.yaml", 7)
