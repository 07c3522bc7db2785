# Copyright: Contributors to the capability.openshift collection
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Finds errors of a job of AWX or Automation Platform: a slice of a playbook for all clusters, and relative paths.

Sources: ansible/awx:awx/main/tasks/jobs.py, build_env (AWX_HOST, JOB_ID) and build_inventory (a slice gets its own
hosts only); awx/main/models/jobs.py, JobTemplate.create_unified_job (slices are the nodes of a workflow job with the
fields of the job template); awx/main/models/workflow.py, _get_unified_job_field_names (one of these is the name);
awx/main/models/unified_jobs.py and jobs.py, awx_meta_vars (the variables of a job, none of which is the slice number).
"""

from __future__ import annotations

DOCUMENTATION = r"""
name: _job_errors
short_description: "[INTERNAL] Find errors of a job of a controller, such as a slice of a playbook for all clusters"
version_added: 0.1.0
author:
  - Contributors to the capability.openshift collection (@capability-openshift)
description:
  - B(This is an internal tool of the collection, and can change at any time. Do not use it in your own playbooks.)
  - Returns one message for each error, and no message outside of jobs. A job has the environment variables
    E(AWX_HOST) and E(JOB_ID).
  - A slice is an error if the play runs on localhost, which is in each slice, or if O(hosts) is set.
  - A relative path is an error, because an execution node has a different working directory than a shell, and removes
    it after the job.
options:
  _terms:
    description: Not used.
    type: list
    elements: str
  hosts:
    description: Names of all hosts that the job must have. By default, the play runs on localhost for all clusters.
    type: list
    elements: str
  paths:
    description: Maps the names of variables to paths. A value can be a list. Values that are not strings are ignored.
    type: dict
    default: {}
  releases:
    description:
      - Maps the names of variables to directories or images of releases. A value can be a list, or a string separated
        by commas.
    type: dict
    default: {}
  allow_slice:
    description: Whether a slice is not an error.
    type: bool
    default: false
"""

EXAMPLES = r"""
- name: Check the job
  ansible.builtin.assert:
    that: errors | length == 0
    fail_msg: "{{ errors | join(' ') }}"
  vars:
    errors: "{{ query('capability.openshift._job_errors', paths={'report': report | default('')}) }}"
"""

RETURN = r"""
_raw:
  description: The messages.
  type: list
  elements: str
"""

import os
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

from ansible.plugins.lookup import LookupBase

from ansible_collections.capability.openshift.plugins.module_utils._release_image.release_name import (
    absolute_release_name,
)

_OF_JOBS = ("AWX_HOST", "JOB_ID")
_ONE_JOB = "Set the number of job slices of the job template to 1"


class LookupModule(LookupBase):
    """The lookup for Ansible."""

    def run(
        self,
        terms: Iterable[str],  # noqa: ARG002  # all options have names
        variables: Mapping[str, Any] | None = None,
        **kwargs: Any,
    ) -> list[str]:
        """Return the errors of the job."""
        return list(self._errors(variables or {}, **kwargs)) if all(map(os.environ.get, _OF_JOBS)) else []

    def _errors(
        self,
        variables: Mapping[str, Any],
        *,
        hosts: Sequence[str] | None = None,
        paths: Mapping[str, object] | None = None,
        releases: Mapping[str, object] | None = None,
        allow_slice: bool = False,
    ) -> Iterator[str]:
        if not allow_slice:
            found = _slice_of_localhost(variables) if hosts is None else _slice_of_hosts(variables, hosts)
            if found:
                yield found
        for name, value in (paths or {}).items():
            yield from (_relative(name, path) for path in _strings(value) if not path.startswith("/"))
        for name, value in (releases or {}).items():
            names = [part.strip() for item in _strings(value) for part in item.split(",")]
            yield from (_relative(name, item) for item in names if item and absolute_release_name(item, "/") != item)


def _is_slice(variables: Mapping[str, Any]) -> bool:
    """Whether the workflow of the job has the name of its job template, as the workflow of slices has."""
    name = variables.get("awx_workflow_job_name")
    return name is not None and name == variables.get("awx_job_template_name")


def _slice_of_localhost(variables: Mapping[str, Any]) -> str:
    if variables.get("inventory_hostname") != "localhost" or not _is_slice(variables):
        return ""
    return (
        "The job is a slice, so it does nothing. Expected one job, because each slice would do the work for all"
        f" clusters, and write the same files. {_ONE_JOB}, or set allow_slice to true."
    )


def _slice_of_hosts(variables: Mapping[str, Any], hosts: Sequence[str]) -> str:
    present = variables.get("ansible_play_hosts_all", ())
    if not _is_slice(variables) and set(hosts) <= set(present):
        return ""
    return (
        f"The job has {len(present)} clusters, which are a slice of all clusters, so nothing is written. Expected a job"
        f" with all of them, because the files are written for all clusters or for none. {_ONE_JOB} and remove the"
        " limit, or set allow_slice to true."
    )


def _strings(value: object) -> list[str]:
    items = value if isinstance(value, list) else [value]
    return [item for item in items if item and isinstance(item, str)]


def _relative(name: str, path: str) -> str:
    return (
        f"{name} is {path}, expected an absolute path, because an execution node has a different working directory than"
        " a shell, and removes it after the job."
    )
