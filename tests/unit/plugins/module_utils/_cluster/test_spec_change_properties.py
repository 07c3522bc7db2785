# Copyright: Contributors to the capability.openshift collection
# SPDX-License-Identifier: GPL-3.0-or-later

"""Properties of every request on every cluster of every minor, from an oracle that reads the data only."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from itertools import combinations
from random import Random
from typing import Any, NamedTuple

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ansible_collections.capability.openshift.tests.unit.builders.spec_changes import (
    GATED,
    MINORS,
    ChangeOutcome,
    outcome_of,
)

# openshift/api:config/v1/types_cluster_version.go XValidation: name, what it needs, first and last minor, and whether
# that is with the baseline None alone. The names of the last one exist only with the feature gates of its rule.
RULES = (
    ("marketplace", "OperatorLifecycleManager", "4.15", "5.2", True),
    ("baremetal", "MachineAPI", "4.14", "4.16", True),
    ("ClusterAPI", "CompatibilityRequirements", "4.23", "5.2", False),
)
ORDER = list(MINORS)


def known_names(minor: str, preview: bool) -> list[str]:
    """The names that a cluster reports as known; some only with a feature set that has their gates."""
    return [name for name in MINORS[minor]["known"] if preview or name not in GATED]


def effective(spec: Mapping[str, Any] | None, minor: str, known: Iterable[str]) -> set[str]:
    """Return the names that the CVO derives from a spec.

    Source: openshift/cluster-version-operator:lib/capability/capability.go SetCapabilities.
    """
    spec = spec or {}
    baseline = spec.get("baselineCapabilitySet") or "vCurrent"
    content = set(MINORS[minor]["sets"][baseline]) & set(known)
    return content.union(spec.get("additionalEnabledCapabilities") or ())


def violates_a_rule(body: Mapping[str, Any], minor: str, enabled: Iterable[str]) -> bool:
    """Whether the CRD rejects a block. Enabled names satisfy its rules, too."""
    listed = set(body["additionalEnabledCapabilities"])
    satisfied = listed.union(enabled)
    applied = [
        (name, needed)
        for name, needed, since, until, with_none in RULES
        if ORDER.index(since) <= ORDER.index(minor) <= ORDER.index(until)
        and (body["baselineCapabilitySet"] == "None" or not with_none)
    ]
    return any(name in listed and needed not in satisfied for name, needed in applied)


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
        """Return the cluster after a write: enabled names stay enabled."""
        return self._replace(spec=spec, implicit=frozenset(self.enabled))

    def request(self, options: Any, *, append: bool = False, keep: bool = False) -> ChangeOutcome:
        """Request a selection. With ``append``, only the names that it lists are added."""
        request = {"enable": listed(options)} if append else {"options": options}
        return outcome_of(self.spec, minor=self.minor, keep=keep, enabled=self.enabled, known=self.known, **request)


def listed(options: Mapping[str, Any]) -> list[str]:
    """Return the names in the list of a selection, in any of its spellings."""
    fields = ("additionalEnabledCapabilities", "additional_enabled_capabilities", "include")
    return [name for field in fields for name in options.get(field, ())]


def api_block(baseline: str, names: Iterable[str]) -> dict[str, Any]:
    return {"baselineCapabilitySet": baseline, "additionalEnabledCapabilities": list(names)}


# Cases are built from a few numbers, because drawing lists of names is slow.
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
    # After a rollback, a status can have names of later versions.
    return Cluster(minor, known, spec, frozenset(picked([*known, "Later"], implicit)))


def clusters(minors: st.SearchStrategy[str]) -> st.SearchStrategy[Cluster]:
    return st.builds(a_cluster, minors, st.booleans(), forms, numbers, numbers, numbers)


class RequestNumbers(NamedTuple):
    """Numbers from which a request is built."""

    form: int
    number: int
    names: int

    def selection(self, cluster: Cluster) -> dict[str, Any]:
        """A selection in the form of the API. Most contain the requested names, because others are removals."""
        if self.form == 0:
            return {}
        names = picked(cluster.known, self.names)
        more = [*names, *sorted(cluster.requested)] if self.form > 2 else names
        return api_block(a_set(cluster.minor, self.number), more)

    def exclusion(self, cluster: Cluster) -> dict[str, Any]:
        names = picked(cluster.known, self.names & self.number)
        if self.form < 3:
            # An empty list must add nothing, so it is not used here.
            return {"excludedCapabilities": names or cluster.known[:1]}
        if self.form < 5:
            return {"inclusionDefault": "Include", "exclude": names}
        return {"baseline_capability_set": a_set(cluster.minor, self.number), "excluded_capabilities": names}

    def draft(self, cluster: Cluster) -> dict[str, Any]:
        default = "Include" if self.form < 4 else "Exclude"
        return {"inclusionDefault": default, "include": picked(cluster.known, self.names)}


request_numbers = st.builds(RequestNumbers, forms, numbers, numbers)
any_cluster = clusters(st.sampled_from(ORDER))
spellings = st.sampled_from(
    [RequestNumbers.selection, RequestNumbers.selection, RequestNumbers.exclusion, RequestNumbers.draft]
)
plain_pairs = st.builds(lambda cluster, request: (cluster, request.selection(cluster)), any_cluster, request_numbers)
pairs = st.builds(
    lambda cluster, request, spelling: (cluster, spelling(request, cluster)), any_cluster, request_numbers, spellings
)
modes = st.sampled_from([{}, {}, {"append": True}, {"keep": True}])


def target(options: Mapping[str, Any], minor: str, known: Iterable[str]) -> set[str]:
    """Return the names that a selection requests, in any of its spellings."""
    baseline = options.get("baselineCapabilitySet") or options.get("baseline_capability_set")
    if options.get("inclusionDefault") == "Exclude":
        baseline = "None"
    names = [*options.get("additionalEnabledCapabilities", ()), *options.get("include", ())]
    excluded = {*options.get("excludedCapabilities", ()), *options.get("excluded_capabilities", ())}
    return effective(api_block(baseline or "vCurrent", names), minor, known) - excluded.union(
        options.get("exclude", ())
    )


@given(pairs, modes)
def test_an_accepted_change_keeps_all_requested_names(pair, mode):
    cluster, options = pair
    outcome = cluster.request(options, **mode)

    if not outcome.errors:
        after = effective(outcome.accepted.body, cluster.minor, cluster.known)
        assert cluster.requested <= after
        assert not (outcome.accepted.changed and violates_a_rule(outcome.accepted.body, cluster.minor, cluster.enabled))


@given(pairs)
def test_a_removal_names_exactly_what_would_be_dropped(pair):
    cluster, options = pair
    outcome = cluster.request(options)

    dropped = cluster.requested - target(options, cluster.minor, cluster.known)
    assert outcome.change is not None
    assert outcome.change.removed == tuple(sorted(dropped))
    removals = [item.message for item in outcome.problems if item.code == "removed-capability"]
    assert bool(removals) == bool(dropped)
    assert all(f"{name} (" in removals[0] for name in dropped)


@given(pairs)
def test_every_other_error_is_a_rule_or_the_change_from_include_to_exclude(pair):
    cluster, options = pair
    outcome = cluster.request(options)

    assert outcome.change is not None
    broken = outcome.change.changed and violates_a_rule(outcome.change.body, cluster.minor, cluster.enabled)
    follows = (cluster.spec or {}).get("baselineCapabilitySet", "vCurrent") == "vCurrent"
    others = [item for item in outcome.problems if item.severity == "error" and item.code != "removed-capability"]
    assert any(item.code == "removed-default" for item in others) == (
        follows and options.get("inclusionDefault") == "Exclude"
    )
    assert any(item.code.startswith("api-") for item in others) == broken
    assert {"error", "warning", "info"}.issuperset(item.severity for item in outcome.problems)


@given(plain_pairs)
def test_append_is_the_union(pair):
    cluster, options = pair
    outcome = cluster.request(options, append=True)

    assert outcome.change is not None
    body = outcome.change.body
    names = effective(api_block("None", listed(options)), cluster.minor, cluster.known)
    assert effective(body, cluster.minor, cluster.known) == cluster.requested | names
    assert body["baselineCapabilitySet"] == (cluster.spec or {}).get("baselineCapabilitySet", "vCurrent")
    assert set(cluster.known).issuperset(body["additionalEnabledCapabilities"])
    assert bool(outcome.errors) == (outcome.change.changed and violates_a_rule(body, cluster.minor, cluster.enabled))
    assert outcome.change.changed == (not names <= cluster.requested)


@given(pairs, st.sampled_from([{}, {"append": True}]))
def test_the_second_time_changes_nothing(pair, mode):
    cluster, options = pair
    outcome = cluster.request(options, **mode)

    if not outcome.errors:
        again = cluster.with_spec(outcome.accepted.body).request(options, **mode)
        assert not again.accepted.changed
        assert again.accepted.body == outcome.accepted.body


@given(pairs, numbers)
def test_implicitly_enabled_names_cause_no_error(pair, number):
    cluster, options = pair
    outcome = cluster.request(options)
    more = picked([*MINORS[ORDER[-1]]["known"], "Later"], number)
    later = cluster._replace(implicit=cluster.implicit.union(more))

    other = later.request(options)

    assert set(other.errors) <= set(outcome.errors)
    assert other.change is not None
    assert other.change == outcome.change


@given(plain_pairs, st.booleans())
def test_adopting_twice_changes_nothing(pair, append):
    cluster, options = pair if append else (pair[0], None)
    outcome = cluster.request(options, append=append, keep=True)

    if not outcome.errors:
        implicit = cluster.enabled - cluster.requested
        assert set(outcome.accepted.kept) <= implicit
        assert (implicit & set(cluster.known)) <= effective(outcome.accepted.body, cluster.minor, cluster.known)
        assert set(cluster.known).issuperset(outcome.accepted.kept)
        again = cluster.with_spec(outcome.accepted.body).request(options, append=append, keep=True)
        assert (again.accepted.changed, again.accepted.kept) == (False, ())


@given(plain_pairs)
def test_adopting_twice_with_a_selection_changes_nothing(pair):
    cluster, options = pair
    outcome = cluster.request(options, keep=True)

    if not outcome.errors:
        again = cluster.with_spec(outcome.accepted.body).request(options, keep=True)
        assert (again.accepted.changed, again.accepted.kept) == (False, ())


@given(any_cluster)
def test_kept_names_are_enabled_and_not_requested(cluster):
    outcome = cluster.request(None, keep=True)

    implicit = cluster.enabled - cluster.requested
    assert outcome.change is not None
    assert outcome.change.kept == tuple(sorted(implicit & set(cluster.known)))
    assert [(where, message.partition(" ")[0]) for where, message in outcome.warnings] == [
        ("keep_implicit", name) for name in sorted(implicit.difference(cluster.known))
    ]


@given(pairs, modes, st.sampled_from([[], ["Later"], ["console", "v4.12"], [""]]))
def test_every_problem_has_a_location_a_message_and_a_hint(pair, mode, wrong):
    cluster, options = pair
    field = next((field for field in options if isinstance(options[field], list)), None)
    if field is not None:
        options = {**options, field: [*options[field], *wrong]}

    for problem in cluster.request(options, **mode).problems:
        assert problem.message
        assert str(problem.where).startswith(("capabilities", "enable", "keep_implicit"))
        assert problem.hint


@given(pairs, modes)
def test_a_body_has_both_fields_and_is_sorted(pair, mode):
    cluster, options = pair
    change = cluster.request(options, **mode).change

    if change is not None:
        assert list(change.body) == ["baselineCapabilitySet", "additionalEnabledCapabilities"]
        assert change.body["baselineCapabilitySet"] in MINORS[cluster.minor]["sets"]
        listed = change.body["additionalEnabledCapabilities"]
        assert listed == sorted(set(listed))
        assert change.requested_after == effective(change.body, cluster.minor, cluster.known)
        assert change.requested_before == cluster.requested


@given(pairs, modes, numbers)
def test_order_and_repetitions_do_not_matter(pair, mode, seed):
    cluster, options = pair
    random = Random(seed)

    def shuffled(value: Any) -> Any:
        if not isinstance(value, list):
            return value
        names = [*value, *value[:2]]
        random.shuffle(names)
        return names

    outcome = cluster.request(options, **mode)
    spec = cluster.spec and {field: shuffled(value) for field, value in cluster.spec.items()}
    other = cluster._replace(spec=spec).request({field: shuffled(value) for field, value in options.items()}, **mode)

    assert (outcome.change is None) == (other.change is None)
    if outcome.change is not None and other.change is not None:
        assert (outcome.change.body, outcome.change.removed, outcome.change.kept, outcome.change.changed) == (
            other.change.body,
            other.change.removed,
            other.change.kept,
            other.change.changed,
        )
    assert set(outcome.errors) == set(other.errors)


# Updates


UPDATES = list(combinations(ORDER, 2))


def updated(cluster: Cluster, spec: dict[str, Any], minor: str, newly_enabled: Iterable[str]) -> list[Cluster]:
    """Return the cluster during the update to ``minor`` (its status has the known names of before), and after it."""
    preview = bool(GATED.intersection(cluster.known))
    enabled = frozenset({*cluster.with_spec(spec).implicit, *newly_enabled})
    return [
        Cluster(minor, known, spec, frozenset(enabled.intersection(known)))
        for known in (cluster.known, known_names(minor, preview))
    ]


# Of each pair of minors, the first is that of a cluster, the second the target of its update.
updates = st.builds(
    lambda pair, *numbers: (a_cluster(pair[0], *numbers), pair[1]),
    *(st.sampled_from(UPDATES), st.booleans(), forms, numbers, numbers, numbers),
)


@given(updates, request_numbers, st.sampled_from([RequestNumbers.selection, RequestNumbers.draft]), numbers)
def test_an_applied_selection_is_no_change_after_any_update(update, selected, spelling, number):
    """Exclusions are different, because they are expanded again: see below."""
    cluster, after = update
    options = spelling(selected, cluster)
    outcome = cluster.request(options)

    if not outcome.errors:
        for later in updated(cluster, outcome.accepted.body, after, picked(MINORS[after]["known"], number)):
            again = later.request(options)
            assert not again.accepted.changed
            assert again.accepted.removed == ()


@given(updates, numbers)
def test_appended_names_are_no_change_after_any_update(update, number):
    cluster, after = update
    options = {"additional_enabled_capabilities": picked(cluster.known, number)}
    outcome = cluster.request(options, append=True)

    if not outcome.errors:
        for later in updated(cluster, outcome.accepted.body, after, ()):
            assert not later.request(options, append=True).accepted.changed


@given(updates, request_numbers)
def test_an_applied_exclusion_removes_nothing_after_any_update(update, excluded):
    cluster, after = update
    options = excluded.exclusion(cluster)
    outcome = cluster.request(options)

    if not outcome.errors:
        for later in updated(cluster, outcome.accepted.body, after, MINORS[after]["known"]):
            again = later.request(options)
            assert again.errors == []
            assert again.accepted.removed == ()


@pytest.mark.parametrize(("before", "after"), UPDATES)
@pytest.mark.parametrize("preview", [False, True])
def test_every_set_and_every_list_of_all_names_survives_every_update(before, after, preview):
    """Each set, and None with all of its names, as written before the update."""
    known = known_names(before, preview)
    for name, content in MINORS[before]["sets"].items():
        for options in (api_block(name, []), api_block("None", [item for item in content if item in known])):
            cluster = Cluster(before, known, options, frozenset(MINORS[before]["known"]))
            for later in updated(cluster, options, after, known_names(after, preview)):
                assert later.request(options).problems == ()
                assert not later.request(options).accepted.changed
