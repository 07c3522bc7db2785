# Copyright: Contributors to the capability.openshift collection
# SPDX-License-Identifier: GPL-3.0-or-later

"""From where an image is read: its mirrors, and whether its own registry may be contacted.

The machine-config operator writes mirror sets to registries.conf (openshift/runtime-utils:pkg/registries/registries.go
EditRegistriesConfig). How a rule holds: containers/image:pkg/sysregistriesv2/system_registries_v2.go FindRegistry,
PullSourcesFromReference.
"""

from __future__ import annotations

import re
from collections import deque
from collections.abc import Iterable, Sequence
from itertools import pairwise
from typing import Literal, NamedTuple

from .._problems import Problem, RegistryError
from .pull_spec import is_repository

_LABEL = r"[a-zA-Z0-9](?:[a-zA-Z0-9-]*[a-zA-Z0-9])?"
_HOST = rf"{_LABEL}(?:\.{_LABEL})*(?::[0-9]+)?"
_PATH = r"(?:/[a-z0-9]+(?:(?:\.|_|__|-+)[a-z0-9]+)*)*"
_LOCATION = re.compile(_HOST + _PATH)


class MirrorSource(NamedTuple):
    """An entry of a mirror set: a source with its mirrors, for images that are named by digest or by tag.

    ``source`` is a registry, a namespace, a repository or ``*.DOMAIN``. ``never``: the source itself must not be
    contacted. ``where`` names the file or object for messages.
    """

    source: str
    mirrors: tuple[str, ...]
    named_by: Literal["digest", "tag"]
    never: bool
    where: str


class RegistryRule(NamedTuple):
    """What holds for images whose name begins with ``prefix``, by all mirror sets together.

    ``blocked``: it must not be contacted itself. ``where`` names an entry of the rule for messages.
    """

    prefix: str
    digest_mirrors: tuple[str, ...]
    tag_mirrors: tuple[str, ...]
    blocked: bool
    where: str


def merge_sources(entries: Iterable[MirrorSource]) -> tuple[RegistryRule, ...]:
    """Return the rule of each source, as a node has it.

    An entry without a mirror, or with the source as its only one, has no effect, nor has its policy.
    Source: openshift/runtime-utils:pkg/registries/registries.go addMirrorSet, mergedMirrors
    """
    known = [entry for entry in entries if set(entry.mirrors) - {entry.source}]
    rules = []
    for source in dict.fromkeys(entry.source for entry in known):
        own = [entry for entry in known if entry.source == source]
        by_digest, by_tag = (
            _merge_mirrors(source, [entry.mirrors for entry in own if entry.named_by == kind])
            for kind in ("digest", "tag")
        )
        never = next((entry for entry in own if entry.never), None)
        rules.append(RegistryRule(source, by_digest, by_tag, never is not None, (never or own[0]).where))
    return tuple(rules)


def _merge_mirrors(source: str, lists: Iterable[Sequence[str]]) -> tuple[str, ...]:
    """Return the mirrors of several lists in one order that keeps the order of each list, if there is one.

    The source comes last, unless a list has it before a mirror. Mirrors without an order are sorted by name.
    Source: openshift/runtime-utils:pkg/registries/topo.go Sorted
    """
    after: dict[str, set[str]] = {}
    before: dict[str, set[str]] = {}
    for mirrors in lists:
        for first, second in pairwise(mirrors if source in mirrors else (*mirrors, source)):
            for name in (first, second):
                after.setdefault(name, set())
                before.setdefault(name, set())
            after[first].add(second)
            before[second].add(first)
    names = sorted(after)
    ready = deque(name for name in names if not before[name])
    merged: list[str] = []
    while len(merged) < len(names):
        # Lists that contradict each other form a circle, which begins with the first of the other names.
        name = ready.popleft() if ready else next(item for item in names if item not in merged)
        merged.append(name)
        for follower in sorted(after[name]):
            before[follower].discard(name)
            if not before[follower] and follower not in merged:
                ready.append(follower)
    return tuple(merged[:-1] if merged[-1:] == [source] else merged)


def pull_sources(name: str, rules: Iterable[RegistryRule], *, by_digest: bool) -> tuple[str, ...]:
    """The names of repositories to read the repository ``name`` from, in this order: its mirrors, then itself.

    The rule with the longest prefix counts. ``by_digest``: the image is named by digest. Raises ``RegistryError`` for
    an image that must not be read from anywhere.
    """
    known = tuple(rules)
    rule = _find_rule(name, known)
    if rule is None:
        return (name,)
    mirrors = rule.digest_mirrors if by_digest else rule.tag_mirrors
    candidates = [f"{mirror}{_rest(name, rule.prefix)}" for mirror in mirrors]
    for candidate in candidates:
        if not is_repository(candidate):
            message = f"has the mirror {candidate} ({rule.where}), which is no repository"
            hint = "Correct the path and the port of the mirror"
            raise RegistryError([Problem("error", "invalid-mirror", name, message, hint)])
    if not rule.blocked:
        candidates.append(name)
    blocking = rule
    sources: list[str] = []
    for candidate in dict.fromkeys(candidates):
        own_rule = _find_rule(candidate, known)
        if own_rule and own_rule.blocked:
            blocking = blocking if blocking.blocked else own_rule
        else:
            sources.append(candidate)
    if not sources:
        kind, hint = ("digest", "Add a") if by_digest else ("tag", "Name the image by its digest, or add a")
        message = f"must not be contacted ({blocking.where}), and has no mirror for images that are named by {kind}"
        raise RegistryError([Problem("error", "blocked-registry", name, message, f"{hint} mirror of {name}")])
    return tuple(sources)


def is_location(text: str) -> bool:
    """Whether ``text`` is a registry, a namespace or a repository.

    The host is no IPv6 address: the API and CRI-O accept none (containers/image:docker/reference/regexp.go).
    """
    return _LOCATION.fullmatch(text) is not None


def _find_rule(name: str, rules: Iterable[RegistryRule]) -> RegistryRule | None:
    """The rule with the longest prefix that matches ``name``; of two, the one that sorts first."""
    matching = [rule for rule in rules if _rest(name, rule.prefix) is not None]
    return min(matching, key=lambda rule: (-len(rule.prefix), rule.prefix), default=None)


def _rest(name: str, prefix: str) -> str | None:
    """What follows the part of ``name`` that ``prefix`` matches, ``None`` if it matches none.

    A registry without a port matches any port.
    Source: containers/image:pkg/sysregistriesv2/system_registries_v2.go refMatchingPrefix, refMatchingSubdomainPrefix.
    """
    before, found, rest = name.partition(prefix.removeprefix("*"))
    if not found or "/" in before or (before and not prefix.startswith("*.")):
        return None
    return rest if rest[:1] in ("", ":", "/") else None
