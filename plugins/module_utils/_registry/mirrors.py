# Copyright: Contributors to the capability.openshift collection
# SPDX-License-Identifier: GPL-3.0-or-later

# Note that this module util is **PRIVATE** to the collection. It can have breaking changes at any time.

"""From where an image is read: its mirrors, and whether its own registry may be contacted.

Mirror sets of a cluster and registries.conf result in the same rules, as on a node: the machine-config operator writes
mirror sets to registries.conf (openshift/runtime-utils:pkg/registries/registries.go EditRegistriesConfig). How a rule
holds: containers/image:pkg/sysregistriesv2/system_registries_v2.go FindRegistry, PullSourcesFromReference.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Literal, NamedTuple

from .._problems import Problem, RegistryError
from .pull_spec import is_repository, registry_of

_LABEL = r"[a-zA-Z0-9](?:[a-zA-Z0-9-]*[a-zA-Z0-9])?"
_HOST = rf"{_LABEL}(?:\.{_LABEL})*(?::[0-9]+)?"
_PATH = r"(?:/[a-z0-9]+(?:(?:\.|_|__|-+)[a-z0-9]+)*)*"
_LOCATION = re.compile(_HOST + _PATH)
PullBy = Literal["all", "digest-only", "tag-only"]


class Mirror(NamedTuple):
    """A copy of what a rule matches. ``pull`` limits it to images that are named by digest, or by tag."""

    location: str
    insecure: bool = False
    pull: PullBy = "all"


class RegistryRule(NamedTuple):
    """What holds for images whose name begins with ``prefix``.

    ``prefix`` is a registry, a namespace, a repository or ``*.DOMAIN``. ``location`` replaces it, empty if it stays.
    ``blocked``: it must not be contacted itself. ``where`` names the file or object of the rule for messages.
    """

    prefix: str
    where: str
    location: str = ""
    insecure: bool = False
    blocked: bool = False
    mirrors: tuple[Mirror, ...] = ()


def pull_sources(name: str, rules: Iterable[RegistryRule], *, by_digest: bool) -> tuple[str, ...]:
    """The names of repositories to read the repository ``name`` from, in this order: its mirrors, then itself.

    ``rules`` have one rule per prefix, see ``merge_rules``; the longest prefix counts. ``by_digest``: the image is
    named by digest. Raises ``RegistryError`` for an image that must not be read from anywhere.
    """
    known = tuple(rules)
    rule = _find_rule(name, known)
    if rule is None:
        return (name,)
    usable = [item for item in rule.mirrors if item.pull == "all" or by_digest == (item.pull == "digest-only")]
    candidates = [_rewrite(name, rule.prefix, mirror.location) for mirror in usable]
    own = _rewrite(name, rule.prefix, rule.location) if rule.location else name
    for candidate in (*candidates, own):
        if not is_repository(candidate):
            message = f"has the location {candidate} ({rule.where}), which is no repository"
            hint = "Correct the path and the port of the location"
            raise RegistryError([Problem("error", "invalid-mirror", name, message, hint)])
    blocking = rule if rule.blocked else None
    sources: list[str] = []
    for candidate in dict.fromkeys((*candidates, *(() if rule.blocked else (own,)))):
        candidate_rule = _find_rule(candidate, known)
        if candidate_rule and candidate_rule.blocked:
            blocking = blocking or candidate_rule
        else:
            sources.append(candidate)
    if blocking and not sources:
        kind = "digest" if by_digest else "tag"
        message = f"must not be contacted ({blocking.where}), and has no mirror for images that are named by {kind}"
        raise RegistryError([Problem("error", "blocked-registry", name, message, f"Add a mirror of {name}")])
    return tuple(sources)


def merge_rules(rules: Iterable[RegistryRule]) -> tuple[RegistryRule, ...]:
    """Combine the rules of each prefix into one: all of their mirrors, and the strictest of the other fields."""
    merged: dict[str, RegistryRule] = {}
    for rule in rules:
        known = merged.get(rule.prefix, rule)
        merged[rule.prefix] = known._replace(
            location=known.location or rule.location,
            insecure=known.insecure or rule.insecure,
            blocked=known.blocked or rule.blocked,
            where=rule.where if rule.blocked and not known.blocked else known.where,
            mirrors=tuple(dict.fromkeys((*known.mirrors, *rule.mirrors))),
        )
    return tuple(merged.values())


def is_insecure(registry: str, rules: Iterable[RegistryRule]) -> bool:
    """Whether a rule or a mirror that is insecure names ``registry``, a host with its port.

    TLS is a property of the host, so the path in an insecure prefix or location does not limit it.
    """
    for rule in rules:
        own = (rule.location or rule.prefix,) if rule.insecure else ()
        if any(
            _matches(registry, registry_of(name)) for name in (*own, *(m.location for m in rule.mirrors if m.insecure))
        ):
            return True
    return False


def is_location(text: str) -> bool:
    """Whether ``text`` is a registry, a namespace or a repository.

    The host is no IPv6 address: the API and CRI-O accept none (containers/image:docker/reference/regexp.go).
    """
    return _LOCATION.fullmatch(text) is not None


def _find_rule(name: str, rules: Iterable[RegistryRule]) -> RegistryRule | None:
    """The rule with the longest prefix that matches ``name``; of two, the one that sorts first."""
    matching = [rule for rule in rules if _matches(name, rule.prefix)]
    return min(matching, key=lambda rule: (-len(rule.prefix), rule.prefix), default=None)


def _matches(name: str, prefix: str) -> bool:
    return _rest(name, prefix) is not None


def _rest(name: str, prefix: str) -> str | None:
    """What follows the part of ``name`` that ``prefix`` matches, ``None`` if it matches none.

    A registry without a port matches any port.
    Source: containers/image:pkg/sysregistriesv2/system_registries_v2.go refMatchingPrefix, refMatchingSubdomainPrefix.
    """
    before, found, rest = name.partition(prefix.removeprefix("*"))
    if not found or "/" in before or (before and not prefix.startswith("*.")):
        return None
    return rest if rest[:1] in ("", ":", "/") else None


def _rewrite(name: str, prefix: str, location: str) -> str:
    return f"{location}{_rest(name, prefix)}"
