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


def applied(patch: str, text: str) -> str | None:
    """Return ``text`` with a patch without context, ``None`` if the patch leaves other values out."""
    if "not shown" in patch:
        return None
    lines, shift = text.split("\n"), 0
    for hunk in patch.split("\n@@ ")[1:]:
        head, *body = hunk.split("\n")
        start, _comma, count = head.split()[0].removeprefix("-").partition(",")
        at = int(start) - (count != "0") + shift
        removed, added = ([line[1:] for line in body if line.startswith(sign)] for sign in "-+")
        assert lines[at : at + len(removed)] == removed
        lines[at : at + len(removed)] = added
        shift += len(added) - len(removed)
    return "\n".join(lines)


@pytest.fixture
def fix(check, tmp_path):
    """Correct the text of one file, and return the new text. A second run must change nothing.

    In check mode, the findings are those of the file as it is, and the diff is the edit.
    """

    def fix(text, name="site.yaml", **options):
        path = tmp_path / "checkout" / name
        data = text.encode() if isinstance(text, str) else text
        predicted = check({name: data}, state="fixed", check_mode=True, diff=True, **options)
        assert path.read_bytes() == data
        assert predicted["counts"]["error"] or not predicted["changed"]
        outcome = check(state="fixed", diff=True, **options)
        for key in ("changed", "diff", "files", "fixed_files", "problems"):
            assert predicted[key] == outcome[key]
        assert outcome["changed"] is (path.read_bytes() != data)
        for part in outcome["diff"]:
            assert applied(part["prepared"], data.decode()) in (None, path.read_bytes().decode())
        again = check(state="fixed", diff=True, **options)
        assert (again["changed"], again["diff"], again["fixed_files"]) == (False, [], [])
        assert again["findings"] == outcome["findings"]
        return path.read_bytes().decode()

    return fix
