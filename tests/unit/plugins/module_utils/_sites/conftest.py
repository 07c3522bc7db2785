# Copyright: Contributors to the capability.openshift collection
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

import pytest

from ansible_collections.capability.openshift.plugins.modules import site_check
from ansible_collections.capability.openshift.tests.unit.builders.sites import write_checkout
from ansible_collections.capability.openshift.tests.unit.run_module import caller


@pytest.fixture
def check(capsys, tmp_path):
    """Write files to tmp_path/checkout, and run the module on it. It does not fail because of findings."""
    call = caller(capsys)

    def check(files=None, *, check_mode=False, diff=False, **options):
        checkout = tmp_path / "checkout"
        if files is not None:
            checkout.mkdir(exist_ok=True)
            write_checkout(checkout, files)
        return call(site_check, check=check_mode, diff=diff, **{"checkout": checkout, "fail_on": "never", **options})

    return check


@pytest.fixture
def fix(check, tmp_path):
    """Correct the text of one file, and return the new text. A second run must change nothing."""

    def fix(text, name="site.yaml", **options):
        path = tmp_path / "checkout" / name
        data = text.encode() if isinstance(text, str) else text
        predicted = check({name: data}, state="fixed", check_mode=True, diff=True, **options)
        assert path.read_bytes() == data
        outcome = check(state="fixed", diff=True, **options)
        assert outcome.result == predicted.result
        assert outcome["changed"] is (path.read_bytes() != data)
        again = check(state="fixed", diff=True, **options)
        assert (again["changed"], again["diff"], again["fixed_files"]) == (False, [], [])
        assert again["findings"] == outcome["findings"]
        return path.read_bytes().decode()

    return fix
