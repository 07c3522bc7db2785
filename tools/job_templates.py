# Copyright: Contributors to the capability.openshift collection
# SPDX-License-Identifier: GPL-3.0-or-later

"""Job templates with surveys for AWX and Automation Platform, from the argument specs of playbooks."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

import yaml
from environment import NAME, NAMESPACE, ROOT

PATH = ROOT / "examples" / "controller" / "job_templates.yml"
HEAD = f"""\
# Copyright: Contributors to the {NAMESPACE}.{NAME} collection
# SPDX-License-Identifier: GPL-3.0-or-later
---
# Job templates with surveys, in the form of the collections infra.controller_configuration and infra.aap_configuration.
# Written by tools/schemas.py. Set capability_project, capability_inventory and capability_execution_environment to the
# names of yours. docs/how_to/use_schemas.md describes what the project contains.
"""

PATHS = {
    "changes_from",
    "cluster_version",
    "current_release",
    "mirrors",
    "previous_release",
    "release",
    "releases",
    "report",
    "signature_stores",
}
"""Options that can be paths. An execution environment has other files than the machine of the user."""
IN_ENVIRONMENT = "Write paths in the execution environment as absolute paths."
PROJECT = "/runner/project"
"""The files of the project in an execution environment. Source: ansible/awx:awx/main/tasks/jobs.py"""
HINTS = {"dict": "Write a JSON object.", "list": "Separate several with commas."}
"""How to answer a question with text."""


class Job(NamedTuple):
    """What the argument spec of a playbook does not say: which options are questions, and whether a check makes sense.

    Connections and credentials of registries come from the controller, hosts from its inventory. Other options can be
    set as extra variables.
    """

    questions: tuple[str, ...]
    changes: bool = False
    extra_vars: Mapping[str, Any] = {}


class Playbook(NamedTuple):
    """What a playbook does, and its options. Their descriptions are plain text."""

    description: str
    options: Mapping[str, Mapping[str, Any]]


JOBS = {
    "capability_guard": Job(("state", "mode", "allowed_capabilities", "capability_guard_hosts"), changes=True),
    "capability_usage_info": Job(
        ("release", "capability_names", "clients", "fail_if_used", "capability_usage_info_hosts")
    ),
    "cluster_capabilities": Job(
        ("enable", "release", "wait", "wait_timeout", "cluster_capabilities_hosts"), changes=True
    ),
    "install_config": Job(("pull_secret", "write_valid"), changes=True),
    "mirror_check": Job(("release", "current_release", "images", "mirrors", "signature_stores", "pull_secret")),
    "release_apply": Job(
        (
            "release",
            "capabilities",
            "previous_release",
            "fail_on",
            "mode",
            "wait",
            "wait_timeout",
            "prune",
            "release_apply_hosts",
        ),
        changes=True,
    ),
    "release_compare": Job(("release", "changes_from", "capabilities")),
    "release_verify": Job(("release", "capabilities", "release_verify_hosts")),
    "site_check": Job(("paths", "openshift_version", "solution", "fail_on"), extra_vars={"checkout": PROJECT}),
    "update_plan": Job(("releases", "capabilities", "cluster_version", "platform", "fail_on", "report")),
}
"""The playbooks that a controller runs. The others show or write files of a release for the person who calls them."""


class _Dumper(yaml.SafeDumper):
    """Indents the items of lists, as yamllint expects."""

    def increase_indent(self, flow: bool = False, indentless: bool = False) -> None:  # noqa: ARG002, FBT001, FBT002
        super().increase_indent(flow, indentless=False)


def render_job_templates(playbooks: Mapping[str, Playbook]) -> str:
    """Return the file with the job templates."""
    templates = [job_template(name, playbooks[name], job) for name, job in JOBS.items()]
    return HEAD + yaml.dump({"controller_templates": templates}, Dumper=_Dumper, sort_keys=False, width=100)


def job_template(name: str, playbook: Playbook, job: Job) -> dict[str, Any]:
    """Return a job template."""
    # A plan reads a cluster only with the option kubeconfig, not with a credential alone.
    has_cluster = f"{name}_hosts" in job.questions
    questions = [question(key, playbook.options[key], name) for key in job.questions]
    return {
        "name": f"{NAMESPACE}.{NAME}.{name}",
        "description": playbook.description,
        "job_type": "run",
        "project": "{{ capability_project }}",
        "playbook": f"playbooks/{name}.yml",
        "inventory": "{{ capability_inventory }}",
        "execution_environment": "{{ capability_execution_environment }}",
        **({"ask_credential_on_launch": True} if has_cluster else {}),
        **({"ask_job_type_on_launch": True, "diff_mode": True} if job.changes else {}),
        "ask_variables_on_launch": True,
        **({"extra_vars": dict(job.extra_vars)} if job.extra_vars else {}),
        "survey_enabled": True,
        "survey_spec": {"name": name, "description": "", "spec": questions},
    }


def question(name: str, option: Mapping[str, Any], playbook: str) -> dict[str, Any]:
    """Return the question for an option.

    One without a default has no key ``default``: a controller would pass an empty answer to the playbook.
    """
    kind = question_type(option)
    hints = [HINTS.get(option["type"], "")] if kind in ("text", "textarea") else []
    hints += [IN_ENVIRONMENT] if name in PATHS else []
    result = {
        "question_name": name.removeprefix(f"{playbook}_").replace("_", " ").capitalize(),
        "question_description": " ".join((option["description"], *filter(None, hints))),
        "required": option.get("required", False),
        "type": kind,
        "variable": name,
    }
    if kind in ("multiplechoice", "multiselect"):
        result["choices"] = ["true", "false"] if option["type"] == "bool" else list(option["choices"])
    if "default" in option:
        result["default"] = answer(option["default"])
    return result


def question_type(option: Mapping[str, Any]) -> str:
    """Return the type of the question for an option."""
    if option.get("no_log"):
        return "password"
    if option["type"] == "list" and "choices" in option:
        return "multiselect"
    if option["type"] == "bool" or "choices" in option:
        return "multiplechoice"
    return {"dict": "textarea", "int": "integer"}.get(option["type"], "text")


def answer(default: Any) -> Any:
    """Return a default as an answer. The answers of a list are lines."""
    if isinstance(default, bool):
        return str(default).lower()
    return "\n".join(default) if isinstance(default, list) else default
