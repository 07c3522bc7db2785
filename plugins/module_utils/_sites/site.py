# Copyright: Contributors to the capability.openshift collection
# SPDX-License-Identifier: GPL-3.0-or-later

"""A site: its selection as it is written, and what decides its version and platform.

A selection is a string with JSON, or a map. assisted-service merges the JSON into the install-config that it generates,
and stolostron/siteconfig checks only that it is JSON.
"""

from __future__ import annotations

import posixpath
from collections.abc import Iterable, Iterator, Mapping
from typing import Any, NamedTuple

from .._data.install_rules import HOSTED
from .._problems import Location, Problem, Problems
from .._yaml.nodes import Node, Pair
from .document import SITE_CONFIG, SiteObject, SourceDocument
from .overrides import Form, Overrides, read_overrides

EXTRA_FOLDER = "openshift"
"""The directory from which the agent-based installer reads extra manifests, whether it reads an install-config or not.

Source: openshift/installer:pkg/asset/agent/manifests/extramanifests.go.
"""

METHODS: dict[Form, str] = {"overrides": "assisted", "hosted": HOSTED}
"""The install methods of sites. The content of an install-config decides."""

Place = tuple[str, str, "Node | None"]
"""The path of a selection, its key, and the map with the key."""


class FileFilter(NamedTuple):
    """``only`` the files ``names`` count, or all others."""

    names: frozenset[str] = frozenset()
    only: bool = False

    def keeps(self, name: str) -> bool:
        """Whether the file ``name`` counts."""
        return (name in self.names) is self.only


class Site(NamedTuple):
    """A site without its nodes, because ten thousand of them are in memory.

    ``resource`` is the kind and the name, for messages. ``field`` is the path of the selection in the object.
    ``overrides`` is ``None`` if the selection cannot be read or has no effect, ``platform`` if it is not known.
    ``has_platform_type``: it is not the default one.
    ``external_cloud_controller_manager`` is as in an ``InstallContext``. ``pins_cpus``: the generator adds
    ``cpuPartitioningMode: AllNodes`` to the overrides. ``image_set`` names a ClusterImageSet,
    ``release_image`` is a pull spec, ``version`` a version in the object. ``extra_config_maps`` are names of
    ConfigMaps with extra manifests, ``extra_folders`` where each directory of them can be, and ``extra_filter``
    which of their files count. ``extra_elsewhere``: where further ones are, which no checkout contains. ``enabled`` is
    as in a ``SiteCheckRequest``. ``lines`` has the line of each field of an install-config, by its name in lower case,
    as the installer reads it. What is wrong with a field in ``templates`` is not known.
    """

    path: str
    line: int
    kind: str
    name: str
    namespace: str
    resource: str
    form: Form
    field: str
    has_selection: bool
    overrides: Overrides | None
    platform: str | None = None
    has_platform_type: bool = False
    external_cloud_controller_manager: bool = False
    pins_cpus: bool = False
    image_set: str = ""
    release_image: str = ""
    version: str = ""
    extra_config_maps: tuple[str, ...] = ()
    extra_folders: tuple[tuple[str, ...], ...] = ()
    extra_filter: FileFilter = FileFilter()
    extra_elsewhere: str = ""
    enabled: frozenset[str] | None = None
    lines: Mapping[str, int] = {}
    templates: frozenset[str] = frozenset()

    def finding(self, problem: Problem) -> Problem:
        """The finding of a ``problem`` that is located at a field of the site."""
        message = f"{problem.where}: {problem.message}" if any(problem.where) else problem.message
        line = self.lines.get(_top_field(problem).lower(), self.line)
        return problem._replace(where=Location(self.path, line=line, field=self.resource), message=message)

    def is_about_template(self, problem: Problem) -> bool:
        """Whether a ``problem`` is located at a field that contains a template."""
        return _top_field(problem) in self.templates


class SiteNode(NamedTuple):
    """A site in its document, where its selection is, or where it can be written.

    ``parent`` is the map that contains the field ``key``; ``None`` if it does not exist. ``pair`` is ``None`` if the
    site has no selection.
    """

    site: Site
    origin: SiteObject
    key: str
    parent: Node | None
    pair: Pair | None

    @property
    def document(self) -> SourceDocument:
        """The document that contains the site."""
        return self.origin.document


def _top_field(problem: Problem) -> str:
    return problem.where.field.partition(".")[0].partition("[")[0]


def make_site(
    origin: SiteObject,
    problems: Problems,
    form: Form,
    place: Place,
    *,
    name: str = "",
    folders: Iterable[str] = (),
    config_maps: Iterable[str] = (),
    **facts: Any,
) -> SiteNode:
    """A site of ``origin``.

    ``folders`` are the directories with extra manifests, from the one of the file or of the Kustomization above it.
    """
    path, key, parent = place
    document, pair = origin.document, origin.document.pair(parent, key)
    resource = f"{origin.resource}, cluster {name}" if name and name != origin.name else origin.resource
    own, bases = Problems(), tuple(folders_above(document.path))[: None if origin.kind == SITE_CONFIG else 1]
    site = Site(
        document.path,
        document.line_of(pair.key if pair is not None else parent or origin.node),
        origin.kind,
        name or origin.name,
        origin.namespace,
        resource,
        form,
        path,
        pair is not None,
        read_overrides(origin, form, path, pair, own),
        extra_config_maps=tuple(filter(None, config_maps)),
        extra_folders=tuple(
            tuple(posixpath.normpath(posixpath.join(base, folder)) for base in bases) for folder in folders if folder
        ),
        **facts,
    )
    problems += map(site.finding, own)
    return SiteNode(site, origin, key, parent, pair)


def folders_above(path: str) -> Iterator[str]:
    """Yield the directories that contain ``path``, the nearest first; the checkout is empty."""
    while path:
        path = posixpath.dirname(path)
        yield path
