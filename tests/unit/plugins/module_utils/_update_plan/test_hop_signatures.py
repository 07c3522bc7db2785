# Copyright: Contributors to the capability.openshift collection
# SPDX-License-Identifier: GPL-3.0-or-later

"""By which keys and in which stores the images of a path are verified. Here, ``check_signature`` only records that."""

from __future__ import annotations

import json
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from ansible_collections.capability.openshift.plugins.module_utils._problems import Problem, Problems, ReleaseError
from ansible_collections.capability.openshift.plugins.module_utils._release_image import open_release
from ansible_collections.capability.openshift.plugins.module_utils._release_image.opened_release import (
    OpenedRelease,
    ReleaseImage,
    Signer,
)
from ansible_collections.capability.openshift.plugins.module_utils._release_image.release_source import (
    ReleaseSource,
    SignatureOptions,
)
from ansible_collections.capability.openshift.plugins.module_utils._release_image.verification_config import ANNOTATION
from ansible_collections.capability.openshift.plugins.module_utils._update_plan.releases import (
    HopSignatures,
    PathRelease,
)
from ansible_collections.capability.openshift.plugins.module_utils._update_plan.signature import ImageSignature
from ansible_collections.capability.openshift.plugins.module_utils._update_plan.verdict import UpdateState
from ansible_collections.capability.openshift.tests.unit.builders.openpgp import Key, armored

IMAGE = ReleaseImage("sha256:a", "sha256:a", "amd64", "registry")
OWN, GIVEN = ("https://of-the-cluster",), ("https://given",)
CONFIG_MAP = json.dumps(
    {
        "apiVersion": "v1",
        "kind": "ConfigMap",
        "metadata": {"name": "keys", "annotations": {ANNOTATION: ""}},
        "data": {"verifier-public-key-a": armored(Key().ring), "store-a": "https://store.example"},
    }
)


class Request(SimpleNamespace):
    """The part of a request that matters."""

    def _replace(self, **changes: Any) -> Request:
        return Request(**{**vars(self), **changes})


@pytest.fixture
def asked(monkeypatch: pytest.MonkeyPatch) -> list[tuple[str, str, tuple[object, ...]]]:
    """The name of each verified image, of the release whose keys verify it, and the stores."""
    calls = []

    def check(name: str, _found: Any, options: SignatureOptions, _ca: Any, _problems: Problems) -> tuple[Signer, ...]:
        calls.append((name, options.previous.name if options.previous else "", tuple(options.stores)))
        if options.mode == "required" and name == "c":
            raise ReleaseError([Problem("error", "not-verified", name, "is not signed")])
        return (Signer("ring", "AB", "user", "store"),)

    monkeypatch.setattr(open_release, "check_signature", check)
    return calls


def signatures(tmp_path: Path, *images: ReleaseImage | None, **options: Any) -> HopSignatures:
    unread: Any = None
    named = zip("abc", images, strict=False)
    releases = [PathRelease(name, OpenedRelease(str(tmp_path), image), unread) for name, image in named]
    return HopSignatures(releases, ReleaseSource(signature=SignatureOptions(**options)), Problems())


def request(*path: int, stores: tuple[str, ...] = ()) -> Any:
    return Request(path=path, state=UpdateState(signature_stores=stores))


def test_each_image_is_verified_once_by_the_release_before_it(tmp_path: Path, asked: list[Any]) -> None:
    hops = signatures(tmp_path, IMAGE, None, IMAGE, mode="warn")
    for _repeat in range(2):
        state = hops.add(request(0, 1, 2)).state
        assert state.signatures == (None, ImageSignature("verified"))
    assert asked == [("a", "", ()), ("c", "b", ())]


@pytest.mark.parametrize(
    ("text", "options", "state"),
    [
        ("", {"mode": "warn"}, "invalid"),
        ("", {"mode": "ignore"}, "unknown"),
        (CONFIG_MAP, {"mode": "warn"}, "unknown"),
        (CONFIG_MAP.replace('"data": {', '"data": {"other": "", '), {"mode": "warn"}, "unknown"),  # only a warning
        ("", {"mode": "warn", "keys": ("a.gpg",)}, "unknown"),
    ],
)
def test_a_release_without_keys_refuses_each_image(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, text: str, options: Any, state: str
) -> None:
    """Its own image has no valid signature either, because the same keys verify it."""
    monkeypatch.setattr(open_release, "check_signature", lambda *_arguments: ())
    (tmp_path / "keys.yaml").write_text(text)
    (found,) = signatures(tmp_path, IMAGE, IMAGE, **options).add(request(0, 1)).state.signatures
    assert found is not None
    assert (found.state, "its CVO accepts no other release" in found.reason) == (state, state == "invalid")


def test_directories_have_no_signatures(tmp_path: Path, asked: list[Any]) -> None:
    given = request(0, 1, stores=OWN)
    assert signatures(tmp_path, None, None, mode="warn").add(given) is given
    assert asked == []


def test_a_missing_signature_that_is_required_is_an_error_of_each_cluster(tmp_path: Path, asked: list[Any]) -> None:
    hops = signatures(tmp_path, IMAGE, IMAGE, IMAGE, mode="required")
    for _repeat in range(2):
        with pytest.raises(ReleaseError):
            hops.add(request(0, 2))
    assert [name for name, *_more in asked] == ["a", "c"]
    assert hops.add(request(0, 1)).state.signatures == (ImageSignature("verified"),)


@pytest.mark.parametrize(
    ("options", "used", "left"),
    [
        ({"mode": "warn"}, OWN, ()),
        ({"mode": "warn", "stores": GIVEN}, GIVEN, OWN),
        ({"mode": "warn", "stores": (*GIVEN, *OWN)}, (*GIVEN, *OWN), ()),
        ({"mode": "ignore"}, (), ()),
    ],
)
def test_the_option_replaces_the_stores_of_the_cluster(
    tmp_path: Path, asked: list[Any], options: Any, used: tuple[str, ...], left: tuple[str, ...]
) -> None:
    state = signatures(tmp_path, IMAGE, IMAGE, **options).add(request(0, 1, stores=OWN)).state
    assert state.signature_stores == left
    assert asked[-1] == ("b", "a", used)
