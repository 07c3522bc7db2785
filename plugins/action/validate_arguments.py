# Copyright: Contributors to the capability.openshift collection
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Checks the variables of a playbook of this collection, or shows its help."""

from __future__ import annotations

from collections.abc import Container, Iterator, Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any

from ansible import context
from ansible.module_utils.parsing.convert_bool import boolean
from ansible.plugins.action import ActionBase
from ansible.plugins.loader import lookup_loader
from ansible.utils.vars import load_extra_vars

from ansible_collections.capability.openshift.plugins.module_utils._files.files import absolute
from ansible_collections.capability.openshift.plugins.module_utils._module.result import (
    error_text,
    warnings_of,
)
from ansible_collections.capability.openshift.plugins.module_utils._module.untag import untag
from ansible_collections.capability.openshift.plugins.module_utils._problems import (
    InvalidOptionError,
    Problems,
    problem_dicts,
    shown,
)
from ansible_collections.capability.openshift.plugins.plugin_utils._playbook_arguments import (
    check_inventory_names,
    check_names,
    check_prefixes,
    check_role_names,
    check_set,
    check_values,
    read_values,
)
from ansible_collections.capability.openshift.plugins.plugin_utils._playbook_help import help_text
from ansible_collections.capability.openshift.plugins.plugin_utils._playbook_variables import (
    HELP,
    TARGET_HOSTS,
    Playbook,
    declared_playbook,
    playbook_names,
)
from ansible_collections.capability.openshift.plugins.plugin_utils._python import require_python

_ARGUMENTS = {
    "playbook": {"type": "str"},
    "module": {"type": "str"},
    "prefix": {"type": "str"},
    "description": {"type": "str"},
    "examples": {"type": "list", "elements": "str"},
    "variables": {"type": "dict"},
    "cluster_variables": {"type": "list", "elements": "str"},
    "required_by": {"type": "dict"},
}
_ALLOW_SLICE = "allow_slice"
_LOCALHOST = "localhost"
_CLUSTERS = (("kubeconfig", "context", "host"), ("cluster_version",), ("request_counts",), ("clusters",))
"""What selects a cluster, or is of one."""
_WRITTEN = ("dest", "report", "outputs", "baseline")
"""Options with the path of what a module writes for one host."""
_ENVIRONMENT = "K8S_AUTH_"
"""Prefix of the environment variables for a connection."""
_OF_PLAY = "target_"
"""Prefix of the variables that decide on which hosts a play runs, before it reads those of a host."""


class ActionModule(ActionBase):
    TRANSFERS_FILES = False
    _requires_connection = False

    def run(self, tmp: str | None = None, task_vars: dict[str, Any] | None = None) -> dict[str, Any]:
        require_python()
        result: dict[str, Any] = super().run(tmp, task_vars)
        variables = task_vars or {}
        _validation, arguments = self.validate_argument_spec(  # type: ignore[no-untyped-call]
            _ARGUMENTS, required_one_of=[("playbook", "prefix")], required_by={"prefix": "module"}
        )
        playbook = declared_playbook(untag(arguments))
        extra_vars = untag(load_extra_vars(self._loader))
        shows_help = not playbook.prefix and boolean(extra_vars.get(HELP, False), strict=False)
        result |= {"changed": False, "help": shows_help, "problems": []}
        result["check_mode"] = bool(self._task.check_mode)
        if shows_help:
            if variables.get("inventory_hostname") == variables.get("ansible_play_hosts_all", [None])[0]:
                self._display.display(f"\n{help_text(playbook)}\n")
            return result
        problems = Problems()
        if playbook.prefix and not playbook.of_each_host:
            check_role_names(playbook, variables, problems, defaults=self._module_defaults(playbook))
        if not playbook.prefix:
            has_other_variables = bool(variables.get("groups", {}).get("all")) or not _is_started(playbook.name)
            check_names(
                playbook, extra_vars, problems, has_other_variables=has_other_variables, others=_others(playbook)
            )
        names = [name for name in playbook.variables if name in extra_vars or name not in playbook.of_each_host]
        values = read_values(names, variables, self._templar.template, problems)
        check_values(playbook, values, extra_vars, problems)
        if playbook.prefix:
            self._check_cluster_of_role(playbook, values, variables, problems)
        else:
            hosts = variables["ansible_play_hosts_all"] if playbook.of_each_host else [variables["inventory_hostname"]]
            for host in hosts:
                check_inventory_names(playbook, variables["hostvars"].raw_get(host), problems)
            self._check_host(playbook, values, extra_vars, variables, problems)
            _check_shared(values, variables, problems, is_local=self._is_local)
        result |= {"problems": problem_dicts(problems), "warnings": warnings_of(problems)}
        result["directory"] = self._directory(str(values.get("chdir") or ""))
        if problems.has_errors:
            result |= {"failed": True, "msg": error_text(InvalidOptionError(problems))}
        return result

    def _check_host(
        self,
        playbook: Playbook,
        values: Mapping[str, Any],
        extra_vars: Container[str],
        variables: Mapping[str, Any],
        problems: Problems,
    ) -> None:
        """Report what depends on the host: the cluster that is meant, and the part of the inventory in the job."""
        host, failed = variables["inventory_hostname"], {str(problem.where) for problem in problems}
        check_set(playbook, {*values, *failed}, problems)
        check_prefixes(playbook, playbook.options, variables, problems)
        if host != _LOCALHOST:
            _check_cluster(playbook, {*values, *failed}, host, problems)
        for name in (name for name in playbook.own if name.startswith(_OF_PLAY) and name not in extra_vars):
            if name in variables["hostvars"][host]:
                message = "is set in the inventory, which Ansible reads after it has selected the hosts of the play"
                problems.error("late-variable", name, message, f"Set it with -e {name}=VALUE")
        pattern = values.get(TARGET_HOSTS, playbook.own.get(TARGET_HOSTS, {}).get("default", _LOCALHOST))
        if host == _LOCALHOST and pattern != _LOCALHOST and not self._matched(pattern, variables):
            message = f"{shown(pattern)} matches no host of the inventory"
            problems.error("no-hosts", TARGET_HOSTS, message, "Correct it, or name the inventory: -i FILE")
        runs_for_all = host == _LOCALHOST or self._task.run_once
        if _ALLOW_SLICE in playbook.own and runs_for_all and not values.get(_ALLOW_SLICE) and _is_slice(variables):
            message = "the job is a slice, expected one job, because each slice would write the files of all clusters"
            hint = f"Set the number of job slices of the job template to 1, or set {_ALLOW_SLICE} to true"
            problems.error("job-slice", "", message, hint)

    def _check_cluster_of_role(
        self, role: Playbook, values: Mapping[str, Any], variables: Mapping[str, Any], problems: Problems
    ) -> None:
        """Report that several hosts would use one cluster. On other machines, each can have its own kubeconfig."""
        has_one = len(variables["ansible_play_hosts_all"]) == 1 or self._can_be_for_one_host or not self._is_local
        is_elsewhere = any(self._task.environment or ()) or not self._module_defaults(role).isdisjoint(_CLUSTERS[0])
        if not has_one and not is_elsewhere:
            failed = {str(problem.where) for problem in problems}
            _check_cluster(role, {*values, *failed}, variables["inventory_hostname"], problems)

    @property
    def _can_be_for_one_host(self) -> bool:
        """Whether ``run_once`` or a condition can select a host. A task does not inherit those of ``include_role``."""
        task: Any = self._task
        while task is not None:
            if task.when or task.run_once:
                return True
            task = task._parent
        return False

    def _module_defaults(self, role: Playbook) -> set[str]:
        """The options that ``module_defaults`` of the task set, of whichever module. A template can set all.

        Variables of an environment for the connection stand for all of them, too.
        """
        if any(name.startswith(_ENVIRONMENT) for entry in self._task.environment or () for name in entry):
            return set(role.options)
        given = [options for entry in self._task.module_defaults or () for options in entry.values()]
        return {name for options in given for name in (options if isinstance(options, Mapping) else role.options)}

    def _matched(self, pattern: str, variables: Mapping[str, Any]) -> list[str]:
        lookup: Any = lookup_loader.get("ansible.builtin.inventory_hostnames", self._loader, self._templar)
        return list(lookup.run([pattern], variables=variables))

    @property
    def _is_local(self) -> bool:
        """Whether the modules run on this machine."""
        return bool(getattr(self._connection, "transport", "") == "local")

    def _directory(self, chdir: str) -> str:
        """The directory of relative paths. On this machine, ``chdir`` starts from the directory of the shell."""
        return absolute(chdir) if self._is_local else chdir


def _check_cluster(playbook: Playbook, given: Container[str], host: str, problems: Problems) -> None:
    """Report that no variable among those ``given`` selects the cluster of a host."""
    of_cluster = playbook.cluster_variables
    if of_cluster and not any(name in given for name in of_cluster):
        message = f"is required for {host}, because each host would use the cluster of the current context"
        hint = f"Set one of {', '.join(of_cluster)} for each host"
        problems.error("missing-cluster", of_cluster[0], message, hint)


def _check_shared(
    values: Mapping[str, Any], variables: Mapping[str, Any], problems: Problems, *, is_local: bool
) -> None:
    """Report what a host shares with its neighbours in the play although each is a cluster: its selection, and paths.

    Hosts of a group are neighbours. Of the files that all write, only those of the last host would remain.
    """
    hosts, host = variables["ansible_play_hosts_all"], variables["inventory_hostname"]
    at = hosts.index(host)
    neighbours = [str(name) for name in (hosts[at - 1], hosts[(at + 1) % len(hosts)]) if name != host]

    def of(other: str, name: str) -> Any:
        if name in values and variables["hostvars"][host].get(name) != values[name]:  # of an imported playbook
            return None if "{{" in str(variables[name]) else values[name]
        return variables["hostvars"][other].get(name)

    def sharing(*names: str) -> str:
        for other in neighbours:
            with suppress(Exception):  # a template can fail with any, which the other host reports
                if all(of(other, name) == values.get(name) for name in names):
                    return other
        return ""

    for names in _CLUSTERS:
        cluster = [name for name in names if name in values]
        if cluster and (other := sharing(*names, "chdir")):
            message = f"is the same for {other}, expected other clusters for each host"
            hint = f"Set it for each host of the inventory, or remove {TARGET_HOSTS}"
            problems.error("shared-cluster", cluster[0], message, hint)
    written = {name: values[name] for name in _WRITTEN if name in values and is_local}
    if not boolean(values.get("update_baseline"), strict=False):
        written.pop("baseline", None)
    for name, value in written.items():
        if other := sharing(name, "chdir"):
            message = f"is {shown(value)} for {other}, too, and each would replace the other's files"
            problems.error("shared-path", name, message, "Add the host to it: {{ inventory_hostname }}")


def _is_slice(variables: Mapping[str, Any]) -> bool:
    """Whether AWX or Automation Platform runs a part of the inventory.

    Slices are jobs of a workflow that has the name of the job template. No variable has the number of the slice.
    Source: ansible/awx:awx/main/models/jobs.py, JobTemplate.create_unified_job, and awx_meta_vars.
    """
    workflow = variables.get("awx_workflow_job_name")
    return workflow is not None and workflow == variables.get("awx_job_template_name")


def _is_started(playbook: str) -> bool:
    """Whether the user started this playbook, rather than another one that imports it."""
    names = (Path(name).name for name in _arguments())
    return any(name in (f"{playbook}.yml", f"capability.openshift.{playbook}") for name in names)


def _others(playbook: Playbook) -> Iterator[str]:
    """Yield the playbooks of the collection that can be in the same run."""
    if len(_arguments()) > 1 or not _is_started(playbook.name):
        yield from playbook_names()


def _arguments() -> Sequence[str]:
    return context.CLIARGS.get("args") or ()
