# Copyright: Contributors to the capability.openshift collection
# SPDX-License-Identifier: GPL-3.0-or-later

"""The image of the execution environment: what is in it, and jobs as a controller runs them. See `make test-ee`."""

from __future__ import annotations

import json
import os
import re
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

import pytest
import yaml
from ansible_runner import interface
from packaging.requirements import Requirement
from packaging.specifiers import SpecifierSet

from ansible_collections.capability.openshift.plugins.module_utils._version import COLLECTION_VERSION
from ansible_collections.capability.openshift.tests.unit.builders.images import release_image, write_oci_layout
from ansible_collections.capability.openshift.tests.unit.builders.openpgp import Key, content
from ansible_collections.capability.openshift.tests.unit.jobs import Job, read_job

ROOT = Path(__file__).parents[2]
EXAMPLE = "examples/releases/4.21.0"
INSTALLED = "/usr/share/ansible/collections/ansible_collections"
OPENSHIFT_USER = "1000770000:0"
"""A user without an entry in /etc/passwd, as OpenShift starts containers."""
MODULES = {"PyYAML": "yaml"}
"""Modules of Python that are not called as their package."""


class Container(NamedTuple):
    """A container of the image. An empty ``user`` is that of the image."""

    name: str
    user: str

    def start(self, *command: str, **more: Any) -> subprocess.CompletedProcess[Any]:
        """Run a command through the entrypoint of the image."""
        settings = json.loads(buildah("inspect", self.name))["OCIv1"]["config"]
        user = [f"--user={self.user}"] if self.user else []
        words = ["buildah", "run", *user, self.name, "--", *settings["Entrypoint"], *command]
        return subprocess.run(words, check=False, **more)

    def output(self, *command: str) -> str:
        done = self.start(*command, capture_output=True, text=True)
        assert done.returncode == 0, done.stdout + done.stderr
        return done.stdout

    def run_job(self, folder: Path, playbook: Any) -> Job:
        """Transmit a playbook with the files of ``folder/controller/project``, run it here, and process the answer."""
        here = folder / "controller"
        (here / "project" / "job.yml").write_text(yaml.safe_dump(playbook))
        with open(folder / "sent", "w+b") as sent, open(folder / "answer", "w+b") as answer:
            interface.run(streamer="transmit", _output=sent, private_data_dir=str(here), playbook="job.yml", ident="7")
            sent.seek(0)
            self.start("ansible-runner", "worker", "--private-data-dir=/runner", stdin=sent, stdout=answer)
            answer.seek(0)
            interface.run(streamer="process", _input=answer, private_data_dir=str(here), ident="7", quiet=True)
        return read_job(here / "artifacts" / "7", folder / "node")


def buildah(*command: str) -> str:
    return subprocess.run(["buildah", *command], capture_output=True, text=True, check=True).stdout.strip()


@pytest.fixture(scope="module", params=["", OPENSHIFT_USER], ids=["image", "openshift"])
def container(request) -> Iterator[Container]:
    name = buildah("from", "--pull-never", os.environ["EXECUTION_ENVIRONMENT"])
    yield Container(name, request.param)
    buildah("rm", name)


def test_ansible_core_is_one_that_the_collection_supports(container):
    version = re.match(r"ansible \[core (\S+)\]", container.output("ansible", "--version"))
    assert version
    wanted = yaml.safe_load((ROOT / "meta" / "runtime.yml").read_text())["requires_ansible"]
    assert SpecifierSet(wanted).contains(version[1])


def test_the_collections_are_installed(container):
    found = json.loads(container.output("ansible-galaxy", "collection", "list", "--format", "json"))[INSTALLED]
    assert found["capability.openshift"] == {"version": COLLECTION_VERSION}
    wanted = yaml.safe_load((ROOT / "galaxy.yml").read_text())["dependencies"]["kubernetes.core"]
    assert SpecifierSet(wanted).contains(found["kubernetes.core"]["version"])


def test_the_libraries_of_the_collection_can_be_imported(container):
    lines = (ROOT / "meta" / "ee-requirements.txt").read_text().splitlines()
    wanted = [Requirement(line) for line in lines if line and not line.startswith("#")]
    assert {requirement.name for requirement in wanted} > {"kubernetes", "PyYAML", "cryptography"}
    modules = ["urllib3", *(MODULES.get(requirement.name, requirement.name) for requirement in wanted)]
    code = f"""
import json, {", ".join(modules)}
from importlib.metadata import version
print(json.dumps([version(name) for name in {[requirement.name for requirement in wanted]}]))
"""
    versions = json.loads(container.output("python3", "-c", code))
    assert [
        str(requirement)
        for requirement, version in zip(wanted, versions, strict=True)
        if not requirement.specifier.contains(version)
    ] == []


def test_the_image_names_what_it_contains(container):
    labels = json.loads(buildah("inspect", container.name))["OCIv1"]["config"]["Labels"]
    image = {name.rpartition(".")[2]: value for name, value in labels.items() if name.startswith("org.opencontainers.")}
    assert image["title"] == "capability.openshift"
    assert image["licenses"] == "GPL-3.0-or-later"


def test_gpgv_runs(container):
    assert "gpgv (GnuPG)" in container.output("gpgv", "--version")


def test_a_playbook_of_the_collection_runs(container):
    release = f"{INSTALLED}/capability/openshift/{EXAMPLE}"
    text = container.output("ansible-playbook", "capability.openshift.release_info", "-e", f"release={release}")
    assert "4.21.0" in text
    assert re.search(r"failed=0 ", text)


@pytest.fixture(scope="module")
def key() -> Key:
    return Key()


@pytest.fixture
def signed_release(tmp_path, key) -> Path:
    """Return a directory with an image of the example release, its signature, and two key rings."""
    project = tmp_path / "controller" / "project"
    image = release_image(ROOT / EXAMPLE)
    signatures = project / "signatures" / image.digest.replace(":", "=")
    signatures.mkdir(parents=True)
    write_oci_layout(project / "release", {"": image})
    (signatures / "signature-1").write_bytes(key.sign(content(image.digest)))
    (project / "ring").write_bytes(key.ring)
    (project / "other").write_bytes(Key("Other <other@example.com>").ring)
    return tmp_path


def reading(ring: str, **more: Any) -> dict[str, Any]:
    given = {"release": "oci:{{ playbook_dir }}/release", "signature_stores": ["{{ playbook_dir }}/signatures"]}
    return {**given, "signature": "required", "signature_keys": ["{{ playbook_dir }}/" + ring], **more}


def test_a_job_verifies_a_release_and_writes_its_manifests(container, signed_release, key):
    selection = {"baseline_capability_set": "None", "additional_enabled_capabilities": ["Ingress"]}
    playbook = {
        "hosts": "localhost",
        "gather_facts": False,
        "tasks": [
            {"capability.openshift.release_info": reading("ring"), "register": "info"},
            {
                "capability.openshift.release_manifests": reading(
                    "ring", capabilities=selection, dest="/tmp/manifests"
                ),
                "register": "selected",
            },
            {"ansible.builtin.find": {"paths": "/tmp/manifests", "recurse": True}, "register": "written"},
            {"capability.openshift.release_info": reading("other"), "register": "refused", "ignore_errors": True},
            {
                "ansible.builtin.set_stats": {
                    "data": {
                        "signers": "{{ info.release.signed_by | map(attribute='fingerprint') }}",
                        "included": "{{ selected.included }}",
                        "excluded": "{{ selected.excluded }}",
                        "written": "{{ written.matched }}",
                        "problems": "{{ refused.problems | map(attribute='code') }}",
                    }
                }
            },
        ],
    }
    job = container.run_job(signed_release, [playbook])

    assert job.code == 0, job.text
    assert job.artifacts["signers"] == [key.fingerprint]
    assert job.artifacts["problems"] == ["signature-unknown-key", "not-verified"]
    assert job.artifacts["included"] > 0
    assert job.artifacts["excluded"] > 0
    assert job.artifacts["written"] > 0
