# Copyright: Contributors to the capability.openshift collection
# SPDX-License-Identifier: GPL-3.0-or-later

"""Checks the install-configs of a fleet, and writes all of them or none."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from .._capability.solution import find_solution
from .._data.install_rules import INSTALL_METHODS
from .._data.solutions import TOPOLOGIES
from .._problems import Problem, Problems, as_location, did_you_mean, has_errors, of_clusters, shown, shown_names
from .._progress import Progress, silent, with_progress
from .build import EditedFile, InstallConfigOptions, InstallResult, ReleaseReader, build_install_config, merge_content
from .file import FileWrite, write_targets
from .result import install_config_diff, installation_dict
from .selection_source import SelectionOptions


class ClusterEntry(NamedTuple):
    """A cluster of a fleet. ``where`` is its location in the list."""

    name: str
    where: str
    options: InstallConfigOptions

    @classmethod
    def from_params(cls, params: Mapping[str, Any], index: int, common: InstallConfigOptions) -> ClusterEntry:
        """The cluster at ``index``; ``common`` has the values that it does not set.

        Its selection replaces the common one. Its content is merged into the common one, in which ``metadata.name``
        is set to the name of the cluster.
        """
        own = {option: value for option, value in params.items() if value is not None}
        selection = SelectionOptions.from_params(own)
        selection = selection if selection.is_given else common.selection
        content = own.get("content", common.content)
        if isinstance(content, Mapping):
            named = merge_content(common.content, {"metadata": {"name": own["name"]}})
            own["content"] = merge_content(named, content) if "content" in own else named
        if "release" in own:  # contains its version
            common = common._replace(openshift_version=None)
        options = common._replace(
            selection=selection, **{option: own[option] for option in common._fields if option in own}
        )
        where = f"clusters[{index}]" + (f" ({own['name']})" if own["name"] else "")
        return cls(own["name"], where, options)

    def check(self, problems: Problems) -> None:
        """Report what makes this cluster impossible to check."""
        if not self.name:
            problems.error("missing-field", f"{self.where}.name", "is empty", "Set a name for each cluster")
        for option, value, choices in (
            ("install_method", self.options.install_method, INSTALL_METHODS),
            ("topology", self.options.topology, tuple(TOPOLOGIES)),
        ):
            if value is not None and value not in choices:
                message = f"is {shown(value)}, expected one of {', '.join(choices)}"
                problems.error("invalid-choice", f"{self.where}.{option}", message, did_you_mean(value, choices))


class FleetCluster(NamedTuple):
    """A cluster of a fleet after its check.

    ``selection`` is the position of its result in ``FleetResult.selections``. It and ``file`` are ``None`` if its entry
    is invalid. ``errors`` has all errors of this cluster as text.
    """

    entry: ClusterEntry
    selection: int | None = None
    file: EditedFile | None = None
    errors: tuple[str, ...] = ()

    def write(self) -> FileWrite | None:
        """The file to write if there are no errors, ``None`` if nothing changes."""
        return None if self.file is None else self.file.write()


class FleetResult(NamedTuple):
    """All clusters of a fleet, and their distinct results in the form that the module returns."""

    clusters: tuple[FleetCluster, ...]
    selections: tuple[dict[str, Any], ...]
    problems: tuple[Problem, ...]

    @property
    def failed(self) -> bool:
        """Whether a cluster, or an option of all clusters, is invalid."""
        return has_errors(self.problems)


def build_fleet(
    clusters: Sequence[ClusterEntry], common: InstallConfigOptions, progress: Progress = silent
) -> FleetResult:
    """Check all clusters and build their texts. ``common`` has the options that apply to the list as a whole.

    Writes and raises nothing.
    """
    problems = Problems()
    if not clusters:
        problems.error("empty-list", "clusters", "is empty", "Add a cluster, or remove the option")
    selection = common.selection
    if selection.solution is not None and find_solution(selection.solution, problems) is None:
        # A mistake of this call, not of each of its clusters.
        return FleetResult((), (), tuple(problems))
    fleet = _Fleet()
    for cluster in with_progress(clusters, "clusters", progress):
        fleet.add(cluster)
    fleet.check_unique()
    problems += fleet.problems()
    return FleetResult(tuple(fleet.clusters), tuple(fleet.selections), tuple(problems))


def write_fleet(fleet: FleetResult, *, check_mode: bool) -> None:
    """Write the files of all valid clusters. Raises ``DestinationError``.

    Call it only if no cluster is invalid, or if the user wants the valid ones anyway.
    """
    writes = [None if cluster.errors else cluster.write() for cluster in fleet.clusters]
    write_targets([write for write in writes if write is not None], check_mode=check_mode)


def cluster_row(cluster: FleetCluster) -> dict[str, Any]:
    """A row of the table, in the form that the module returns."""
    return {
        "name": cluster.entry.name or cluster.entry.where,
        "path": None if cluster.file is None else cluster.file.target.path,
        "differs": cluster.write() is not None,
        "selection": cluster.selection,
        "errors": list(cluster.errors),
    }


def fleet_diff(fleet: FleetResult) -> list[dict[str, str]]:
    """The diff of all files of valid clusters as Ansible prints it, without secrets."""
    valid = (cluster.file for cluster in fleet.clusters if not cluster.errors)
    return [entry for file in valid for entry in install_config_diff(file)]


class _Fleet:
    """Collects the clusters of a fleet. Equal results and equal problems of several clusters are kept once."""

    def __init__(self) -> None:
        self.clusters: list[FleetCluster] = []
        self.selections: list[dict[str, Any]] = []
        self._releases = ReleaseReader()
        self._positions: dict[str, int] = {}
        self._entry_problems = Problems()
        self._by_problem: dict[Problem, list[str]] = {}
        self._same_name: dict[str, list[tuple[int, str]]] = {}
        self._same_file: dict[str, list[tuple[int, str]]] = {}

    def add(self, entry: ClusterEntry) -> None:
        """Check a cluster and add it. If its entry is invalid, it has no result."""
        entry_problems = Problems()
        entry.check(entry_problems)
        if entry_problems:
            self._entry_problems += entry_problems
            self.clusters.append(FleetCluster(entry, errors=tuple(map(str, entry_problems))))
            return
        built = build_install_config(entry.options, self._releases)
        for problem in built.problems:
            self._by_problem.setdefault(problem, []).append(entry.name)
        position = len(self.clusters)
        self._same_name.setdefault(entry.name, []).append((position, entry.where))
        if built.file is not None:
            self._same_file.setdefault(built.file.target.real_path, []).append((position, entry.where))
        errors = tuple(str(problem) for problem in built.problems if problem.severity == "error")
        self.clusters.append(FleetCluster(entry, self._position(built), built.file, errors))

    def problems(self) -> list[Problem]:
        """The problems of all clusters, each with the names of the clusters that have it."""
        return [*self._entry_problems, *(of_clusters(problem, names) for problem, names in self._by_problem.items())]

    def _position(self, built: InstallResult) -> int:
        result = {"openshift_version": built.version, **installation_dict(built.check, failed=built.failed)}
        position = self._positions.setdefault(json.dumps(result, default=str), len(self.selections))
        if position == len(self.selections):
            self.selections.append(result)
        return position

    def check_unique(self) -> None:
        """Report the clusters that share a name or a file. Call it after the last cluster was added."""
        for name, clusters in self._same_name.items():
            hint = "Use a unique name for each cluster"
            self._report_shared(
                clusters, Problem("error", "duplicate-name", "name", f"{name!r} is also the name", hint)
            )
        for path, clusters in self._same_file.items():
            message, hint = f"{path} is also the path", "Use a separate file for each cluster"
            self._report_shared(clusters, Problem("error", "duplicate-path", "path", message, hint))

    def _report_shared(self, clusters: Sequence[tuple[int, str]], problem: Problem) -> None:
        if len(clusters) == 1:
            return
        for position, where in clusters:
            others = shown_names([other for index, other in clusters if index != position])
            own = problem._replace(
                where=as_location(where).child(problem.where.field), message=f"{problem.message} of {others}"
            )
            cluster = self.clusters[position]
            self.clusters[position] = cluster._replace(errors=(*cluster.errors, str(own)))
            self._entry_problems.append(own)
