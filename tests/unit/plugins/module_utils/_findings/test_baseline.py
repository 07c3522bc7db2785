# Copyright: Contributors to the capability.openshift collection
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

import pytest

from ansible_collections.capability.openshift.plugins.module_utils._findings.baseline import (
    baseline_text,
    compare_with_baseline,
    parse_baseline,
)
from ansible_collections.capability.openshift.plugins.module_utils._problems import Problems
from ansible_collections.capability.openshift.tests.unit.builders.findings import finding

ONE, TWO = finding(), finding(resource="ConfigMap x/two")


def known(*findings):
    problems = Problems()
    parsed = parse_baseline(baseline_text(findings), "known.json", problems)
    assert not problems
    return parsed


def test_each_entry_matches_one_finding():
    again = ONE._replace(message="another secret is out")
    assert len(compare_with_baseline([ONE, again], known(ONE)).new) == 1
    assert compare_with_baseline([ONE, again], known(ONE, again)).new == ()


def test_equal_findings_are_equal_text_whatever_their_order():
    assert baseline_text([ONE, TWO]) == baseline_text([TWO, ONE])
    assert len(baseline_text([ONE, TWO]).splitlines()) == 7


@pytest.mark.parametrize(
    ("text", "code", "where"),
    [
        ("{", "invalid-json", "known.json"),
        ("[" * 100000, "invalid-json", "known.json"),
        ("[]", "invalid-baseline", "known.json"),
        ('{"version": 2, "findings": []}', "invalid-baseline", "known.json"),
        ('{"version": true, "findings": []}', "invalid-baseline", "known.json"),
        ('{"version": 1, "findings": {}}', "invalid-baseline", "known.json"),
        ('{"version": 1, "findings": [7]}', "invalid-baseline", "known.json, findings[0]"),
        ('{"version": 1, "findings": [{"rule": 1}]}', "invalid-baseline", "known.json, findings[0].rule"),
    ],
)
def test_a_file_that_is_no_baseline_is_an_error(text, code, where):
    problems = Problems()
    assert not parse_baseline(text, "known.json", problems)
    assert [(problem.code, str(problem.where)) for problem in problems] == [(code, where)]
    # It may be the file of a site.
    assert problems[0].hint.startswith("Choose another file, or ")
