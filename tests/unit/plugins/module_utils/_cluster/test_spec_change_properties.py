# Copyright: Contributors to the capability.openshift collection
# SPDX-License-Identifier: GPL-3.0-or-later

"""What holds of every wish on every cluster of every minor, told by an oracle that reads the facts alone."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from itertools import combinations
from random import Random
from typing import Any, NamedTuple

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ansible_collections.capability.openshift.tests.unit.builders.spec_changes import GATED, MINORS, Told, wished

# openshift/api:config/v1/types_cluster_version.go XValidation: name, what it needs, first and last minor
RULES = (
    ("marketplace", "OperatorLifecycleManager", "4.15", "5.2"),
    ("baremetal", "MachineAPI", "4.14", "4.16"),
)
ORDER = list(MINORS)


def known_names(minor: str, preview: bool) -> list[str]:
    """What a cluster says to know; some names only while it has a feature set with their gates."""
    return [name for name in MINORS[minor]["known"] if preview or name not in GATED]


def effective(spec: Mapping[str, Any] | None, minor: str, known: Iterable[str]) -> set[str]:
    """Return what the CVO takes a spec to request (cvo-behaviour 3, steps 1, 2 and 4)."""
    spec = spec or {}
    baseline = spec.get("baselineCapabilitySet") or "vCurrent"
    content = set(MINORS[minor]["sets"][baseline]) & set(known)
    return content.union(spec.get("additionalEnabledCapabilities") or ())


def breaks_a_rule(body: Mapping[str, Any], minor: str, enabled: Iterable[str]) -> bool:
    """Tell whether the CRD refuses a block; what is on satisfies it, too."""
    listed = set(body["additionalEnabledCapabilities"])
    there = listed.union(enabled)
    return body["baselineCapabilitySet"] == "None" and any(
        name in listed and needed not in there and ORDER.index(since) <= ORDER.index(minor) <= ORDER.index(until)
        for name, needed, since, until in RULES
    )


class Cluster(NamedTuple):
    minor: str
    known: list[str]
    spec: dict[str, Any] | None
    implicit: frozenset[str]

    @property
    def requested(self) -> set[str]:
        return effective(self.spec, self.minor, self.known)

    @property
    def enabled(self) -> set[str]:
        return self.requested | self.implicit

    def with_spec(self, spec: dict[str, Any] | None) -> Cluster:
        """Return the cluster after a write: what was on stays on."""
        return self._replace(spec=spec, implicit=frozenset(self.enabled))

    def wished(self, options: Any, **how: bool) -> Told:
        return wished(self.spec, options, self.minor, enabled=self.enabled, known=self.known, **how)


def api_block(baseline: str, names: Iterable[str]) -> dict[str, Any]:
    return {"baselineCapabilitySet": baseline, "additionalEnabledCapabilities": list(names)}


# Cases are made of few numbers, because drawing lists of names is what these tests would spend their time on.
numbers = st.integers(0, 2**20 - 1)
forms = st.integers(0, 7)


def picked(names: Sequence[str], number: int) -> list[str]:
    return [name for bit, name in enumerate(names) if number >> bit & 1]


def a_set(minor: str, number: int) -> str:
    names = ["None", "None", *MINORS[minor]["sets"]]
    return names[number % len(names)]


def a_cluster(minor: str, preview: bool, form: int, number: int, names: int, implicit: int) -> Cluster:
    known = known_names(minor, preview)
    listed = {"additionalEnabledCapabilities": picked(known, names)}
    specs: list[dict[str, Any] | None] = [None, {}, listed]
    spec = specs[form] if form < len(specs) else api_block(a_set(minor, number), picked(known, names))
    # After a rollback a status has names of later versions, too.
    return Cluster(minor, known, spec, frozenset(picked([*known, "Later"], implicit)))


def clusters(minors: st.SearchStrategy[str]) -> st.SearchStrategy[Cluster]:
    return st.builds(a_cluster, minors, st.booleans(), forms, numbers, numbers, numbers)


class Asked(NamedTuple):
    """Numbers that a wish is made of."""

    form: int
    number: int
    names: int

    def selection(self, cluster: Cluster) -> dict[str, Any]:
        """A wish as ClusterVersion has it. Such as have what is requested come often, or most were removals."""
        if self.form == 0:
            return {}
        names = picked(cluster.known, self.names)
        more = [*names, *sorted(cluster.requested)] if self.form > 2 else names
        return api_block(a_set(cluster.minor, self.number), more)

    def exclusion(self, cluster: Cluster) -> dict[str, Any]:
        names = picked(cluster.known, self.names & self.number)
        if self.form < 3:
            # An empty list says nothing, and so must add nothing.
            return {"excludedCapabilities": names or cluster.known[:1]}
        if self.form < 5:
            return {"inclusionDefault": "Include", "exclude": names}
        return {"baseline_capability_set": a_set(cluster.minor, self.number), "excluded_capabilities": names}

    def draft(self, cluster: Cluster) -> dict[str, Any]:
        default = "Include" if self.form < 4 else "Exclude"
        return {"inclusionDefault": default, "include": picked(cluster.known, self.names)}


asked = st.builds(Asked, forms, numbers, numbers)
any_cluster = clusters(st.sampled_from(ORDER))
spellings = st.sampled_from([Asked.selection, Asked.selection, Asked.exclusion, Asked.draft])
plain_pairs = st.builds(lambda cluster, wish: (cluster, wish.selection(cluster)), any_cluster, asked)
pairs = st.builds(lambda cluster, wish, spelling: (cluster, spelling(wish, cluster)), any_cluster, asked, spellings)
ways = st.sampled_from([{}, {}, {"append": True}, {"adopt": True}])


def target(options: Mapping[str, Any], minor: str, known: Iterable[str]) -> set[str]:
    """Return what a wish asks for, in any of its spellings."""
    baseline = options.get("baselineCapabilitySet") or options.get("baseline_capability_set")
    if options.get("inclusionDefault") == "Exclude":
        baseline = "None"
    names = [*options.get("additionalEnabledCapabilities", ()), *options.get("include", ())]
    out = {*options.get("excludedCapabilities", ()), *options.get("excluded_capabilities", ())}
    return effective(api_block(baseline or "vCurrent", names), minor, known) - out.union(options.get("exclude", ()))


@given(pairs, ways)
def test_what_is_sent_drops_no_name_that_is_requested(pair, way):
    cluster, options = pair
    told = cluster.wished(options, **way)

    if not told.errors:
        after = effective(told.made.body, cluster.minor, cluster.known)
        assert cluster.requested <= after
        assert not (told.made.changed and breaks_a_rule(told.made.body, cluster.minor, cluster.enabled))


@given(pairs)
def test_a_removal_names_exactly_what_would_be_dropped(pair):
    cluster, options = pair
    told = cluster.wished(options)

    dropped = cluster.requested - target(options, cluster.minor, cluster.known)
    assert told.change is not None
    assert told.change.removed == tuple(sorted(dropped))
    removals = [message for _where, message in told.errors if message.startswith("lacks what")]
    assert bool(removals) == bool(dropped)
    assert all(f"{name} (" in removals[0] for name in dropped)


@given(pairs)
def test_every_other_error_is_a_rule_or_the_way_from_include_to_exclude(pair):
    cluster, options = pair
    told = cluster.wished(options)

    assert told.change is not None
    broken = told.change.changed and breaks_a_rule(told.change.body, cluster.minor, cluster.enabled)
    follows = (cluster.spec or {}).get("baselineCapabilitySet", "vCurrent") == "vCurrent"
    others = [message for _where, message in told.errors if not message.startswith("lacks what")]
    assert any("goes from Include to Exclude" in message for message in others) == (
        follows and options.get("inclusionDefault") == "Exclude"
    )
    assert any(" is missing: " in message for message in others) == broken
    assert {"error", "warning", "info"}.issuperset(item.severity for item in told.problems)


@given(plain_pairs)
def test_append_is_the_union(pair):
    cluster, options = pair
    told = cluster.wished(options or {"additionalEnabledCapabilities": []}, append=True)

    assert told.change is not None
    body = told.change.body
    names = target(options, cluster.minor, cluster.known) if options else set()
    assert effective(body, cluster.minor, cluster.known) == cluster.requested | names
    assert body["baselineCapabilitySet"] == (cluster.spec or {}).get("baselineCapabilitySet", "vCurrent")
    assert set(cluster.known).issuperset(body["additionalEnabledCapabilities"])
    assert bool(told.errors) == (told.change.changed and breaks_a_rule(body, cluster.minor, cluster.enabled))
    assert told.change.changed == (not names <= cluster.requested)


@given(pairs, st.sampled_from([{}, {"append": True}]))
def test_the_second_time_changes_nothing(pair, way):
    cluster, options = pair
    told = cluster.wished(options, **way)

    if not told.errors:
        again = cluster.with_spec(told.made.body).wished(options, **way)
        assert not again.made.changed
        assert again.made.body == told.made.body


@given(pairs, numbers)
def test_what_comes_on_implicitly_fails_nothing(pair, number):
    cluster, options = pair
    told = cluster.wished(options)
    more = picked([*MINORS[ORDER[-1]]["known"], "Later"], number)
    later = cluster._replace(implicit=cluster.implicit.union(more))

    other = later.wished(options)

    assert set(other.errors) <= set(told.errors)
    assert other.change is not None
    assert other.change == told.change


@given(plain_pairs, st.booleans())
def test_adopting_twice_changes_nothing(pair, append):
    cluster, options = pair if append else (pair[0], None)
    told = cluster.wished(options, append=append, adopt=True)

    if not told.errors:
        implicit = cluster.enabled - cluster.requested
        assert set(told.made.adopted) <= implicit
        assert (implicit & set(cluster.known)) <= effective(told.made.body, cluster.minor, cluster.known)
        assert set(cluster.known).issuperset(told.made.adopted)
        again = cluster.with_spec(told.made.body).wished(options, append=append, adopt=True)
        assert (again.made.changed, again.made.adopted) == (False, ())


@given(plain_pairs)
def test_adopting_twice_beside_a_wish_changes_nothing(pair):
    cluster, options = pair
    told = cluster.wished(options, adopt=True)

    if not told.errors:
        again = cluster.with_spec(told.made.body).wished(options, adopt=True)
        assert (again.made.changed, again.made.adopted) == (False, ())


@given(any_cluster)
def test_what_is_adopted_is_what_is_on_and_not_requested(cluster):
    told = cluster.wished(None, adopt=True)

    implicit = cluster.enabled - cluster.requested
    assert told.change is not None
    assert told.change.adopted == tuple(sorted(implicit & set(cluster.known)))
    assert told.warnings == [
        ("adopt_implicit", f"{name} is on and not a capability of {cluster.minor}, so it cannot be requested")
        for name in sorted(implicit.difference(cluster.known))
    ]


@given(pairs, ways, st.sampled_from([[], ["Later"], ["console", "v4.12"], [""]]))
def test_an_error_says_where_what_and_how_to_mend_it(pair, way, wrong):
    cluster, options = pair
    field = next((field for field in options if isinstance(options[field], list)), None)
    if field is not None:
        options = {**options, field: [*options[field], *wrong]}

    for problem in cluster.wished(options, **way).problems:
        assert problem.message
        assert problem.where.startswith(("capabilities", "adopt_implicit"))
        assert problem.hint


@given(pairs, ways)
def test_a_body_is_whole_and_in_order(pair, way):
    cluster, options = pair
    change = cluster.wished(options, **way).change

    if change is not None:
        assert list(change.body) == ["baselineCapabilitySet", "additionalEnabledCapabilities"]
        assert change.body["baselineCapabilitySet"] in MINORS[cluster.minor]["sets"]
        listed = change.body["additionalEnabledCapabilities"]
        assert listed == sorted(set(listed))
        assert change.requested_after == effective(change.body, cluster.minor, cluster.known)
        assert change.requested_before == cluster.requested


@given(pairs, ways, numbers)
def test_order_and_repetitions_do_not_matter(pair, way, seed):
    cluster, options = pair
    random = Random(seed)

    def shuffled(value: Any) -> Any:
        if not isinstance(value, list):
            return value
        names = [*value, *value[:2]]
        random.shuffle(names)
        return names

    told = cluster.wished(options, **way)
    spec = cluster.spec and {field: shuffled(value) for field, value in cluster.spec.items()}
    other = cluster._replace(spec=spec).wished({field: shuffled(value) for field, value in options.items()}, **way)

    assert (told.change is None) == (other.change is None)
    if told.change is not None and other.change is not None:
        assert (told.change.body, told.change.removed, told.change.adopted, told.change.changed) == (
            other.change.body,
            other.change.removed,
            other.change.adopted,
            other.change.changed,
        )
    assert set(told.errors) == set(other.errors)


# Updates


UPDATES = list(combinations(ORDER, 2))


def updated(cluster: Cluster, spec: dict[str, Any], minor: str, turned_on: Iterable[str]) -> list[Cluster]:
    """Return the cluster while it goes to ``minor`` (its status knows what it knew), and when it is there."""
    preview = bool(GATED.intersection(cluster.known))
    on = frozenset({*cluster.with_spec(spec).implicit, *turned_on})
    return [
        Cluster(minor, known, spec, frozenset(on.intersection(known)))
        for known in (cluster.known, known_names(minor, preview))
    ]


# Of each pair of minors, the first one a cluster and the second one where it goes to.
moves = st.builds(
    lambda pair, *numbers: (a_cluster(pair[0], *numbers), pair[1]),
    *(st.sampled_from(UPDATES), st.booleans(), forms, numbers, numbers, numbers),
)


@given(moves, asked, st.sampled_from([Asked.selection, Asked.draft]), numbers)
def test_a_wish_that_was_applied_is_no_change_after_any_update(move, wish, spelling, number):
    """But for exclusions, which are translated anew: see below."""
    cluster, after = move
    options = spelling(wish, cluster)
    told = cluster.wished(options)

    if not told.errors:
        for later in updated(cluster, told.made.body, after, picked(MINORS[after]["known"], number)):
            again = later.wished(options)
            assert not again.made.changed
            assert again.made.removed == ()


@given(moves, numbers)
def test_names_that_were_appended_are_no_change_after_any_update(move, number):
    cluster, after = move
    options = {"additional_enabled_capabilities": picked(cluster.known, number)}
    told = cluster.wished(options, append=True)

    if not told.errors:
        for later in updated(cluster, told.made.body, after, ()):
            assert not later.wished(options, append=True).made.changed


@given(moves, asked)
def test_an_exclusion_that_was_applied_takes_nothing_back_after_any_update(move, wish):
    cluster, after = move
    options = wish.exclusion(cluster)
    told = cluster.wished(options)

    if not told.errors:
        for later in updated(cluster, told.made.body, after, MINORS[after]["known"]):
            again = later.wished(options)
            assert again.errors == []
            assert again.made.removed == ()


@pytest.mark.parametrize(("before", "after"), UPDATES)
@pytest.mark.parametrize("preview", [False, True])
def test_every_set_and_every_list_of_all_names_survives_every_update(before, after, preview):
    """The whole table: each set, and None with every name of it, as it was written before the update."""
    known = known_names(before, preview)
    for name, content in MINORS[before]["sets"].items():
        for options in (api_block(name, []), api_block("None", [item for item in content if item in known])):
            cluster = Cluster(before, known, options, frozenset(MINORS[before]["known"]))
            for later in updated(cluster, options, after, known_names(after, preview)):
                assert later.wished(options).problems == ()
                assert not later.wished(options).made.changed
