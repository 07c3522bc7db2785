# Copyright: Contributors to the capability.openshift collection
# SPDX-License-Identifier: GPL-3.0-or-later

"""When a picture is current: with the same nodes, edges and labels, wherever Graphviz places them."""

from __future__ import annotations

import pytest
from generated import GeneratedError, draw, same

SOURCE = 'digraph { a [label="Read"]; b [label="Write"]; a -> b }'


@pytest.mark.parametrize(
    ("change", "current"),
    [
        (("digraph {", "digraph { rankdir=LR"), True),
        (("Write", "Delete"), False),
        (("a -> b", "b -> a"), False),
        (("a -> b", ""), False),
    ],
)
def test_a_picture_is_current_until_its_content_changes(tmp_path, change, current):
    picture = tmp_path / "picture.svg"
    picture.write_text(draw(SOURCE), encoding="utf-8")

    assert same(picture, draw(SOURCE.replace(*change))) is current


def test_a_drawing_with_a_mistake_is_rejected():
    with pytest.raises(GeneratedError, match="syntax error"):
        draw("digraph { a -> }")
