# Copyright: Contributors to the capability.openshift collection
# SPDX-License-Identifier: GPL-3.0-or-later

"""Images of bundles in a registry."""

from __future__ import annotations

import json

import pytest

from ansible_collections.capability.openshift.plugins.modules import addon_check
from ansible_collections.capability.openshift.tests.registry.harness.registry import PASSWORD, USER
from ansible_collections.capability.openshift.tests.unit.builders.addons import LINK, RELEASE_FILES, csv, documents
from ansible_collections.capability.openshift.tests.unit.builders.images import image, layer
from ansible_collections.capability.openshift.tests.unit.builders.releases import write_release
from ansible_collections.capability.openshift.tests.unit.run_module import caller

REPOSITORY = "operators/widgets"
BUNDLE = image([layer({"manifests/csv.yaml": documents(csv()).encode(), "manifests/a.yaml": documents(LINK).encode()})])


@pytest.fixture
def options(registry, registry_site, tmp_path):
    registry.push(REPOSITORY, BUNDLE, "v1")
    release = write_release(tmp_path / "release", RELEASE_FILES)
    return {"release": str(release), "ca_path": str(registry_site.ca), "release_cache": str(tmp_path / "cache")}


def test_a_bundle_in_a_registry(capsys, registry, options):
    name = f"{registry.host}/{REPOSITORY}:v1"
    outcome = caller(capsys)(addon_check, addons=[name], **options)
    (finding,) = outcome["findings"]
    assert (finding["rule"], finding["path"]) == ("absent-kind", f"{name}/manifests/a.yaml")


def test_credentials_and_images_that_do_not_exist(capsys, basic_registry, options):
    name = f"{basic_registry.host}/{REPOSITORY}@{BUNDLE.digest}"
    call = caller(capsys)
    assert call(addon_check, addons=[name], **options).failed
    secret = json.dumps({"auths": {basic_registry.host: {"username": USER, "password": PASSWORD}}})
    assert "findings" in call(addon_check, addons=[name], pull_secret=secret, **options).result
    lost = call(addon_check, addons=[name.replace("widgets", "gears")], pull_secret=secret, **options)
    assert lost.failed
    assert "findings" not in lost.result
