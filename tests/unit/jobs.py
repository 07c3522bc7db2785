# Copyright: Contributors to the capability.openshift collection
# SPDX-License-Identifier: GPL-3.0-or-later

"""Jobs as a controller runs them: transmitted to an execution node, run there by ansible-runner, and processed here.

That is what AWX and Automation Platform do with receptor between the three steps.
"""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from ansible_runner import interface

from ansible_collections.capability.openshift.tests.unit.builders.install_configs import environment

JOB = {"AWX_HOST": "https://awx.example", "JOB_ID": "7"}
"""What the environment of each job of a controller has."""


class Job(NamedTuple):
    """A job after its end. ``node``: the directory of the job on the execution node."""

    code: int
    text: str
    artifacts: dict[str, Any]
    node: Path

    def files_of_the_playbook(self) -> Iterator[Path]:
        """The files on the execution node, except those that the controller sent: inventory and extra variables."""
        for path in self.node.rglob("*"):
            if path.is_file() and path.relative_to(self.node).parts[0] not in ("env", "inventory"):
                yield path


def run_job(
    folder: Path,
    playbooks: Sequence[str],
    hosts: Mapping[str, Any],
    extra: Mapping[str, Any] | None = None,
    limit: str = "",
) -> Job:
    """Run playbooks of the collection for ``hosts`` in ``folder``, which must not exist yet."""
    here, node = folder / "controller", folder / "node"
    settings = {**environment(folder), **JOB, "HOME": str(folder), "PATH": _path(), "ANSIBLE_NOCOLOR": "1"}
    files = {
        "project/job.yml": "".join(f"- import_playbook: capability.openshift.{name}\n" for name in playbooks),
        "inventory/hosts.json": json.dumps({"all": {"hosts": dict(hosts)}}),
        "env/envvars": json.dumps({name: value for name, value in settings.items() if name != "PWD"}),
        "env/extravars": json.dumps({"target_hosts": "all", **(extra or {})}),
    }
    for name, text in files.items():
        (here / name).parent.mkdir(parents=True, exist_ok=True)
        (here / name).write_text(text)
    more = {"limit": limit} if limit else {}
    with open(folder / "sent", "w+b") as sent, open(folder / "answer", "w+b") as answer:
        interface.run(
            streamer="transmit", _output=sent, private_data_dir=str(here), playbook="job.yml", ident="7", **more
        )
        sent.seek(0)
        interface.run(streamer="worker", _input=sent, _output=answer, private_data_dir=str(node))
        answer.seek(0)
        interface.run(streamer="process", _input=answer, private_data_dir=str(here), ident="7", quiet=True)
    return read_job(here / "artifacts" / "7", node)


def _path() -> str:
    return os.pathsep.join([str(Path(sys.executable).parent), os.environ["PATH"]])


def read_job(artifacts: Path, node: Path) -> Job:
    """Read what the controller has after a job."""
    events = [json.loads(path.read_text()) for path in (artifacts / "job_events").glob("*.json")]
    events.sort(key=lambda event: event["counter"])
    text = "".join(f"{event['stdout']}\n" for event in events)
    found = [event["event_data"].get("artifact_data") for event in events if event["event"] == "playbook_on_stats"]
    return Job(int((artifacts / "rc").read_text()), text, (found[-1] if found else None) or {}, node)
