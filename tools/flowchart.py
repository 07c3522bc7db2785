# Copyright: Contributors to the capability.openshift collection
# SPDX-License-Identifier: GPL-3.0-or-later

"""Draw the Mermaid flowcharts of the guides as SVG, for the documentation site.

Mermaid itself draws in the reader's browser, with a script from another host. The guides need little of its language:
boxes `a["text"]`, decisions `a{"text"}`, circles `a(("text"))`, and arrows `-->`, `-.->`, `-- text -->`, `-. text .->`.
Anything else is an error.

The layout is that of Sugiyama, Tagawa and Toda (1981): ranks, then an order in each rank, then places.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass, field
from html import escape, unescape
from itertools import pairwise
from statistics import mean

CHARACTER, LINE, PADDING, GAP, BETWEEN_RANKS = 6.9, 17.0, 12.0, 22.0, 34.0
"""Pixels: width of a character, height of a line, space around a text, between neighbours, and between ranks."""
SWEEPS = 12
ID = re.compile(r"[A-Za-z]\w*")
SHAPES = {"[": ("box", "]"), "{": ("decision", "}"), "((": ("circle", "))")}
ARROW = re.compile(
    r'\s*(?:(?P<line>--)\s+(?P<text>"[^"]*"|[^->"]+?)\s+-->|(?P<dots>-\.)\s+(?P<note>"[^"]*"|[^.">]+?)\s+\.->'
    r"|(?P<plain>-->)|(?P<dotted>-\.->))\s*"
)


class FlowchartError(ValueError):
    """The text has something that this module does not know; the message names the line."""


@dataclass
class Node:
    """What is drawn in one place: a shape, the label of an arrow, or the bend of a long arrow."""

    text: str = ""
    shape: str = "bend"
    rank: int = 0
    width: float = 0.0
    height: float = 0.0
    x: float = 0.0
    y: float = 0.0

    @property
    def lines(self) -> list[str]:
        """The lines of the text."""
        return [part.strip() for part in re.split(r"<br\s*/?>", self.text)] if self.text.strip() else []


@dataclass
class Arrow:
    """An arrow, and the nodes that it runs through once the chart has a layout."""

    start: str
    end: str
    label: str = ""
    dotted: bool = False
    reverse: bool = False
    path: list[str] = field(default_factory=list)


def draw(source: str) -> str:
    """Return a flowchart as an SVG element. Raise ``FlowchartError`` if it has what this module does not know."""
    across, nodes, arrows = parse(source)
    measure(nodes.values())
    assign_ranks(nodes, arrows)
    return draw_ranked(nodes, arrows, across)


def draw_ranked(nodes: dict[str, Node], arrows: list[Arrow], across: bool = False, style: str = "") -> str:
    """Return a chart as an SVG element. Its nodes have sizes and ranks already; ``style`` is CSS for the picture."""
    split_long_arrows(nodes, arrows)
    place(nodes, order(nodes, arrows), arrows, across)
    return svg(nodes, arrows, across, style)


def parse(source: str) -> tuple[bool, dict[str, Node], list[Arrow]]:
    """Return whether the chart runs from left to right, its nodes and its arrows."""
    nodes: dict[str, Node] = {}
    arrows: list[Arrow] = []
    across = False
    for number, line in enumerate(source.splitlines(), 1):
        text = line.strip()
        if number == 1:
            if not (head := re.fullmatch(r"(?:flowchart|graph) (TD|TB|LR)", text)):
                raise FlowchartError(f"{text!r}: expected `flowchart TD` or `flowchart LR`")
            across = head[1] == "LR"
        elif text:
            _statement(text.rstrip(";"), nodes, arrows)
    return across, nodes, arrows


def _statement(text: str, nodes: dict[str, Node], arrows: list[Arrow]) -> None:
    """Read one line: a node, or a chain of nodes and arrows."""
    name, at = _node(text, 0, nodes)
    while at < len(text):
        arrow = ARROW.match(text, at)
        if not arrow:
            raise FlowchartError(f"{text!r}: cannot read {text[at:]!r} in a flowchart")
        label = (arrow["text"] or arrow["note"] or "").strip('"')
        end, at = _node(text, arrow.end(), nodes)
        arrows.append(Arrow(name, end, unescape(label), dotted=bool(arrow["dots"] or arrow["dotted"])))
        name = end


def _node(text: str, at: int, nodes: dict[str, Node]) -> tuple[str, int]:
    """Read a node and return its name and where it ends."""
    name = ID.match(text, at)
    if not name:
        raise FlowchartError(f"{text!r}: expected the name of a node at {text[at:]!r}")
    node = nodes.setdefault(name[0], Node(name[0], "box"))
    at = name.end()
    opening = next((opening for opening in ("((", "[", "{") if text.startswith(opening, at)), None)
    if not opening:
        return name[0], at
    shape, closing = SHAPES[opening]
    label = re.compile(rf'{re.escape(opening)}(?:"([^"]*)"|([^"]*?)){re.escape(closing)}').match(text, at)
    if not label:
        raise FlowchartError(f"{text!r}: cannot read {text[at:]!r} in a flowchart")
    node.text, node.shape = unescape(label[1] if label[1] is not None else label[2]), shape
    return name[0], label.end()


def measure(nodes: Iterable[Node]) -> None:
    """Give each node its size."""
    for node in nodes:
        longest = max((len(line) for line in node.lines), default=0)
        node.width = longest * CHARACTER + 2 * PADDING
        node.height = max(1, len(node.lines)) * LINE + 1.2 * PADDING
        if node.shape == "circle":
            node.width = node.height = max(node.width, node.height) if node.lines else 14.0
        elif node.shape == "decision":
            node.width += 2 * PADDING
            node.height += 2.4 * PADDING
        elif node.shape == "label":
            node.width, node.height = longest * CHARACTER * 0.92 + 6, len(node.lines) * LINE


def assign_ranks(nodes: dict[str, Node], arrows: list[Arrow]) -> None:
    """Give each node the longest way from a start as its rank; turn the arrows that would close a circle."""
    successors: dict[str, list[Arrow]] = defaultdict(list)
    for arrow in arrows:
        successors[arrow.start].append(arrow)
    state: dict[str, str] = {}
    finished: list[str] = []

    def visit(name: str) -> None:
        state[name] = "open"
        for arrow in successors[name]:
            if state.get(arrow.end) == "open":
                arrow.reverse = True
            elif arrow.end not in state:
                visit(arrow.end)
        state[name] = "done"
        finished.append(name)

    for name in nodes:
        if name not in state:
            visit(name)
    for name in reversed(finished):
        for arrow in arrows:
            first, last = (arrow.end, arrow.start) if arrow.reverse else (arrow.start, arrow.end)
            if first == name:
                # A label takes a separate rank.
                nodes[last].rank = max(nodes[last].rank, nodes[name].rank + (2 if arrow.label else 1))


def split_long_arrows(nodes: dict[str, Node], arrows: list[Arrow]) -> None:
    """Add a bend in each rank that an arrow passes; the middle one bears the label."""
    for number, arrow in enumerate(arrows):
        first, last = (arrow.end, arrow.start) if arrow.reverse else (arrow.start, arrow.end)
        between = range(nodes[first].rank + 1, nodes[last].rank)
        arrow.path = [first]
        for rank in between:
            name = f"{number}:{rank}"
            node = Node(rank=rank)
            if arrow.label and rank == between[len(between) // 2]:
                node = Node(arrow.label, "label", rank)
                measure([node])
            nodes[name] = node
            arrow.path.append(name)
        arrow.path.append(last)


def order(nodes: dict[str, Node], arrows: list[Arrow]) -> list[list[str]]:
    """Return the names in each rank, in an order with few crossings: by the mean place of their neighbours."""
    ranks: list[list[str]] = [[] for _rank in range(max(node.rank for node in nodes.values()) + 1)]
    for name, node in nodes.items():
        ranks[node.rank].append(name)
    before, after = neighbours(arrows)
    for sweep in range(SWEEPS):
        down = sweep % 2 == 0
        for number in range(1, len(ranks)) if down else range(len(ranks) - 2, -1, -1):
            near = {name: place for place, name in enumerate(ranks[number + (-1 if down else 1)])}
            kept = {name: place for place, name in enumerate(ranks[number])}

            def key(name: str, down: bool = down, near: dict[str, int] = near, kept: dict[str, int] = kept) -> float:
                places = [near[other] for other in (before if down else after)[name]]
                return mean(places) if places else kept[name]

            ranks[number].sort(key=key)
    return ranks


def neighbours(arrows: list[Arrow]) -> tuple[dict[str, list[str]], dict[str, list[str]]]:
    """Return the neighbours of each node in the rank before, and in the rank after."""
    before: dict[str, list[str]] = defaultdict(list)
    after: dict[str, list[str]] = defaultdict(list)
    for arrow in arrows:
        for one, other in pairwise(arrow.path):
            after[one].append(other)
            before[other].append(one)
    return before, after


def place(nodes: dict[str, Node], ranks: list[list[str]], arrows: list[Arrow], across: bool) -> None:
    """Give each node its place: ranks below each other, neighbours close to what they are connected with."""
    before, after = neighbours(arrows)
    breadth = {name: node.height if across else node.width for name, node in nodes.items()}
    depth = {name: node.width if across else node.height for name, node in nodes.items()}
    at = dict.fromkeys(nodes, 0.0)
    # Upwards and downwards in turns; the last one is downwards, which draws chains straight.
    for sweep in range(SWEEPS):
        for names in ranks if sweep % 2 else reversed(ranks):
            near = before if sweep % 2 else after
            wanted = [mean(at[other] for other in near[name] or (name,)) for name in names]
            places: list[float] = []
            for number, name in enumerate(names):
                least = wanted[number]
                if places:
                    least = max(least, places[-1] + (breadth[names[number - 1]] + breadth[name]) / 2 + GAP)
                places.append(least)
            shift = mean(want - got for want, got in zip(wanted, places, strict=True))
            at.update((name, got + shift) for name, got in zip(names, places, strict=True))
    left = min(at[name] - breadth[name] / 2 for name in nodes)
    along = PADDING
    for names in ranks:
        deepest = max(depth[name] for name in names)
        for name in names:
            breadthwise, lengthwise = at[name] - left + PADDING, along + deepest / 2
            node = nodes[name]
            node.x, node.y = (lengthwise, breadthwise) if across else (breadthwise, lengthwise)
            if node.shape == "bend":
                # Straight through the rank, so the arrow does not touch its neighbours.
                node.width, node.height = (deepest, 0.0) if across else (0.0, deepest)
        # Ranks of labels stand closer.
        only_labels = all(nodes[name].shape in ("label", "bend") for name in names)
        along += deepest + BETWEEN_RANKS * (0.6 if only_labels else 1)


def svg(nodes: dict[str, Node], arrows: list[Arrow], across: bool, style: str = "") -> str:
    """Return the picture."""
    width = max(node.x + node.width / 2 for node in nodes.values()) + PADDING
    height = max(node.y + node.height / 2 for node in nodes.values()) + PADDING
    about = escape("Flowchart: " + "; ".join(" ".join(node.lines) for node in nodes.values() if node.lines))
    parts = [
        f'<svg class="flowchart" xmlns="http://www.w3.org/2000/svg" role="img" aria-label="{about}" '
        f'width="{width:.0f}" height="{height:.0f}" viewBox="0 0 {width:.0f} {height:.0f}">',
        '<defs><marker id="flowchart-head" viewBox="0 0 8 8" refX="7" refY="4" markerWidth="7" markerHeight="7" '
        'orient="auto-start-reverse"><path d="M0 0 8 4 0 8z" class="head"/></marker></defs>',
    ]
    if style:
        parts.append(f"<style>{style}</style>")
    parts += [_line(nodes, arrow, across) for arrow in arrows]
    parts += [_shape(node) for node in nodes.values() if node.shape != "bend"]
    return "\n".join((*parts, "</svg>"))


def _line(nodes: dict[str, Node], arrow: Arrow, across: bool) -> str:
    steps: list[str] = []
    for first, last in pairwise(nodes[name] for name in arrow.path):
        if across:
            x, y, to_x, to_y = first.x + first.width / 2, first.y, last.x - last.width / 2, last.y
            curve = f"C{(x + to_x) / 2:.1f} {y:.1f} {(x + to_x) / 2:.1f} {to_y:.1f} {to_x:.1f} {to_y:.1f}"
        else:
            x, y, to_x, to_y = first.x, first.y + first.height / 2, last.x, last.y - last.height / 2
            curve = f"C{x:.1f} {(y + to_y) / 2:.1f} {to_x:.1f} {(y + to_y) / 2:.1f} {to_x:.1f} {to_y:.1f}"
        steps.append(f"{'L' if steps else 'M'}{x:.1f} {y:.1f} {curve}")
    head = "marker-start" if arrow.reverse else "marker-end"
    dots = ' stroke-dasharray="3 4"' if arrow.dotted else ""
    return f'<path class="arrow" d="{" ".join(steps)}" {head}="url(#flowchart-head)"{dots}/>'


def _shape(node: Node) -> str:
    x, y, w, h = node.x, node.y, node.width / 2, node.height / 2
    if node.shape == "decision":
        shape = f'<path d="M{x - w:.1f} {y:.1f} {x:.1f} {y - h:.1f} {x + w:.1f} {y:.1f} {x:.1f} {y + h:.1f}z"/>'
    elif node.shape == "circle":
        shape = f'<circle cx="{x:.1f}" cy="{y:.1f}" r="{w:.1f}"/>'
    else:
        corner = 0 if node.shape == "label" else 4
        shape = f'<rect x="{x - w:.1f}" y="{y - h:.1f}" width="{2 * w:.1f}" height="{2 * h:.1f}" rx="{corner}"/>'
    top = y - (len(node.lines) - 1) * LINE / 2
    texts = "".join(
        f'<text x="{x:.1f}" y="{top + number * LINE:.1f}">{escape(line)}</text>'
        for number, line in enumerate(node.lines)
    )
    return f'<g class="{node.shape}">{shape}{texts}</g>'
