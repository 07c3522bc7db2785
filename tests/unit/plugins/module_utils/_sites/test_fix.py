# Copyright: Contributors to the capability.openshift collection
# SPDX-License-Identifier: GPL-3.0-or-later

"""What state: fixed writes. The fixture runs each correction in check mode before, and again after it."""

from __future__ import annotations

import json
import os
import re
import subprocess

import pytest
import yaml

from ansible_collections.capability.openshift.tests.unit.builders.sites import (
    ANNOTATION,
    INSTALL_CONFIG,
    agent_cluster_install,
    block,
    cluster_instance,
    cluster_version,
    documents,
    hosted_cluster,
    overrides,
    policy,
    quoted,
    rules_of,
    site_config,
)

WRONG, RIGHT = overrides("nodetuning", "Ingress"), overrides("NodeTuning", "Ingress")
IMAGE_SET = "imageSetRef: {name: img4.20}\n"
INDENTED = json.dumps(block("nodetuning", "Ingress", cpuPartitioningMode="AllNodes"), indent=2)


def written_overrides(text):
    return json.loads(yaml.safe_load(text)["spec"]["installConfigOverrides"])


def literal(text, header="|", indent=4):
    return header + "".join(f"\n{' ' * indent}{line}" for line in text.splitlines())


@pytest.mark.parametrize(
    "value",
    [
        quoted(WRONG),
        json.dumps(WRONG),
        f"{quoted(WRONG)}  # a comment",
        f"!!str {quoted(WRONG)}",
        literal(WRONG),
        literal(INDENTED),
        literal(INDENTED, "|-"),
        literal(INDENTED, "|+ # a comment"),
        literal(INDENTED, "&own |-2 # a comment", 4),
        literal(INDENTED + "\n\n", "|+"),
        quoted(json.dumps(block("nodetuning", "Ingress", sshKey="it's"))),
    ],
)
@pytest.mark.parametrize("newline", ["\n", "\r\n"])
def test_one_name_changes_in_any_style_of_string(fix, value, newline):
    text = documents(cluster_instance(value), cluster_instance(name="other", more="  # the end")).replace("\n", newline)
    assert fix(text) == text.replace("nodetuning", "NodeTuning")


def test_of_a_repeated_key_the_last_one_is_corrected(check, fix):
    text = cluster_instance(quoted(WRONG), more=f"  installConfigOverrides: {quoted(WRONG)}\n")
    before, after = text.rsplit("nodetuning", 1)
    assert fix(text) == f"{before}NodeTuning{after}"
    assert rules_of(check({"site.yaml": text})["findings"])[0] == ("duplicate-key", "site.yaml")


def test_a_block_that_begins_with_spaces_keeps_its_indentation(fix):
    text = cluster_instance(literal(INDENTED, "|2-", 6))
    fixed = fix(text)
    for line in ("      {\n", '        "cpuPartitioningMode": "AllNodes"\n', "      }\n"):
        assert line in fixed.splitlines(keepends=True)


@pytest.mark.parametrize(
    "value",
    [
        json.dumps(WRONG.replace("Ingress", "Ingr\\u0065ss")),
        quoted(WRONG.replace("{", "{  ").replace("}", "\t}")),
    ],
)
def test_a_selection_in_json_is_written_again(fix, value):
    text = cluster_instance(value)
    before, after = text.split(value)
    fixed = fix(text)
    assert (fixed.startswith(before), fixed.endswith(after)) == (True, True)
    assert written_overrides(fixed) == json.loads(RIGHT)


@pytest.mark.parametrize(
    ("value", "beginning"),
    [
        (literal(INDENTED, ">-", 6), "|-\n      {\n"),
        (literal(INDENTED.replace("\n  ", "\n"), "> # a comment"), "| # a comment\n    { "),
        (quoted(INDENTED.replace("\n", "\n    ")), "'{ "),
        (quoted(WRONG.replace(" ", "\n\n    ", 1)), "'{"),
        ('"' + WRONG.replace('"', '\\"').replace(" ", "\n    ", 2) + '"', '"{'),
        ('"' + WRONG.replace('"', '\\"').replace(" ", "\\\n    ", 2) + '"  # a comment', '"{'),
    ],
)
@pytest.mark.parametrize("newline", ["\n", "\r\n"])
def test_a_scalar_whose_lines_are_folded_is_replaced_as_a_whole(fix, value, beginning, newline):
    # The rest of the text stays.
    text = documents(cluster_instance(value), cluster_instance(name="other", more="  # the end"))
    scalar = value.removesuffix("  # a comment")
    before, after = text.replace("\n", newline).split(scalar.replace("\n", newline))
    fixed = fix(before + scalar.replace("\n", newline) + after)

    assert fixed.startswith(before + beginning.replace("\n", newline))
    assert fixed.endswith(after)
    old, new = (
        json.loads(next(yaml.safe_load_all(whole))["spec"]["installConfigOverrides"]) for whole in (text, fixed)
    )
    assert json.dumps(new) == json.dumps(old).replace("nodetuning", "NodeTuning")


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("site.json", json.dumps(yaml.safe_load(cluster_instance(quoted(WRONG))), indent=1)),
        ("site.json", json.dumps(yaml.safe_load(cluster_instance()))),
        ("site.yaml", hosted_cluster("{disabled: [console]}").replace("spec:", "spec: {").rstrip() + "}\n"),
    ],
)
def test_a_selection_in_a_flow_map_is_not_edited(check, tmp_path, name, text):
    given = block("NodeTuning", "Ingress")["capabilities"]
    outcome = check({name: text}, state="fixed", openshift_version="4.20", capabilities=given)
    assert not outcome["changed"]
    assert (tmp_path / "checkout" / name).read_text() == text
    if name == "site.json":
        (problem,) = [item for item in outcome["findings"] if item["rule"] == "uneditable-text"]
        assert problem["hint"] == f'Write "capabilities": {json.dumps(given)} in it'


def test_missing_names_are_added_and_nothing_else_changes(fix):
    text = cluster_instance(literal(json.dumps(block("Console"), indent=2)))
    fixed = fix(text)
    assert [line for line in fixed.splitlines() if line not in text.splitlines()] == [
        '          "Console",',
        '          "Ingress"',
    ]
    assert written_overrides(fixed) == block("Console", "Ingress")


def test_names_that_the_version_does_not_have_are_removed(fix):
    text = site_config(
        ("old", "openshift-4.14", overrides("NodeTuning", "Ingress")),
        ("new", "", overrides("NodeTuning", "Ingress")),
        ("broken", "openshift-4.15", overrides("NodeTuning", "Ingress")),
    )
    wrong = '["NodeTuning", "Ingress"]'
    old, new, broken = text.partition("clusterName: new")
    assert fix(text) == (
        old.replace(wrong, '["NodeTuning"]')
        + new
        + broken.partition("clusterName: broken")[0]
        + "clusterName: broken"
        + broken.partition("clusterName: broken")[2].replace(wrong, '["NodeTuning"]')
    )


def test_a_list_of_exclusions_becomes_the_names_that_stay(fix):
    value = {"cpuPartitioningMode": "AllNodes", "capabilities": {"excludedCapabilities": ["insights", "Console"]}}
    written = json.loads(
        yaml.safe_load(fix(cluster_instance(quoted(json.dumps(value)))))["spec"]["installConfigOverrides"]
    )
    assert written["cpuPartitioningMode"] == "AllNodes"
    assert written["capabilities"]["baselineCapabilitySet"] == "None"
    names = written["capabilities"]["additionalEnabledCapabilities"]
    assert {"Ingress", "Storage"} <= set(names)
    assert not {"Insights", "Console"} & set(names)


@pytest.mark.parametrize(
    "value",
    [
        "'{'",
        "'[]'",
        "{capabilities: {}}",
        quoted('{"capabilities": {"excludedCapabilities": ["Console", "insight"]}}'),
        quoted('{"capabilities": {"excludedCapabilities": ["OperatorLifecycleManager"]}}'),
        quoted('{"capabilities": {"baselineCapabilitySet": "vcurrent", "disabled": {"Console": true}}}'),
        quoted('{"Capabilities": {"baselineCapabilitySet": "None"}}'),
        quoted('{"baselineCapabilitySet": "None"}'),
        quoted(overrides("Ingress", baseline=None)),
        quoted(overrides(baseline=None)),
        quoted(overrides(baseline="")),
        quoted(overrides("ingress", baseline="")),
        quoted('{"capabilities": {"additionalEnabledCapabilities": []}}'),
        quoted(overrides("Insihgts", "Ingress")),
        quoted(overrides("console", baseline="v4.99")),
        "'{{ .Values.overrides }}'",
        '"\\\n    {}"',
    ],
)
def test_what_only_a_person_can_decide_stays(fix, value):
    text = cluster_instance(value)
    assert fix(text) == text


def test_a_cluster_version_in_a_policy_keeps_its_comments(fix):
    text = policy(cluster_version("console", "Ingress", "storage"), cluster_version("Console"))
    assert fix(text) == text.replace("- console ", "- Console ").replace("- storage ", "- Storage ")


def test_an_install_config_is_edited(fix):
    fixed = fix(INSTALL_CONFIG, "install-config.yaml", openshift_version="4.20")
    assert fixed == INSTALL_CONFIG.replace("[Console]", "[Console, Ingress]")


def test_an_annotation_is_edited(fix):
    text = agent_cluster_install(WRONG, spec=IMAGE_SET)
    assert fix(text) == text.replace("nodetuning", "NodeTuning")


@pytest.mark.parametrize(
    "stanza",
    ["{disabled: [console]}", "{disabled: [marketplace, Console]}", "{disabled: [ingress, console]}", "[console]"],
)
def test_the_lists_of_a_hosted_cluster_stay(check, tmp_path, stanza):
    text = hosted_cluster(stanza, "4.20.3")
    outcome = check({"site.yaml": text}, state="fixed")
    assert outcome["changed"] is False
    assert "error" in {item["severity"] for item in outcome["findings"]}
    assert (tmp_path / "checkout" / "site.yaml").read_text() == text


def test_a_cluster_version_gets_the_names_that_the_api_requires_and_loses_those_of_other_versions(fix):
    text = policy(cluster_version("marketplace", "MachineAPI", enabled=[]))
    # 4.13 has no MachineAPI.
    assert fix(text, openshift_versions={"*": "4.13"}) == "".join(
        line for line in text.splitlines(keepends=True) if "- MachineAPI" not in line
    )
    fixed = fix(text, openshift_versions={"*": "4.20"})
    (new,) = set(fixed.splitlines()) - set(text.splitlines())
    assert new.strip() == "- OperatorLifecycleManager"
    assert len(fixed.splitlines()) == len(text.splitlines()) + 1


def test_the_set_of_a_cluster_version_without_names_is_corrected(fix):
    text = cluster_version(baseline="none").replace("    additionalEnabledCapabilities:\n", "")
    assert "additional" not in text
    assert fix(text) == text.replace("none", "None")
    flow = text.replace("\n    baselineCapabilitySet: none", " {baselineCapabilitySet: none}")
    assert fix(flow) == flow.replace("{baselineCapabilitySet: none}", '{"baselineCapabilitySet": "None"}')
    commented = flow.replace("{baseline", "{  # all\n      baseline")
    assert fix(commented) == commented
    without = policy(cluster_version("console")).replace("baselineCapabilitySet: None", "")
    assert fix(without) == without.replace("- console", "- Console")


def test_a_name_behind_a_feature_gate_stays(check, fix):
    text = cluster_instance(quoted(overrides("Ingress", "ClusterAPI")), image_set="img5.0.0")
    assert fix(text) == text
    # The file does not name the feature set of the cluster.
    text = fix(cluster_version("ClusterAPI", "console", version="5.0.0"))
    assert text == cluster_version("ClusterAPI", "Console", version="5.0.0").replace("# Console", "# console")
    found = check({"site.yaml": text})["findings"]
    assert [(item["severity"], item["rule"]) for item in found] == [("warning", "gated-capability")]


# Selections that the options request


@pytest.mark.parametrize(
    ("text", "new"),
    [
        (cluster_instance(), "  installConfigOverrides: {}"),
        (cluster_instance("''"), None),
        (cluster_instance("null"), None),
        (cluster_instance('""  # none'), None),
        (agent_cluster_install("", spec=IMAGE_SET), None),
        (
            agent_cluster_install("{}", spec=IMAGE_SET).replace(f"  annotations:\n    {ANNOTATION}: '{{}}'\n", ""),
            f"  annotations:\n    {ANNOTATION}: {{}}",
        ),
        (cluster_instance().removesuffix("\n"), "  installConfigOverrides: {}"),
    ],
)
def test_a_selection_is_added_to_a_site_without_one(fix, text, new):
    fixed = fix(text, capabilities={"baselineCapabilitySet": "None", "additionalEnabledCapabilities": ["Ingress"]})
    value = quoted(json.dumps(block("Ingress"), separators=(",", ":")))
    assert value in fixed
    if new is not None:
        lines = new.format(value).splitlines()
        assert [line for line in fixed.splitlines() if line not in lines] == text.splitlines()


@pytest.mark.parametrize(
    "text",
    [
        re.sub(r"(?s)metadata:.*?spec:", "metadata: {name: paris}\nspec:", agent_cluster_install("", spec=IMAGE_SET)),
        re.sub(r"(?s)spec:.*", "spec: {}\n", cluster_instance()),
    ],
)
def test_a_selection_is_not_added_where_there_is_no_place_for_its_lines(check, text):
    outcome = check(
        {"a.yaml": text}, state="fixed", openshift_version="4.20", **block("Ingress", "MachineAPI", "baremetal")
    )
    assert "uneditable-text" in {rule for rule, _path in rules_of(outcome["findings"])}
    assert outcome["fixed_files"] == []


@pytest.mark.parametrize("given", ['{"networking": {"networkType": "OVNKubernetes"}}', "{}", '{\n  "fips": true\n}'])
def test_a_selection_is_merged_into_overrides(fix, given):
    fixed = fix(cluster_instance(literal(given)), capabilities=block("Ingress")["capabilities"])
    assert json.loads(yaml.safe_load(fixed)["spec"]["installConfigOverrides"]) == {
        **json.loads(given),
        **block("Ingress"),
    }


def test_another_selection_is_an_error_until_it_is_corrected(check):
    files = {"a.yaml": cluster_instance(quoted(overrides("Ingress"))), "b.yaml": cluster_instance(name="rome")}
    outcome = check(files, solution="ran_du")
    assert rules_of(outcome["findings"]) == [("different-selection", "a.yaml"), ("different-selection", "b.yaml")]
    assert not outcome["changed"]
    outcome = check(state="fixed", solution="ran_du")
    assert outcome["findings"] == []
    assert outcome["fixed_files"] == ["a.yaml", "b.yaml"]
    assert [site["fixed"] for site in outcome["sites"]] == [True, True]


def test_a_requested_selection_is_written_even_if_other_overrides_are_wrong(fix):
    given = json.dumps({"featureSet": "none", **block("Console")})
    fixed = fix(cluster_instance(quoted(given)), capabilities=block("Ingress")["capabilities"])
    assert written_overrides(fixed) == {"featureSet": "none", **block("Ingress")}


def test_a_selection_stays_if_only_other_fields_are_wrong(fix):
    # MachineAPI requires hosts. The list is not what is wrong, so its repeated name stays.
    text = f"{INSTALL_CONFIG}pullSecret: abc\n".replace("none: {}", "baremetal: {}").replace(
        "[Console]", "[Console, Console, Ingress, MachineAPI, baremetal]"
    )
    assert fix(text, "install-config.yaml", openshift_version="4.20") == text


def test_a_requested_selection_that_is_wrong_is_not_written(fix):
    text = cluster_instance(quoted(overrides("Ingress")))
    assert fix(text, capabilities=block("marketplace")["capabilities"]) == text


@pytest.mark.parametrize(
    ("options", "fault"),
    [
        ({"solution": "ran-du"}, ("unknown-solution", "solution")),
        # What Ansible makes of an unquoted 4.20
        ({"openshift_version": "4.2"}, ("unsupported-version", "openshift_version")),
        ({"openshift_versions": {"du": "4.2"}}, ("unsupported-version", "openshift_versions[du]")),
        ({"capabilities": {"bogus": 1}}, ("unknown-field", "capabilities.bogus")),
        (
            {"capabilities": block("Consle")["capabilities"]},
            ("unknown-capability", "capabilities.additionalEnabledCapabilities[0]"),
        ),
        (
            {"capabilities": {"excluded_capabilities": ["x"]}},
            ("unknown-capability", "capabilities.excluded_capabilities[0]"),
        ),
        (
            {"capabilities": block(baseline="v9.9")["capabilities"]},
            ("unknown-capability-set", "capabilities.baselineCapabilitySet"),
        ),
    ],
)
@pytest.mark.parametrize("state", ["checked", "fixed"])
def test_a_wrong_option_is_one_error_of_the_call_and_not_of_each_site(check, tmp_path, options, fault, state):
    outcome = check({"a.yaml": cluster_instance(), "b.yaml": cluster_instance(quoted(WRONG))}, state=state, **options)
    assert outcome.faults == [fault]
    assert (tmp_path / "checkout" / "b.yaml").read_text() == cluster_instance(quoted(WRONG))


def test_a_version_that_ends_in_a_zero_is_no_misread_one(check):
    (site,) = check({"a.yaml": cluster_instance(image_set="stable")}, openshift_version="5.0")["sites"]
    assert site["openshift_version"] == "5.0"


# Safety


@pytest.mark.parametrize(
    "text",
    [
        cluster_instance("*all", more="").replace("spec:", f"spec:\n  shared: &all {quoted(WRONG)}"),
        cluster_instance(f"&all {quoted(WRONG)}", more="  other: *all\n"),
    ],
)
def test_an_anchor_across_the_selection_is_not_edited(check, tmp_path, text):
    given = block("NodeTuning", "Ingress", "Console")["capabilities"]
    outcome = check({"site.yaml": text}, state="fixed", capabilities=given)
    assert not outcome["changed"]
    assert ("shared-anchor", "site.yaml") in rules_of(outcome["findings"])
    hints = [item["hint"] for item in outcome["findings"] if item["rule"] == "different-selection"]
    assert hints == [f"Set capabilities to {json.dumps(given)}"]
    assert (tmp_path / "checkout" / "site.yaml").read_text() == text


def test_a_site_that_is_left_is_named_where_it_is_after_the_correction_of_another(check):
    literal = "|\n      {\n        " + WRONG[1:-1].replace("[", "[\n        ") + "\n      }"
    text = site_config(("a", "", ""), ("b", "", WRONG)).replace("Overrides: ''", f"Overrides: {literal}", 1)
    text = text.replace(quoted(WRONG), f"&shared {quoted(WRONG)}") + "    ignitionConfigOverride: *shared\n"
    first, second = (check(files, state="fixed")["findings"] for files in ({"site.yaml": text}, None))
    assert ("shared-anchor", "site.yaml") in rules_of(first)
    assert first == second


def test_an_anchor_that_nothing_else_uses_is_kept(fix):
    text = cluster_instance(f"&all {quoted(WRONG)}")
    assert fix(text) == text.replace("nodetuning", "NodeTuning")


SECRET = "ssh-ed25519 SECRET"
WITH_SECRET = overrides("nodetuning", "Ingress", sshKey=SECRET)
LITERAL_WITH_SECRET = json.dumps(block("nodetuning", "Ingress", sshKey=SECRET, proxy={"httpProxy": SECRET}), indent=2)


def diff_of(check, text, **options):
    (entry,) = check({"a b/site.yaml": text}, state="fixed", check_mode=True, diff=True, **options)["diff"]
    return entry["prepared"].splitlines()


def test_the_diff_is_the_edit_of_the_file(check):
    text = documents(
        cluster_instance(name="first"), cluster_instance(quoted(WRONG)), cluster_instance(quoted(WRONG), "rome")
    )
    assert diff_of(check, text) == [
        "--- a/a b/site.yaml",
        "+++ b/a b/site.yaml",
        "@@ -22 +22 @@ ClusterInstance berlin",
        f"-  installConfigOverrides: '{WRONG}'",
        f"+  installConfigOverrides: '{RIGHT}'",
        "@@ -34 +34 @@ ClusterInstance rome",
        f"-  installConfigOverrides: '{WRONG}'",
        f"+  installConfigOverrides: '{RIGHT}'",
    ]


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        (cluster_instance(literal(LITERAL_WITH_SECRET), more=f"  password: {SECRET}"), True),
        (cluster_instance(f"{quoted(WRONG)}", more=f"  password: {SECRET}"), True),
        (policy(cluster_version("console", "Ingress")).replace("spec:", f"spec:\n  password: {SECRET}", 1), True),
        (INSTALL_CONFIG.replace("[Console]", "[console]") + f"pullSecret: {SECRET}\n", True),
        (cluster_instance(quoted(WITH_SECRET)), False),
        (cluster_instance(literal(WITH_SECRET)), False),
        (cluster_instance(literal(LITERAL_WITH_SECRET, ">")), False),
        (cluster_instance(literal(LITERAL_WITH_SECRET.replace("{", f'{{ "pullSecret": "{SECRET}",', 1))), True),
        # The edit completes the line before the new field.
        (cluster_instance(literal(json.dumps({"sshKey": SECRET}, indent=2))), False),
    ],
)
def test_the_diff_contains_no_secret(check, text, shown):
    options = {} if "onsole" in text or "tuning" in text else {"capabilities": block("Ingress")["capabilities"]}
    lines = diff_of(check, text, openshift_version="4.20", **options)
    assert "SECRET" not in "".join(lines)
    assert ("not shown" not in lines[2]) is shown
    assert len(lines) > 3


def test_a_line_with_other_values_is_shown_without_them(check):
    text = cluster_instance(quoted(json.dumps(block("nodetuning", "Ingress", sshKey=SECRET))))
    title, before, after = diff_of(check, text)[2:]
    assert title == "@@ -10 +10 @@ ClusterInstance berlin; other values of these lines are not shown"
    assert before == "-... " + WRONG[1:-1].replace('"capabilities"', "capabilities") + " ..."
    assert after == "+... " + RIGHT[1:-1].replace('"capabilities"', "capabilities") + " ..."


@pytest.mark.parametrize("name", ["site.yaml", "a\tsite\n.yaml"])
def test_git_applies_the_diff(check, tmp_path, name):
    """Also at the end of a file without a line break, and with an annotation that did not exist."""
    without = re.sub(r"(?s)  annotations:.*?spec:", "spec:", agent_cluster_install("", spec=IMAGE_SET))
    text = documents(policy(cluster_version("console", "Ingress")), without, cluster_instance().removesuffix("\n"))
    options = {"state": "fixed", "diff": True, "capabilities": block("Ingress")["capabilities"]}
    (entry,) = check({name: text}, check_mode=True, **options)["diff"]
    (tmp_path / "copy").mkdir()
    (tmp_path / "copy" / name).write_text(text)
    env = {**os.environ, "GIT_CEILING_DIRECTORIES": str(tmp_path)}
    command = ["git", "apply", "--unidiff-zero"]
    subprocess.run(command, cwd=tmp_path / "copy", input=entry["prepared"], text=True, check=True, env=env)
    written = check(**{**options, "diff": False})
    assert (written["fixed_files"], written["diff"]) == ([name], [])
    assert (tmp_path / "copy" / name).read_text() == (tmp_path / "checkout" / name).read_text()


@pytest.mark.parametrize(
    "site",
    [
        # The edit completes the line before the new field.
        cluster_instance(literal(json.dumps({"sshKey": SECRET}, indent=2))),
        # So does the edit at the end of a file without a line break.
        site_config(("a", "", "")).replace("    installConfigOverrides: ''\n", "").removesuffix("\n"),
    ],
)
def test_git_applies_the_rest_of_a_diff_with_lines_that_are_not_shown(check, tmp_path, site):
    names = ("a.yaml", "b.yaml")
    options = {"state": "fixed", "diff": True, "capabilities": block("Ingress")["capabilities"]}
    entries = check({"a.yaml": site, "b.yaml": cluster_instance()}, check_mode=True, **options)["diff"]
    text = "".join(entry["prepared"] for entry in entries)
    assert "not shown" in text
    (tmp_path / "copy").mkdir()
    for name in names:
        (tmp_path / "copy" / name).write_bytes((tmp_path / "checkout" / name).read_bytes())
    env = {**os.environ, "GIT_CEILING_DIRECTORIES": str(tmp_path)}
    command = ["git", "apply", "--unidiff-zero", "--reject"]
    assert subprocess.run(command, cwd=tmp_path / "copy", input=text, text=True, check=False, env=env).returncode == 1
    check(**{**options, "diff": False})
    assert (tmp_path / "copy" / "b.yaml").read_text() == (tmp_path / "checkout" / "b.yaml").read_text()


def test_the_mode_of_a_file_is_kept(fix, tmp_path):
    path = tmp_path / "checkout" / "site.yaml"
    path.parent.mkdir()
    path.touch(0o640)
    fix(cluster_instance(quoted(WRONG)))
    assert path.stat().st_mode & 0o777 == 0o640


def test_the_sites_of_one_list_are_corrected_together(fix):
    # One after the other, each of them would parse the whole list, which takes ten times as long.
    text = list_of(cluster_instance(quoted(WRONG), name=f"site-{number}") for number in range(300))
    assert fix(text) == text.replace("nodetuning", "NodeTuning")


def test_a_site_of_a_list_that_cannot_be_edited_does_not_prevent_the_others(fix):
    shared = cluster_instance(f"&same {quoted(WRONG)}", name="shared", more="  copy: *same\n")
    one, two = (cluster_instance(quoted(WRONG), name=name) for name in ("one", "two"))
    expected = [one.replace("nodetuning", "NodeTuning"), shared, two.replace("nodetuning", "NodeTuning")]
    assert fix(list_of([one, shared, two])) == list_of(expected)


@pytest.mark.parametrize("others", [{"additionalTrustBundle": "\U0001f600"}, {"k" * 1025: 1}])
def test_a_site_whose_json_is_not_yaml_does_not_prevent_the_others(fix, check, others):
    value = json.dumps(block("nodetuning", "Ingress", **others))
    left, corrected = (cluster_instance(quoted(text), name=name) for name, text in (("left", value), ("other", WRONG)))
    assert fix(documents(left, corrected)) == documents(left, corrected.replace("nodetuning", "NodeTuning"))
    assert "uneditable-text" in {rule for rule, _path in rules_of(check(state="fixed")["findings"])}


def test_a_diff_of_a_list_with_json_that_is_not_yaml(fix):
    value = json.dumps(block("nodetuning", "Ingress", sshKey="\N{GRINNING FACE}"))
    left, corrected = cluster_instance(literal(value), name="left"), cluster_instance(quoted(WRONG))
    assert fix(list_of([left, corrected])) == list_of([left, corrected.replace("nodetuning", "NodeTuning")])


def list_of(documents):
    """Return a List of the objects."""
    return "apiVersion: v1\nkind: List\nitems:\n" + "".join(
        f"- {text.rstrip()}\n".replace("\n", "\n  ").removesuffix("  ") for text in documents
    )
