# Copyright: Contributors to the capability.openshift collection
# SPDX-License-Identifier: GPL-3.0-or-later

"""cluster_update reads both releases from the registry of the cluster, and looks for the signature of the next one."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any

import pytest

from ansible_collections.capability.openshift.plugins.module_utils._release_image import signature_verification
from ansible_collections.capability.openshift.plugins.modules import cluster_update
from ansible_collections.capability.openshift.tests.cluster.helpers.support import OBJECT
from ansible_collections.capability.openshift.tests.cluster.helpers.updates import (
    ACCEPTANCES,
    PATH,
    PROVED,
    running,
    wait_for_condition,
    write_path,
    writes,
)
from ansible_collections.capability.openshift.tests.control_plane.control_plane import ControlPlane
from ansible_collections.capability.openshift.tests.control_plane.openshift import EXAMPLE
from ansible_collections.capability.openshift.tests.control_plane.reset import remember, reset
from ansible_collections.capability.openshift.tests.control_plane.updates import UpdatingOperator
from ansible_collections.capability.openshift.tests.control_plane.waiting import wait_for
from ansible_collections.capability.openshift.tests.registry.harness.registry import Registry, Site
from ansible_collections.capability.openshift.tests.registry.test_mirror_check import KEY, verification
from ansible_collections.capability.openshift.tests.unit.builders.images import release_image
from ansible_collections.capability.openshift.tests.unit.builders.openpgp import content
from ansible_collections.capability.openshift.tests.unit.run_module import Call, Outcome, caller

pytestmark = pytest.mark.deep

OLD, NEXT = PATH[:2]
UNSIGNED = {"name": "release-not-signed", "reason": "a ConfigMap of the cluster has the signature"}
Update = Callable[..., Outcome]


@pytest.fixture(scope="module")
def plane() -> Iterator[ControlPlane]:
    with ControlPlane() as started:
        remember(started)
        yield started


@pytest.fixture(scope="module")
def store(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("signatures")


@pytest.fixture(scope="module")
def images(tmp_path_factory: pytest.TempPathFactory, registry: Registry, store: Path) -> dict[str, Path]:
    """Return the pull specs of two releases with keys, and with the store of their signatures."""
    found = {}
    for folder in list(write_path(tmp_path_factory.mktemp("path")).values())[:2]:
        file = folder / "release-manifests" / "0000_90_keys.json"
        file.write_text(verification(KEY, f"file://{store}"), "utf-8")
        found[f"{registry.host}/update/release@{registry.push('update/release', release_image(folder))}"] = folder
    return found


@pytest.fixture
def operator(plane: ControlPlane, images: Mapping[str, Path]) -> Iterator[UpdatingOperator]:
    reset(plane, EXAMPLE)
    update = {"version": NEXT, "image": list(images)[1], "channels": ["stable-4.19"], "url": ""}
    with running(plane, images) as found:
        found.available = {OLD: [update]}
        wait_for(lambda: plane.api.get(OBJECT)["status"]["availableUpdates"] == [update], "the available update", 30.0)
        yield found


@pytest.fixture
def update(
    plane: ControlPlane,
    registry_site: Site,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> Update:
    """Return a function that runs the module without a path of releases. It knows the key of the releases."""
    monkeypatch.setattr(signature_verification, "RED_HAT_KEYS", {KEY.fingerprint})
    call: Call = caller(capsys)

    def run(*more: Mapping[str, str], **options: Any) -> Outcome:
        given = {"kubeconfig": plane.kubeconfig, "version": NEXT, "ca_path": registry_site.ca, "wait_timeout": 60}
        return call(
            cluster_update,
            **{**given, "release_cache": tmp_path / "cache", "acceptances": [*ACCEPTANCES, *more], **options},
        )

    return run


def sign(store: Path, name: str) -> None:
    digest = name.partition("@")[2]
    folder = store / digest.replace(":", "=")
    folder.mkdir(exist_ok=True)
    (folder / "signature-1").write_bytes(KEY.sign(content(digest)))


def unchecked(outcome: Outcome) -> set[str]:
    return {item["code"] for item in outcome["plan"]["not_checked"]}


@pytest.mark.usefixtures("operator")
def test_a_signed_release_of_the_registry_is_updated_to(
    plane: ControlPlane, images: dict[str, Path], store: Path, update: Update
) -> None:
    for name in images:
        sign(store, name)
    mark = plane.audit.mark()
    shown = update(check=True, diff=True)
    assert (writes(plane, mark), shown["changed"]) == ([], True)
    done = update(diff=True)

    assert (done["diff"], done["plan"]) == (shown["diff"], shown["plan"])
    assert "release-signature" not in unchecked(done)
    assert (done["desired_update"]["state"], done["prediction"]) == ("completed", PROVED)
    assert done["desired_update"]["image"] == list(images)[1]


def test_a_missing_signature_is_named_before_any_write_and_accepted_by_name(
    plane: ControlPlane, operator: UpdatingOperator, images: dict[str, Path], store: Path, update: Update
) -> None:
    """The plan does not read the ConfigMaps with signatures on the cluster, and its operator does."""
    old, new = images
    sign(store, old)
    for file in (store / new.partition("@")[2].replace(":", "=")).glob("*"):
        file.unlink()
    mark = plane.audit.mark()
    for check in (True, False):
        refused = update(check=check)
        assert [item["code"] for item in refused.errors] == ["release-not-signed"], refused.message
        assert "accept release-not-signed in acceptances" in refused.message
    assert writes(plane, mark) == []

    operator.refusal = "The update cannot be verified: unable to verify sha256 against keyrings"
    accepted = update(UNSIGNED, wait_timeout=4)
    assert [item["code"] for item in accepted.errors] == ["unfinished-update"]
    assert operator.refusal in accepted.message
    assert writes(plane, mark) == ["admin-acks", "version"]
    wait_for_condition(plane, "ReleaseAccepted", "False")

    operator.refusal = ""
    again = update(UNSIGNED)
    assert (again["desired_update"]["state"], again["prediction"], again["changed"]) == ("completed", PROVED, False)
