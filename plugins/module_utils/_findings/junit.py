# Copyright: Contributors to the capability.openshift collection
# SPDX-License-Identifier: GPL-3.0-or-later

# Note that this module util is **PRIVATE** to the collection. It can have breaking changes at any time.

"""A report as JUnit XML, which most CI systems show as test results."""

from __future__ import annotations

import re
import xml.etree.ElementTree as ET

from .._problems import Problem
from .finding import Report, fails, finding_line

_NOT_IN_XML = re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")


def junit_report(report: Report) -> str:
    """Render ``report``: a test case for each finding, and one for each rule without findings.

    A finding that fails the check is a failure. A known one is skipped, any other one passes, with its text as output.
    """
    suite = ET.Element("testsuite", {"name": report.tool})
    found = {finding.code for finding in (*report.findings, *report.known)}
    for rule in report.rules:
        if rule.id not in found:
            ET.SubElement(suite, "testcase", {"classname": report.tool, "name": rule.id})
    for finding in report.findings:
        case = _case(finding, suite)
        if fails(finding.severity, report.fail_on):
            attributes = {"type": finding.severity, "message": _xml(finding.message)}
            ET.SubElement(case, "failure", attributes).text = _xml(_details(finding))
        else:
            ET.SubElement(case, "system-out").text = _xml(_details(finding))
    for finding in report.known:
        ET.SubElement(_case(finding, suite), "skipped", {"message": "in the baseline"})
    suite.attrib.update(
        tests=str(len(suite)), failures=str(len(report.failures)), errors="0", skipped=str(len(report.known))
    )
    root = ET.Element("testsuites")
    root.append(suite)
    ET.indent(root)
    return f'<?xml version="1.0" encoding="UTF-8"?>\n{ET.tostring(root, encoding="unicode")}\n'


def _case(finding: Problem, suite: ET.Element) -> ET.Element:
    where = finding.where
    name = f"{finding.code}: {where.field}" if where.field else finding.code
    attributes = {"classname": _xml(where.source or suite.attrib["name"]), "name": _xml(name)}
    if where.source:
        attributes["file"] = _xml(where.source)
    if where.line:
        attributes["line"] = str(where.line)
    return ET.SubElement(suite, "testcase", attributes)


def _details(finding: Problem) -> str:
    return f"{finding_line(finding)}\n{finding.hint}" if finding.hint else finding_line(finding)


def _xml(text: str) -> str:
    return _NOT_IN_XML.sub("\N{REPLACEMENT CHARACTER}", text)
