# Copyright: Contributors to the capability.openshift collection
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

from typing import Any

import pytest

from ansible_collections.capability.openshift.plugins.modules import update_plan
from ansible_collections.capability.openshift.tests.unit.builders.update_paths import Releases, write_releases
from ansible_collections.capability.openshift.tests.unit.run_module import Outcome


@pytest.fixture(scope="module")
def releases(tmp_path_factory) -> Releases:
    """The releases of a path."""
    return write_releases(tmp_path_factory.mktemp("releases"))


@pytest.fixture
def run(call, releases):
    """Run update_plan on the first hop of the path, unless options say otherwise."""

    def run(**options: Any) -> Outcome:
        return call(update_plan, **{"releases": releases.hop, **options})

    return run
