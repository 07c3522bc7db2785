# Copyright: Contributors to the capability.openshift collection
# SPDX-License-Identifier: GPL-3.0-or-later

"""Both directories of a release are written to a destination."""

from __future__ import annotations

from ansible_collections.capability.openshift.plugins.module_utils._extract.release_files import write_release
from ansible_collections.capability.openshift.tests.unit.builders.releases import tree


def test_an_old_release_without_manifests_of_the_cvo_is_written(tmp_path):
    release, dest = tmp_path / "release", tmp_path / "dest"
    (release / "release-manifests" / "ignored").mkdir(parents=True)
    (release / "release-manifests" / "a.yaml").write_bytes(b"a: 1\n")

    assert [plan.changed for plan in write_release(str(release), str(dest), check_mode=False)] == [True, True]
    assert tree(dest)["release-manifests/a.yaml"] == b"a: 1\n"
    assert not [path for path in tree(dest) if path.startswith("manifests/") and path.endswith(".yaml")]
