# Copyright: Contributors to the capability.openshift collection
# SPDX-License-Identifier: GPL-3.0-or-later

"""Each site is compared with the selection that the options request, or counted as not compared."""

from __future__ import annotations

import json

import pytest
import yaml

from ansible_collections.capability.openshift.plugins.module_utils._data.solutions import SOLUTIONS
from ansible_collections.capability.openshift.tests.unit.builders.sites import (
    INSTALL_CONFIG,
    agent_cluster_install,
    block,
    cluster_instance,
    cluster_version,
    hosted_cluster,
    image_set,
    overrides,
    policy,
    quoted,
    rules_of,
)

INGRESS = block("Ingress")["capabilities"]
WITHOUT_CONSOLE = {"excluded_capabilities": ["Console"]}
BARE = cluster_version("Console").partition("  capabilities")[0]


def different(outcome):
    """The messages about other selections, without the name of the field."""
    found = [item for item in outcome["findings"] if item["rule"] == "different-selection"]
    return [item["message"].partition("differs from the requested selection: ")[2] for item in found]


@pytest.mark.parametrize(
    ("text", "selection", "difference"),
    [
        (cluster_instance(quoted(overrides("Ingress", "Console"))), INGRESS, "it also enables Console"),
        (cluster_instance(quoted(overrides("Ingress"))), block("Ingress", "Storage"), "it does not enable Storage"),
        (
            cluster_instance(quoted(overrides("Ingress", "Console", "Insights"))),
            block("Ingress", "Storage"),
            "it also enables Console, Insights, and it does not enable Storage",
        ),
        (agent_cluster_install("", spec="imageSetRef: {name: img4.20}\n"), WITHOUT_CONSOLE, "it also enables Console"),
        (hosted_cluster("{}"), WITHOUT_CONSOLE, "it also enables Console"),
        (hosted_cluster("{disabled: [Insights]}"), WITHOUT_CONSOLE, "it also enables Console, and it does not enable "),
        (policy(cluster_version("Ingress", "Console")), INGRESS, "it also enables Console"),
    ],
)
def test_the_difference_is_named(check, text, selection, difference):
    selection = selection.get("capabilities", selection)
    (found,) = different(check({"a.yaml": text}, capabilities=selection, openshift_version="4.20"))
    assert found.startswith(difference)


@pytest.mark.parametrize(
    ("value", "field"),
    [
        (overrides(baseline="vCurrent"), "baselineCapabilitySet is vCurrent"),
        (overrides("Consle"), "additionalEnabledCapabilities is ['Consle']"),
    ],
)
def test_a_selection_that_enables_the_same_names_is_another_one(check, value, field):
    """It can enable others after an update, or when a mistake is corrected."""
    files = {"a.yaml": cluster_instance(quoted(value))}
    names = check(files)["sites"][0]["enabled_capabilities"]
    (found,) = different(check(capabilities=block(*sorted(names))["capabilities"]))
    assert found.startswith("it enables the same names, but ")
    assert field in found


@pytest.mark.parametrize(
    ("text", "selection"),
    [
        (cluster_instance(quoted(overrides("Storage", "Ingress"))), block("Ingress", "Storage")["capabilities"]),
        (hosted_cluster("{disabled: [Console]}"), WITHOUT_CONSOLE),
        # A name that is enabled anyway makes no difference.
        (hosted_cluster("{disabled: [Console], enabled: [Insights]}"), WITHOUT_CONSOLE),
        (cluster_version("Ingress"), INGRESS),
        (INSTALL_CONFIG.replace("[Console]", "[Ingress]"), INGRESS),
    ],
)
def test_the_same_selection_is_no_difference(check, text, selection):
    outcome = check({"a.yaml": text}, capabilities=selection, openshift_version="4.20")
    assert different(outcome) == []
    assert "not compared" not in outcome["text"]


@pytest.mark.parametrize("solution", sorted(item.name for item in SOLUTIONS))
def test_a_hosted_cluster_gets_its_lists_from_the_hint(check, solution):
    """What the hint says is right: with it, the HostedCluster has the selection of the solution, and no other hint."""
    outcome = check({"a.yaml": hosted_cluster("{enabled: [baremetal]}")}, solution=solution)
    rules = rules_of(outcome["findings"])
    if rules == [("different-selection", "a.yaml")]:
        (hint,) = (item["hint"] for item in outcome["findings"] if item["severity"] == "error")
        text = hosted_cluster(json.dumps(json.loads(hint.removeprefix("Set capabilities to "))))
        findings = check({"a.yaml": text}, solution=solution)["findings"]
        assert {(item["severity"], item["hint"]) for item in findings} <= {("warning", "")}
    else:  # a solution that a hosted cluster cannot have
        assert rules
        assert "1 of 1 site was not compared with the requested selection" in outcome["text"]


@pytest.mark.parametrize("text", [hosted_cluster("{}"), cluster_version("Console")])
def test_what_is_only_compared_is_not_written(check, text, tmp_path):
    outcome = check({"a.yaml": text}, state="fixed", capabilities=WITHOUT_CONSOLE)
    assert rules_of(outcome["findings"]) == [("different-selection", "a.yaml")]
    assert (tmp_path / "checkout" / "a.yaml").read_text() == text


def test_what_is_not_compared_is_counted(check):
    files = {
        "a.yaml": cluster_instance("'{{ .Values.overrides }}'"),
        "b.yaml": cluster_instance(image_set="stable"),
        "c.yaml": cluster_version("Console"),
        "d.yaml": cluster_instance(quoted(overrides("NodeTuning", "OperatorLifecycleManager", "Ingress"))),
    }
    outcome = check(files, solution="ran_du")
    assert outcome["text"].splitlines()[-1] == (
        "1 warning, 1 note in 4 sites; 1 of 4 sites was not checked; 2 of 4 sites were not compared with the requested "
        "selection; 1 of 4 sites was not compared with the requested selection: a ClusterVersion has no platform, on "
        "which a solution depends"
    )
    assert check(files)["text"].splitlines()[-1] == "1 note in 4 sites; 1 of 4 sites was not checked"
    older = {"e.yaml": cluster_version("NodeTuning").replace("4.20", "4.14")}
    assert different(check(older, paths=["e.yaml"], solution="ran_du")) == []
    assert check(paths=["d.yaml"], solution="ran_du")["text"] == "No findings in 1 site\n"


@pytest.mark.parametrize("patches", ["patches: [{path: ./patch.yaml}]", "patchesStrategicMerge: [patch.yaml]"])
def test_a_patch_without_a_selection_is_not_compared(check, patches):
    """The selection of the site is in its base."""
    files = {"berlin/kustomization.yaml": f"resources: [../base]\n{patches}\n", "berlin/patch.yaml": cluster_instance()}
    outcome = check(files, state="fixed", capabilities=INGRESS)
    assert rules_of(outcome["findings"], "info") == [("kustomization", "berlin/kustomization.yaml")]
    assert different(outcome) == []
    assert not outcome["changed"]
    assert "1 of 1 site was not compared" in outcome["text"]
    files = {"berlin/patch.yaml": cluster_instance(quoted(overrides("Console")))}
    assert different(check(files, capabilities=INGRESS))


@pytest.mark.parametrize(
    ("patches", "reported"),
    [
        ("patches: [{path: p.yaml, target: {name: berlin}}]", True),
        ("patches: [{patch: '[]', target: {labelSelector: a=b}}]", True),
        ("patches: [{patch: '[]', target: {kind: Cluster.*}}]", True),
        ("patches: [{patch: '[]', target: {kind: '('}}]", True),
        ("patches: [{patch: '[]', target: {kind: Deployment}}]", False),
        ("patchesJson6902: [{path: p.yaml, target: {name: berlin}}]", True),
        ("patchesStrategicMerge: ['{kind: ConfigMap, metadata: {name: extra}}']", True),
        ("patchesStrategicMerge: ['{kind: Deployment, metadata: {name: extra}}']", False),
        ("transformers: [t.yaml]", True),
        ("commonAnnotations: {agent-install.openshift.io/install-config-overrides: '{}'}", True),
        ("patches: [{path: p.yaml}]", False),
        ("namePrefix: a-", False),
    ],
)
def test_a_patch_of_any_kind_can_change_the_sites_below(check, patches, reported):
    files = {
        "base/site.yaml": cluster_instance(quoted(overrides("Ingress"))),
        "base/kustomization.yaml": "resources: [site.yaml, .]\n",
        "other/kustomization.yaml": f"resources: [a.yaml]\n{patches}\n",
        "over/kustomization.yml": f"resources: [../base]\n{patches}\n",
        "over/p.yaml": "[{op: remove, path: /spec/installConfigOverrides}]\n",
    }
    expected = [("kustomization", "over/kustomization.yml")] if reported else []
    assert rules_of(check(files)["findings"], "info") == expected


GENERATOR = """\
generatorOptions: {disableNameSuffixHash: true}
configMapGenerator: [{name: extra, behavior: merge}]
"""
OPEN = "patches: [{patch: '[]', target: {name: berlin}}]"


@pytest.mark.parametrize(
    ("files", "where"),
    [
        (
            {
                "old/kustomization.yaml": OPEN,
                "berlin/kustomization.yaml": "{resources: [../base], components: [../old]}",
            },
            "old/kustomization.yaml",
        ),
        ({"kustomization.yaml": f"generators: [base/site.yaml]\n{OPEN}"}, "kustomization.yaml"),
        (
            {"set.yaml": image_set("stable", "4.20.3"), "kustomization.yaml": f"resources: [set.yaml]\n{OPEN}"},
            "kustomization.yaml",
        ),
        (
            {
                "map.yaml": "{apiVersion: v1, kind: ConfigMap, metadata: {name: extra}}",
                "kustomization.yaml": "resources: [map.yaml]\npatches: [{path: p.yaml, target: {kind: ConfigMap}}]",
            },
            "kustomization.yaml",
        ),
        (
            {
                "p.yaml": "{apiVersion: v1, kind: ConfigMap, metadata: {name: extra}}",
                "kustomization.yaml": "resources: [other.yaml]\npatches: [{path: p.yaml}]",
            },
            "kustomization.yaml",
        ),
        ({"over/Kustomization": f"resources: [../base]\n{OPEN}"}, "over/Kustomization"),
        ({"a.yaml": f"kind: Kustomization\nspec: {{{OPEN}}}"}, "a.yaml"),
        ({"a.yaml": f"kind: Application\nspec: {{source: {{kustomize: {{{OPEN}}}}}}}"}, "a.yaml"),
        ({"old/kustomization.yaml": OPEN}, None),
        ({"up/kustomization.yaml": f"resources: [../base]\n{GENERATOR}"}, "up/kustomization.yaml"),
        ({"up/kustomization.yaml": f"resources: [../base/site.yaml]\n{GENERATOR}"}, None),
        (
            {
                "old/kustomization.yaml": GENERATOR.replace(", behavior: merge", ""),
                "up/kustomization.yaml": "{resources: [../old], namePrefix: p-}",
            },
            "up/kustomization.yaml",
        ),
        ({"up/kustomization.yaml": "{resources: [../base], namePrefix: p-}"}, None),
        (
            {
                "old/kustomization.yaml": GENERATOR.replace(", behavior: merge", ""),
                "a.yaml": "kind: Application\nspec: {source: {path: old, kustomize: {namePrefix: p-}}}",
            },
            "a.yaml",
        ),
    ],
)
def test_a_patch_without_a_word_of_sites_is_not_checked(check, files, where):
    site = cluster_instance(quoted(overrides("Ingress")), more="  extraManifestsRefs: [{name: extra}]\n")
    found = check({"base/site.yaml": site, "base/kustomization.yaml": "resources: [site.yaml]\n", **files})
    assert rules_of(found["findings"], "info") == ([("kustomization", where)] if where else [])


@pytest.mark.parametrize(
    "text",
    [
        "{kind: Kustomization, spec: {patches: [{target: {kind: ClusterInstance}, patch: '[]'}]}}",
        "{kind: Application, spec: {source: {kustomize: {patches: [{target: {kind: ClusterInstance}}]}}}}",
        "{kind: Application, spec: {sources: [{}, {kustomize: {patches: [{target: {kind: ClusterInstance}}]}}]}}",
        "{kind: ApplicationSet, spec: {template: {spec: {source: {kustomize: {patches: [{patch: SiteConfig}]}}}}}}",
    ],
)
def test_patches_of_flux_and_argo_cd_are_not_checked(check, text):
    assert rules_of(check({"a.yaml": text})["findings"], "info") == [("kustomization", "a.yaml")]


def test_a_cluster_version_without_a_selection_is_not_compared(check):
    """A policy for updates leaves the selection of the cluster as it is."""
    outcome = check({"a.yaml": policy(BARE)}, capabilities=WITHOUT_CONSOLE)
    assert outcome["findings"] == []
    assert "1 of 1 site was not compared" in outcome["text"]


@pytest.mark.parametrize(
    ("options", "where"),
    [
        ({"openshift_version": "4.999"}, "openshift_version"),
        ({"openshift_versions": {"x": "4.20", "*": "4.999.1"}}, "openshift_versions[*]"),
    ],
)
def test_an_unknown_version_is_one_error_of_the_call(check, options, where):
    files = {f"{number}.yaml": cluster_instance(name=f"site-{number}", image_set="stable") for number in range(3)}
    outcome = check(files, **options)
    assert outcome.faults == [("unknown-version", where)]
    assert [item["hint"] for item in outcome["problems"]] == ["Set releases to a release of 4.999"]


@pytest.mark.parametrize(
    ("version", "rule", "hint"),
    [
        # Whether a ClusterImageSet is missing, has no tag, or is another one on each of two hubs
        ("stable", "unknown-site-version", "Set openshift_version or openshift_versions"),
        ("img4.99", "unknown-version", "Set releases to a release of this version"),
    ],
)
def test_the_hint_for_an_unknown_version_fits_the_site(check, version, rule, hint):
    (found,) = check({"a.yaml": cluster_instance(quoted(overrides("Ingress")), image_set=version)})["findings"]
    assert (found["rule"], found["hint"]) == (rule, hint)


@pytest.mark.parametrize(
    ("text", "new"),
    [
        (cluster_instance(quoted(overrides("Ingress", baseline="none"))), '"None"'),
        (cluster_instance(quoted(overrides(baseline="vcurrent"))), '"vCurrent"'),
        (policy(cluster_version("console", baseline="none")), "baselineCapabilitySet: None"),
        (cluster_version("Console", baseline='"V4.15"'), 'baselineCapabilitySet: "v4.15"'),
        (INSTALL_CONFIG.replace("None  # small", "none  # small").replace("Console", "Ingress"), "None  # small"),
    ],
)
def test_the_case_of_a_capability_set_is_corrected(fix, text, new):
    fixed = fix(text, "install-config.yaml", openshift_version="4.20")
    assert new in fixed
    assert fixed.lower() == text.lower()


def test_a_preview_shows_what_is_wrong_and_that_it_would_be_corrected(check, tmp_path):
    files = {"a.yaml": cluster_instance(quoted(overrides("nodetuning", "Ingress"))), "b.yaml": cluster_instance("'{'")}
    preview = check(files, state="fixed", check_mode=True, fail_on="error")
    assert preview.failed
    assert (
        preview["text"].splitlines()[-1]
        == "2 errors in 2 sites; 1 of 2 sites was not checked; 1 file would be corrected"
    )
    assert [site["fixed"] for site in preview["sites"]] == [True, False]
    assert rules_of(preview["findings"]) == [("unknown-capability", "a.yaml"), ("invalid-json", "b.yaml")]
    with_baseline = {"state": "fixed", "diff": True, "baseline": tmp_path / "known.json", "update_baseline": True}
    predicted = check(check_mode=True, **with_baseline)
    assert predicted.result == check(**with_baseline).result
    corrected = check(state="fixed", paths=["a.yaml"], fail_on="error")
    assert (corrected.failed, corrected["text"]) == (False, "No findings in 1 site\n")
    assert not check(state="fixed", check_mode=True, paths=["a.yaml"], fail_on="error").failed


def test_a_preview_of_a_requested_selection_shows_the_difference(check):
    preview = check({"a.yaml": cluster_instance()}, state="fixed", check_mode=True, capabilities=INGRESS)
    assert rules_of(preview["findings"]) == [("different-selection", "a.yaml")]
    assert preview["fixed_files"] == ["a.yaml"]


def test_references_of_kube_compare_are_no_sites(check):
    """As in the telco reference: a template, and a list of overrides that only names a ClusterVersion."""
    template = "apiVersion: config.openshift.io/v1\nkind: ClusterVersion\nmetadata: {name: version}\nstatus: {{ .x }}\n"
    named = yaml.safe_dump([{"apiVersion": "config.openshift.io/v1", "kind": "ClusterVersion", "name": "version"}])
    files = {
        "compare/metadata.yaml": "apiVersion: v2\nparts:\n- name: all\n",
        "compare/check.yaml": template,
        "comparison-overrides.yaml": named,
        "metadata.yaml": "parts-of: none\n",
        "site.yaml": cluster_instance(),
        "set.yaml": image_set("img4.20.3-x86-64-appsub", "quay.io/ocp/release:4.20.3-x86_64"),
    }
    outcome = check(files)
    assert [site["path"] for site in outcome["sites"]] == ["site.yaml"]
    assert rules_of(outcome["findings"], "info") == [("template", "compare")]


@pytest.mark.parametrize(
    ("text", "names", "rule"),
    [
        (cluster_instance(quoted(overrides("Ingress"))), [], "inst-ingress"),
        (cluster_version("Console", enabled=["Console"]), ["marketplace"], "api-marketplace-olm"),
        (hosted_cluster("{}"), ["Storage", "marketplace"], "hcp-selectable"),  # one finding for nine names
    ],
)
def test_a_mistake_of_the_requested_selection_is_at_the_option(check, text, names, rule):
    selection = {"baselineCapabilitySet": "None", "additionalEnabledCapabilities": names}
    (found,) = check({"a.yaml": text}, capabilities=selection, openshift_version="4.20")["findings"]
    field = "option capabilities.additionalEnabledCapabilities"
    assert (found["rule"], found["message"].partition(": ")[0]) == (rule, field)
