# Copyright: Contributors to the capability.openshift collection
# SPDX-License-Identifier: GPL-3.0-or-later

"""The installed command openshift-capability, in an environment without Ansible."""

from __future__ import annotations

import json
import os
import re
import shlex
import shutil
import signal
import subprocess
import sys
import tempfile
import tomllib
from importlib.util import find_spec
from pathlib import Path
from types import SimpleNamespace

import pytest
import yaml

from ansible_collections.capability.openshift.plugins.plugin_utils._command import running
from ansible_collections.capability.openshift.plugins.plugin_utils._command.main import main
from ansible_collections.capability.openshift.plugins.plugin_utils._command.options import parse
from ansible_collections.capability.openshift.plugins.plugin_utils._command.subcommands import SUBCOMMANDS
from ansible_collections.capability.openshift.tests.unit.other_user import as_other_user

EXAMPLES = Path(__file__).parents[2] / "examples"
OLD, NEW = (str(EXAMPLES / "releases" / version) for version in ("4.21.0", "4.22.0"))
SITES = str(EXAMPLES / "sites")
SMALL = "--capabilities={baselineCapabilitySet: None}"
PROGRAM = str(Path(sys.executable).with_name("openshift-capability"))


def command(*words, **options):
    """Run the installed program."""
    done = subprocess.run([PROGRAM, *words], capture_output=True, text=True, check=False, **options)
    assert "Traceback" not in done.stdout + done.stderr
    return done


@pytest.fixture
def run(capsys, monkeypatch):
    """Run the command in this process: its exit code, and what it printed on standard output and standard error."""

    def run(*words):
        monkeypatch.setattr(sys, "argv", [PROGRAM, *words])
        code = main()
        return (code, *capsys.readouterr())

    return run


def test_ansible_is_not_installed():
    assert find_spec("ansible") is None


def test_help_names_each_subcommand_and_version_is_that_of_the_collection():
    version = yaml.safe_load((EXAMPLES.parent / "galaxy.yml").read_text())["version"]
    assert command("--version").stdout == f"openshift-capability {version}\n"
    overview = command("--help")
    assert overview.returncode == 0
    assert all(f"  {name} " in overview.stdout for name in SUBCOMMANDS)
    assert command().stdout == overview.stdout


@pytest.mark.parametrize("name", SUBCOMMANDS)
def test_help_of_a_subcommand_has_all_options_and_no_markup(run, capsys, name):
    with pytest.raises(SystemExit) as ended:
        run(name, "--help")
    shown = capsys.readouterr().out
    assert ended.value.code == 0
    for option in SUBCOMMANDS[name].definition().spec:
        assert f"--{option.replace('_', '-')}" in shown or option.upper() in shown
    assert (f" {name} [VERSION] [OPTION" in shown) == (name == "cluster-update")
    assert "O(" not in shown
    assert "V(" not in shown
    assert "C(" not in shown


NOWHERE = "/nowhere"
IMAGE = f"127.0.0.1:1/x@sha256:{'1' * 64}"
WRONG = "--capabilities={baselineCapabilitySet: Nonsense}"
CALLS: dict[str, dict[int, list[tuple[str, ...]]]] = {
    "release-info": {0: [(NEW,), (NEW, "--previous-release", OLD)], 2: [(NOWHERE,), (NEW, WRONG), (IMAGE,)]},
    "release-compare": {
        0: [(NEW, "--previous-release", OLD), (NEW, SMALL, "--previous-capabilities={}")],
        2: [(NOWHERE,), (NEW,), (NEW, "--previous-release", NOWHERE), (NEW, WRONG, "--previous-capabilities={}")],
    },
    "release-manifests": {0: [(NEW,)], 2: [(NOWHERE,), (NEW, WRONG), (NEW, "--dest=/dev/null/x")]},
    "update-plan": {
        0: [(OLD, NEW)],
        1: [(OLD, NEW, SMALL, "--forbidden-capabilities=Insights")],
        2: [(OLD, NOWHERE), (OLD, NEW, WRONG)],
    },
    "install-config": {
        0: [("--openshift-version=4.20", "--install-method=upi")],
        2: [("--solution=nothing",), ("--openshift-version=4.20", WRONG), (NOWHERE, "--openshift-version=4.20")],
    },
    "site-check": {
        0: [(SITES, "--fail-on=never")],
        1: [(SITES,)],
        2: [(NOWHERE,), (SITES, "--capabilities={nonsense: 1}")],
    },
    "release-lint": {
        0: [(NEW, "--fail-on=never")],
        1: [(NEW, "--fail-on=warning")],
        2: [(NOWHERE,), (NEW, f"--baseline={NOWHERE}")],
    },
    "addon-check": {
        0: [(SITES, "--release", NEW)],
        1: [(SITES, "--release", NEW, "--fail-on=info")],
        2: [(NOWHERE, "--release", NEW), (SITES, "--release", NOWHERE), (SITES, "--release", NEW, WRONG)],
    },
    "cluster-update": {2: [("4.22.0", "--kubeconfig", NOWHERE), ("4.22.0", "--wait-timeout=-1"), ()]},
    "mirror-check": {2: [(NOWHERE,), (OLD,), (OLD, f"--release-image={IMAGE}", "--previous-release", OLD)]},
}
"""Calls of each subcommand by their exit code. Other codes need a registry or a cluster (tests/registry)."""


def test_each_subcommand_has_calls_that_fail_for_an_input():
    assert CALLS.keys() == SUBCOMMANDS.keys()
    assert all(2 in calls for calls in CALLS.values())


@pytest.mark.parametrize(
    ("words", "code"),
    [
        ((name, *words), code)
        for name, calls in CALLS.items()
        for code, lines in {**calls, 2: [*calls[2], ("--nonsense",), ("--format=nonsense",)]}.items()
        for words in lines
    ],
)
def test_exit_codes(run, words, code):
    found, out, errors = run(*words)
    assert (found, "Traceback" in out + errors) == (code, False)
    # What has no text has an error.
    assert out or errors.splitlines()[-1].startswith("error: ") or "\n- " in errors


@pytest.mark.parametrize(
    ("words", "part"),
    [
        (("release-info", NEW), "Release 4.22.0: 56 manifests, "),
        (("release_info", NEW, "--previous-release", OLD), "4.21.0 -> 4.22.0\n"),
        (("release-compare", NEW, "--previous-release", OLD), "4.21.0 -> 4.22.0\n"),
        (("release-manifests", NEW), " manifests included, "),
        (("update-plan", OLD, NEW), "4.21.0 -> 4.22.0, selection: "),
        (("update-plan", OLD, NEW, SMALL, "--forbidden-capabilities=all"), "\nThe plan violates --fail-on or --forbid"),
        (("install-config", "--openshift-version=4.20", "--install-method=upi"), "\nOpenShift 4.20, platform "),
        (("install-config", "--solution=nothing"), "solution nothing: not valid, 2 errors\n"),
        (("site-check", SITES), "7 errors in 5 sites\n"),
        (("release-lint", NEW, "--fail-on=never"), " warnings in 56 manifests; no update was checked\n"),
        (("addon-check", SITES, "--release", NEW), "\nADD-ON  INSTALLER"),
    ],
)
def test_text(run, words, part):
    assert part in run(*words)[1]


@pytest.mark.parametrize("page", ["README.md", "docs/how_to/use_the_command.md"])
def test_the_commands_of_the_documentation_run(run, monkeypatch, page):
    monkeypatch.chdir(EXAMPLES.parent)
    text = (EXAMPLES.parent / page).read_text("utf-8").replace("\\\n", "")
    lines = re.findall(r"(?m)^openshift-capability (.*)$", text)
    assert lines
    for line in lines:
        words = shlex.split(line.partition(">")[0])
        code, out, errors = run(*words)
        assert code == int("site-check" in words or "--forbidden-capabilities" in words), errors
        assert out


def test_a_release_without_a_version_is_no_bug(run, tmp_path):
    manifests = tmp_path / "release"
    shutil.copytree(Path(NEW) / "manifests", manifests)
    code, out, errors = run("release-info", str(manifests))
    assert (code, out.partition(":")[0]) == (0, "Release of unknown version")
    assert "warning: --openshift-version: " in errors
    code, out, errors = run("release-manifests", str(manifests))
    assert (code, out) == (2, "")
    assert errors.splitlines()[-1].startswith("error: --openshift-version: ")


def test_formats_have_the_same_result(run):
    as_json, as_yaml = (run("update-plan", OLD, NEW, f"--format={name}")[1] for name in ("json", "yaml"))
    assert yaml.safe_load(as_yaml) == json.loads(as_json)
    assert json.loads(as_json)["releases"] == ["4.21.0", "4.22.0"]
    code, sarif, _errors = run("site-check", SITES, "--format=sarif")
    assert (code, json.loads(sarif)["version"]) == (1, "2.1.0")
    assert run("site-check", SITES, "--format=sarif", "--state=fixed", "--check", "--diff")[:2] == (1, sarif)


def test_options_are_those_of_playbooks(run, tmp_path):
    block = "baselineCapabilitySet: None\nadditionalEnabledCapabilities: [Console]\n"
    (tmp_path / "selection.yml").write_text(block)
    expected = run(
        "update-plan", OLD, NEW, f"--capabilities=@{tmp_path}/selection.yml", "--no-details", "--format=json"
    )
    assert expected[0] == 0
    for text in (block, '{"baselineCapabilitySet": "None", "additionalEnabledCapabilities": ["Console"]}'):
        options = ("--no-details", "--capabilities", text, "--format=json")
        assert run("update-plan", f"--releases={OLD},{NEW}", *options) == expected


@pytest.mark.parametrize("variable", ["", "acceptances:\n"])
@pytest.mark.parametrize(("name", "code"), [("Insights", 0), ("Console", 1)])
def test_acceptances_decide_the_exit_code_and_can_be_in_a_file_of_variables(variable, name, code, run, tmp_path):
    (tmp_path / "list.yml").write_text(f"{variable}- {{name: {name}, reason: it is empty, expires: 2999-12-31}}\n")
    options = ("--capabilities=baselineCapabilitySet=None", "--forbidden-capabilities=all", "--format=json")
    ended, out, _errors = run("update-plan", OLD, NEW, *options, f"--acceptances=@{tmp_path}/list.yml")

    assert ended == code
    accepted = [{"name": name, "reason": "it is empty", "expires": "2999-12-31"}] if code == 0 else []
    assert json.loads(out)["accepted"] == accepted


FILE_OF_ACCEPTANCES = """# of all sites
{}
  - name: Insights
    reason: It is empty
    expires: "2020-01-01"

  - {{name: Consol, reason: It is wanted}}
  - {{name: "all", reason: Because}}
"""


@pytest.mark.parametrize("variable", ["---", "acceptances:"])
def test_messages_about_an_item_name_its_file_and_line(variable, run, tmp_path):
    file = tmp_path / "accepted.yml"
    file.write_text(FILE_OF_ACCEPTANCES.format(variable))
    first = "--acceptances={name: Storage, reason: It is not in a file}"
    wrong = run("update-plan", OLD, NEW, first, f"--acceptances=@{file}")[2]
    assert f"error: {file}, line 8, --acceptances[3].name: is 'all'" in wrong
    file.write_text("\n".join(file.read_text().splitlines()[:-1]))
    shown = run("update-plan", OLD, NEW, first, f"--acceptances=@{file}")[2]
    assert f"warning: {file}, line 3, --acceptances[1]: expired on 2020-01-01, so this entry" in shown
    assert f"warning: {file}, line 7, --acceptances[2].name: 'Consol' is neither a gate" in shown
    assert "warning: --acceptances[0]: accepts nothing: Storage" in shown
    file.write_text(file.read_text().replace("reason: It is empty", "reson: It is empty"))
    missing = run("update-plan", OLD, NEW, f"--acceptances=@{file}")[2]
    assert f"- {file}, line 3, --acceptances[0].reson: is not an option" in missing
    assert f"- {file}, line 3, --acceptances[0].reason: is required" in missing


@pytest.mark.parametrize(
    ("words", "parts"),
    [
        (("update-plann",), ["update-plann: ", "Did you mean update-plan?"]),
        (("plan",), ["plan: ", "Did you mean update-plan?"]),
        (("cluster_capabilities",), ["cluster-capabilities: is not a subcommand. Run its module with Ansible"]),
        (("operator_check",), ["Run openshift-capability release-lint --checkout"]),
        (("release-info", NEW, f"--release={OLD}"), ["RELEASE: cannot be combined with --release."]),
        (("update-plan", NEW, f"--releases={OLD}"), ["RELEASES: cannot be combined with --releases."]),
        (("update-plan", "--openshift-version=4.20"), ["Run openshift-capability update-plan --help"]),
        (("update-plan", "--clusters={clusters: [{name: x}], releases: []}"), ["the file also sets releases, "]),
        (("release-info", NEW, "--relase", "x"), ["--relase: "]),
        (("release-compare", NEW), ["--previous-release or --previous-capabilities: "]),
        (("update-plan", "--relases=x"), ["--relases: ", "Did you mean --releases?"]),
        (("release-info", "a", "b"), ["b: ", "release-info --help"]),
        (("release-info",), ["RELEASE: "]),
        (("release-lint", "--base=x"), ["RELEASE or --checkout: ", "--checkout: "]),
        (("release-lint", "x", "--checkout=y"), ["--checkout: "]),
        (("release-lint", "x", "--fail-on=eror", "--foo"), ["--fail-on: ", "Did you mean error?", "--foo: "]),
        (("update-plan", "--clusters=[{nme: x}]"), ["--clusters[0].nme: ", "mean name?", "--clusters[0].name: "]),
        (("update-plan", "--capabilities={"), ["--capabilities: "]),
        (("update-plan", "--capabilities=@/nowhere"), ["--capabilities: /nowhere cannot be read"]),
        (("update-plan", OLD, NEW, "--capabilities=@/dev/null"), ["--capabilities: /dev/null is empty"]),
        (("update-plan", OLD, NEW, "--acceptances=@/dev/null"), ["--acceptances: /dev/null is empty"]),
        (("update-plan", OLD, NEW, "--acceptances={acceptances: }"), ["--acceptances[0]: is null"]),
        (("update-plan", OLD, NEW, "--clusters=[null]"), ["--clusters[0]: is null"]),
        (("update-plan", "--platform"), ["--platform: "]),
        (("install-config", "x", "--clusters=[{name: a}]"), ["--clusters: cannot be combined with PATH"]),
        (("release-info", NEW, "--images=x", "--format=jsn", "--foo"), ["--images: ", "Did you mean json?", "--foo: "]),
    ],
)
def test_all_that_is_wrong_with_a_call_is_reported_at_once(run, words, parts):
    code, out, errors = run(*words)
    assert (code, out) == (2, "")
    assert errors.startswith("error: ")
    assert [part for part in parts if part not in errors] == []


def test_secrets_are_not_shown(run, tmp_path):
    secret = "c2VjcmV0OnNlY3JldA=="
    (tmp_path / "pull.json").write_text(json.dumps({"auths": {"127.0.0.1:1": {"auth": secret, "wrong": 1}}}))
    code, out, errors = run("release-info", IMAGE, f"--pull-secret=@{tmp_path}/pull.json", "--format=json")
    assert code == 2
    assert secret not in out + errors


def test_a_glob_can_begin_with_a_bracket_or_an_asterisk(run, tmp_path):
    site = (EXAMPLES / "sites" / "policies" / "console.yaml").read_text()
    for name in ("a.yaml", "b.yaml"):
        (tmp_path / name).write_text(site)
    options = ("--paths=[b-c]*.yaml", "--openshift-versions=*.yaml=4.18", "--fail-on=never", "--format=json")
    code, out, _errors = run("site-check", str(tmp_path), *options)
    assert (code, {site["path"] for site in json.loads(out)["sites"]}) == (0, {"b.yaml"})


def test_an_empty_list_is_written_in_brackets(run):
    words = ("--capabilities={baselineCapabilitySet: None}", "--always-enabled-capabilities=[]", "--format=json")
    code, out, _errors = run("release-manifests", NEW, *words)
    assert (code, json.loads(out)["enabled_capabilities"]) == (0, [])


@pytest.mark.parametrize(("word", "shown"), [("--images=true", True), ("--images=False", False)])
def test_a_boolean_option_has_the_form_of_oc_too(run, word, shown):
    assert ("images" in json.loads(run("release-info", NEW, word, "--format=json")[1])["release"]) == shown


@pytest.mark.parametrize("secret", ["0", ":"])
def test_a_secret_that_occurs_in_the_result_is_only_hidden(run, secret):
    code, out, _errors = run("site-check", SITES, f"--pull-secret={secret}", "--fail-on=never", "--format=json")
    assert (code, json.loads(out)["changed"]) == (0, False)


@pytest.mark.parametrize("image", ["user:hidden@127.0.0.1:1/x:1", "https://user:hidden@127.0.0.1:1/x:1"])
def test_a_name_with_a_password_is_rejected_before_it_is_read(run, image):
    code, out, errors = run("release-info", image)
    assert (code, out) == (2, "")
    assert "pull spec" in errors


def test_no_secret_is_in_a_line_of_progress(monkeypatch):
    shown: list[str] = []
    monkeypatch.setattr(running, "follow", lambda path, over, unknown, show: show("reads a hidden word"))
    monkeypatch.setattr(running, "Thread", lambda target, args, daemon: SimpleNamespace(start=lambda: target(*args)))
    monkeypatch.setattr(sys, "stderr", SimpleNamespace(isatty=lambda: True, write=shown.append, flush=int))
    definition = SUBCOMMANDS["release-info"].definition()
    running.call(SUBCOMMANDS["release-info"], [NEW, "--pull-secret=hidden"])
    assert "no_log" in definition.spec["pull_secret"]
    assert "reads a ******** word" in "".join(shown)


def test_files_are_written_and_changes_are_shown(run, tmp_path):
    words = ("release-manifests", NEW, f"--dest={tmp_path}/x", "--capabilities={baselineCapabilitySet: None}")
    code, out, _errors = run(*words, "--check", "--diff")
    assert (code, list(tmp_path.iterdir())) == (0, [])
    assert f"+++ {tmp_path}/x (files)" in out
    assert f"Directory {tmp_path}/x: changed" in run(*words)[1]
    assert f"Directory {tmp_path}/x: nothing to change" in run(*words)[1]


def test_a_preview_of_corrections_is_a_patch_and_fails(run, tmp_path):
    sites = shutil.copytree(EXAMPLES / "sites", tmp_path / "sites")
    code, out, _errors = run("site-check", str(sites), "--state=fixed", "--check", "--diff")
    assert (code, "+++ b/policies/console.yaml" in out, "4 files would be corrected" in out) == (1, True, True)
    assert run("site-check", str(sites), "--state=fixed")[0] == 0
    assert run("site-check", str(sites), "--state=fixed", "--check")[0] == 0


def test_what_cannot_be_corrected_is_an_error_beside_what_was(run):
    with tempfile.TemporaryDirectory() as name:
        sites = Path(shutil.copytree(EXAMPLES / "sites", f"{name}/sites"))
        for path in (Path(name), *sites.rglob("*")):
            path.chmod(0o777 if path.is_dir() else 0o666)
        (sites / "clusters").chmod(0o555)
        with as_other_user():
            code, out, _errors = run("site-check", str(sites), "--state=fixed")
    first, *others = out.splitlines()
    assert (code, first) == (2, "Corrected files: policies/console.yaml")
    assert "clusters/du-412.yaml: cannot be written" in "\n".join(others)


def test_a_preview_changes_no_name_of_a_field_or_a_file(run, tmp_path):
    site = (EXAMPLES / "sites" / "policies" / "console.yaml").read_text()
    for name in ("releases.yaml", "openshift_version.yaml"):
        (tmp_path / name).write_text(site)
    out = run("site-check", str(tmp_path), "--openshift-version=4.20", "--state=fixed", "--check", "--diff")[1]
    assert re.findall(r"(?m)^([\w.-]+):\d+: error ", out) == ["openshift_version.yaml", "releases.yaml"]
    file = tmp_path / "install-config.yaml"
    file.write_text("apiVersion: v1\nplatform: {none: {}}\ncapabilities:\n  baselineCapabilitySet: None\n")
    words = ("--openshift-version=4.20", "--capabilities={baselineCapabilitySet: v4.18}", "--check", "--diff")
    assert "\n capabilities:\n-  baselineCapabilitySet: None\n" in run("install-config", str(file), *words)[1]


def test_a_patch_keeps_the_line_breaks_of_its_file(run, tmp_path):
    file = tmp_path / "a.yaml"
    head = "apiVersion: config.openshift.io/v1\r\nkind: ClusterVersion\r\nmetadata: {name: version}\r\n"
    file.write_bytes(f"{head}spec:\r\n  capabilities:\r\n    baselineCapabilitySet: none\r\n".encode())
    words = ("site-check", str(tmp_path), "--openshift-version=4.20", "--state=fixed", "--diff")
    assert "\n-    baselineCapabilitySet: none\r\n+    baselineCapabilitySet: None\r\n" in run(*words)[1]


@pytest.mark.parametrize("encoding", ["ascii", "utf-8"])
def test_the_output_is_utf_8_whatever_the_name_of_a_file_is(tmp_path, encoding):
    (tmp_path / os.fsdecode(b"\xff-\xc3\xbc.yaml")).write_text("kind: ClusterInstance\n{")
    environ = {**os.environ, "PYTHONIOENCODING": encoding}
    for format_, shown in {"text": "\\udcff-ü.yaml:", "json": '"path": "\\\\udcff-ü.yaml"'}.items():
        words = [PROGRAM, "site-check", str(tmp_path), f"--format={format_}"]
        done = subprocess.run(words, capture_output=True, check=False, env=environ)
        assert (done.returncode, done.stderr, shown in done.stdout.decode()) == (1, b"", True)


def test_missing_libraries_are_named(run, monkeypatch):
    monkeypatch.setitem(sys.modules, "urllib3", None)
    code, _out, errors = run("release-info", IMAGE)
    assert (code, "pip install 'capability-openshift[registries]'" in errors) == (2, True)
    assert run("release-info", NEW)[0] == 0


@pytest.mark.parametrize(
    ("words", "parts"),
    [
        (("update-plan", OLD, NEW, "--fail-on=blokced"), ["--fail-on: "]),
        (("release-info", NEW, "--capabilities={baselineCapabilitySet: None, include: [x]}"), ["--capabilities: "]),
        (("release-info", NEW, "--openshift-version=4.21"), ["Remove --openshift-version"]),
        (("update-plan", OLD, NEW, "--clusters=[{name: a, feature_set: x}]"), ["--clusters[0] (a): feature_set: "]),
        (("update-plan", OLD, NEW, "--clusters=[{name: a, known_capabilities: [Build]}]"), ["Set enabled_capa"]),
        (("update-plan", OLD, NEW, "--solution=ran_du"), ["to what install-config selects for the platform"]),
        (("install-config", "--clusters=[{name: a, capabilities: {x: 1}}, {name: b}]"), ["a:\n  - capabilities.x: "]),
        (("install-config", "x", "--content={}", "--openshift-version=4.20"), ["error: --content, "]),
        (
            (
                *("release-info", NEW, "--cluster-profile=ibm-cloud-managed"),
                "--capabilities={baselineCapabilitySet: None}",
            ),
            ["or set --no-hosted-control-plane if"],
        ),
        (
            ("release-manifests", NEW, "--known-capabilities=Console"),
            ["--enabled-capabilities: ", "both --enabled-capabilities and --known-capabilities"],
        ),
    ],
)
def test_messages_have_the_options_as_they_are_typed(run, words, parts):
    _code, out, errors = run(*words)
    assert [part for part in parts if part not in out + errors] == []


def test_a_file_of_an_option_has_one_document(run, tmp_path):
    entries = ["- {name: Insights, reason: a}", "- {name: Console, reason: b}"]
    (tmp_path / "list.yml").write_text("\n---\n".join(entries))
    code, _out, errors = run("update-plan", OLD, NEW, f"--acceptances=@{tmp_path}/list.yml")
    assert (code, "list.yml contains several documents" in errors) == (2, True)
    (tmp_path / "list.yml").write_text("- a: b\n- c: d: e\n")
    errors = run("update-plan", OLD, NEW, f"--acceptances=@{tmp_path}/list.yml")[2]
    assert "list.yml, line 2, is not valid YAML" in errors


def test_a_metric_with_the_name_of_an_option_stays(run, tmp_path):
    promql = 'group(cluster_version{type="initial"})'
    rule = {"type": "PromQL", "promql": {"promql": promql}}
    update = {"release": {"version": "4.22.0"}, "risks": [{"name": "Born", "matchingRules": [rule]}]}
    status = {"desired": {"version": "4.21.0"}, "conditions": [{"type": "Progressing", "status": "False"}]}
    cluster = {"apiVersion": "config.openshift.io/v1", "kind": "ClusterVersion", "metadata": {"name": "version"}}
    (tmp_path / "cv.json").write_text(
        json.dumps({**cluster, "spec": {}, "status": {**status, "conditionalUpdates": [update]}})
    )
    assert promql in run("update-plan", OLD, NEW, f"--cluster-version={tmp_path}/cv.json")[1]


def test_the_help_of_all_subcommands_is_about_the_command():
    for subcommand in SUBCOMMANDS.values():
        texts = [text for group in subcommand.documentation().values() for text in group.values()]
        assert texts
        for text in texts:
            assert re.search(r"\b(module|task|playbook|Ansible|host where)\b", text) is None, (subcommand.name, text)


@pytest.mark.parametrize("name", SUBCOMMANDS)
def test_the_examples_of_the_help_run(run, monkeypatch, tmp_path, name):
    monkeypatch.chdir(shutil.copytree(EXAMPLES, tmp_path / "examples"))
    for example in SUBCOMMANDS[name].examples:
        words = shlex.split(example)
        if name in ("mirror-check", "cluster-update"):
            params, _output = parse(SUBCOMMANDS[name], SUBCOMMANDS[name].definition(), words)
            # Without mirrors, no image is ready.
            assert name != "mirror-check" or params["mirrors"]
        else:
            code, out, errors = run(name, *words)
            assert code < 2, errors
            assert out


def test_the_main_options_precede_those_of_registries(capsys, run):
    with pytest.raises(SystemExit):
        run("help", "update_plan")
    shown = capsys.readouterr().out
    places = [
        shown.index(text) for text in ("examples, ", "--capabilities ", "--format", "--auth-file", "--kubeconfig")
    ]
    assert places == sorted(places)
    assert len(shown) < 12_000


def test_a_blocked_update_is_not_right(run, tmp_path):
    skipped = shutil.copytree(NEW, tmp_path / "release")
    for file in ("release-metadata", "image-references"):
        path = skipped / "release-manifests" / file
        path.write_text(path.read_text("utf-8").replace("4.22.0", "4.23.0"), "utf-8")
    code, out, _errors = run("update-plan", OLD, str(skipped))
    assert (code, out.partition(":")[0].partition(";")[0]) == (1, "blocked")


def test_the_extras_are_those_of_the_wheel():
    project = tomllib.loads((EXAMPLES.parent / "pyproject.toml").read_text("utf-8"))["project"]
    extras = {
        library: f"{project['name']}[{extra}]"
        for extra, libraries in project["optional-dependencies"].items()
        for library in libraries
        if extra != "all"
    }
    assert extras == running.EXTRAS


def test_no_traceback_after_the_end_of_a_reader_or_an_interrupt(tmp_path):
    done = subprocess.run(
        [
            "bash",
            "-c",
            f"'{PROGRAM}' update-plan '{OLD}' '{NEW}' --format json --details | head -1; echo ${{PIPESTATUS[0]}}",
        ],
        capture_output=True,
        text=True,
        check=True,
    )
    assert done.stderr == ""
    # Whether the reader has ended before the last line is written depends on the size of the pipe.
    assert done.stdout.split()[-1] in ("0", "141")
    os.mkfifo(tmp_path / "options")
    with subprocess.Popen(
        [PROGRAM, "update-plan", f"--capabilities=@{tmp_path}/options"], stderr=subprocess.PIPE, text=True
    ) as process:
        # It waits for the content of the file.
        with open(tmp_path / "options", "w"):
            process.send_signal(signal.SIGINT)
            assert process.wait(30) == 130
        assert process.stderr is not None
        assert process.stderr.read() == ""


def test_a_bug_is_reported_without_a_traceback(run, monkeypatch):
    monkeypatch.setattr(
        "ansible_collections.capability.openshift.plugins.plugin_utils._command.running.call", lambda *_: 1 / 0
    )
    code, _out, errors = run("update-plan")
    assert (code, errors.count("\n")) == (2, 1)
    assert "ZeroDivisionError" in errors
