# Copyright: Contributors to the capability.openshift collection
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

import re
from itertools import combinations
from xml.etree import ElementTree

import flowchart
import pytest

LOOP = """\
flowchart LR
    look["1. Look<br>at it"] --> predict["2. Predict"]
    predict --> enable["3. Enable"]
    enable -. "refused" .-> look
"""
DECISION = """\
flowchart TD
    read["Read"] --> valid{"Valid?"}
    valid -- no --> stop["Stop"]
    valid -- "yes, it is" --> one --> last(("&nbsp;"))
    read --> last
"""


def laid_out(source):
    across, nodes, arrows = flowchart.parse(source)
    flowchart.measure(nodes.values())
    flowchart.assign_ranks(nodes, arrows)
    flowchart.draw_ranked(nodes, arrows, across)
    return nodes, arrows


@pytest.mark.parametrize("source", [LOOP, DECISION])
def test_a_drawing_is_xml_with_every_text_and_arrow(source):
    picture = ElementTree.fromstring(flowchart.draw(source))

    texts = {element.text for element in picture.iter() if element.tag.endswith("text")}
    arrows = [element for element in picture.iter() if element.get("class") == "arrow"]
    labels = {line for text in re.findall(r'"([^"&]+)"', source) for line in text.split("<br>")}
    assert labels <= texts
    assert len(arrows) == len(re.findall(r"-->|\.->", source))


@pytest.mark.parametrize("source", [LOOP, DECISION])
def test_no_two_nodes_overlap(source):
    nodes, _arrows = laid_out(source)

    for one, other in combinations(nodes.values(), 2):
        apart = max(
            abs(one.x - other.x) - (one.width + other.width) / 2,
            abs(one.y - other.y) - (one.height + other.height) / 2,
        )
        assert apart > 0


def test_an_arrow_that_closes_a_circle_points_back():
    nodes, arrows = laid_out(LOOP)

    assert [arrow.reverse for arrow in arrows] == [False, False, True]
    assert nodes["look"].x < nodes["predict"].x < nodes["enable"].x


def test_a_chart_runs_downwards():
    nodes, _arrows = laid_out(DECISION)

    assert nodes["read"].y < nodes["valid"].y < nodes["one"].y < nodes["last"].y
    assert nodes["stop"].y == nodes["one"].y


@pytest.mark.parametrize(
    "source",
    [
        "sequenceDiagram\n  a->>b: hello",
        "flowchart TD\n  subgraph one",
        "flowchart TD\n  a ==> b",
        "flowchart TD\n  a[open --> b",
        "flowchart TD\n  a -->",
    ],
)
def test_unknown_syntax_is_an_error_that_shows_the_line(source):
    with pytest.raises(flowchart.FlowchartError) as raised:
        flowchart.draw(source)

    assert source.splitlines()[-1].strip() in str(raised.value) or source.splitlines()[0] in str(raised.value)
