# Copyright: Contributors to the capability.openshift collection
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

# Note that this plugin util is **PRIVATE** to the collection. It can have breaking changes at any time.

"""What filters and tests ask the domain, from Ansible's values: one question, plain in and plain out."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from typing import Any

from ansible.errors import AnsibleFilterError
from jinja2 import Undefined

from ansible_collections.capability.openshift.plugins.module_utils._capability.cluster_options import (
    API_SPELLINGS,
    ClusterOptions,
    check_options,
    inclusion_context,
    resolve_cluster,
)
from ansible_collections.capability.openshift.plugins.module_utils._capability.implicit_enablement import (
    ImplicitEnablement,
)
from ansible_collections.capability.openshift.plugins.module_utils._capability.inclusion import (
    CapabilityStatus,
    InclusionContext,
    decide,
    included_manifests,
)
from ansible_collections.capability.openshift.plugins.module_utils._data.install_rules import INSTALL_METHODS
from ansible_collections.capability.openshift.plugins.module_utils._data.platforms import PLATFORMS
from ansible_collections.capability.openshift.plugins.module_utils._install_config.check import check_installation
from ansible_collections.capability.openshift.plugins.module_utils._install_config.selection_source import (
    InstallOptions,
)
from ansible_collections.capability.openshift.plugins.module_utils._module.result import error_text
from ansible_collections.capability.openshift.plugins.module_utils._module.untag import untag
from ansible_collections.capability.openshift.plugins.module_utils._problems import (
    CapabilityError,
    InvalidOptionError,
    Problem,
    Problems,
    did_you_mean,
    list_problems,
    string_problems,
)
from ansible_collections.capability.openshift.plugins.module_utils._release.manifest import (
    Manifest,
    manifest_from_object,
)
from ansible_collections.capability.openshift.plugins.module_utils._release.release import release_of_version
from ansible_collections.capability.openshift.plugins.module_utils._version import Minor, read_minor

SELECTION_OPTIONS = ("cluster_profile", "feature_set", "feature_gates", "always_enabled_capabilities")
"""Options of a question about names alone (documentation fragment ``_filter.selection``)."""

INCLUSION_OPTIONS = (
    *SELECTION_OPTIONS,
    "enabled_capabilities",
    "known_capabilities",
    "exclude_identifier",
    "overrides",
)
"""Options of a question about manifests (documentation fragment ``_filter.inclusion``)."""

UPDATE_OPTIONS = ("openshift_version", "cluster_profile", "feature_set", "feature_gates", "exclude_identifier")
"""Options of a question about an update (filter ``implicitly_enabled_capabilities``)."""

INSTALL_OPTIONS = ("platform", "install_method", "feature_set", "feature_gates")
"""Options of a question about an installation (filter ``validate_capabilities``)."""

_LISTS = (
    "enabled",
    "enabled_capabilities",
    "known_capabilities",
    "feature_gates",
    "overrides",
    "always_enabled_capabilities",
)


def resolve_selection(
    version: object,
    selection: object,
    options: Mapping[str, Any],
    allowed: tuple[str, ...],
    where: str = "openshift_version",
) -> tuple[InclusionContext, CapabilityStatus, tuple[Problem, ...]]:
    """Resolve what a user said of a cluster.

    ``options`` are the keyword arguments that the user wrote, of which ``allowed`` exist; an absent one and ``None``
    mean the same. ``where`` is the name that the version has there. Raises ``InvalidOptionError``.
    """
    _refuse_undefined({"version": version, "selection": selection, **options})
    values, problems = _read_options(options, allowed)
    minor = _read_version(version, where, problems)
    if problems:
        raise InvalidOptionError(problems)
    try:
        return resolve_cluster(ClusterOptions(capabilities=untag(selection), **values), release_of_version(minor))
    except InvalidOptionError as error:
        # The domain calls it as the modules do; here it has the name that the user knows.
        names = {"openshift_version": where}
        raise InvalidOptionError(
            item._replace(where=names.get(item.where, item.where)) for item in error.problems
        ) from None


def check_selection(
    version: object, selection: object, options: Mapping[str, Any], where: str = "openshift_version"
) -> tuple[Problem, ...]:
    """Return what is wrong with a selection where a cluster is installed with it: names, and the rules of installers.

    ``options`` and ``where`` are those of ``resolve_selection``. Raises ``InvalidOptionError`` where the question
    cannot be asked.
    """
    _refuse_undefined({"version": version, "selection": selection, **options})
    values, problems = _read_options(options, INSTALL_OPTIONS)
    minor = _read_version(version, where, problems)
    method = values.get("install_method")
    if isinstance(method, str) and method not in INSTALL_METHODS:
        hint = did_you_mean(method, INSTALL_METHODS)
        problems.append(Problem("error", "todo", "install_method", f"{method!r} is not a way to install", hint))
    platform = values.get("platform")
    if isinstance(platform, str) and platform not in PLATFORMS:
        hint = did_you_mean(platform, PLATFORMS)
        problems.append(Problem("error", "todo", "platform", f"{platform!r} is not a platform", hint))
    if problems:
        raise InvalidOptionError(problems)
    document: dict[str, Any] = {"featureSet": values.get("feature_set", "")}
    if platform is not None:
        document["platform"] = {platform: {}}
    if "feature_gates" in values:
        document["featureGates"] = values["feature_gates"]
    question = InstallOptions(document, "", complete=False, capabilities=untag(selection), method=method)
    found = check_installation(question, release_of_version(minor)).problems
    # There is no install-config here: each has the name that the user knows.
    names = {**API_SPELLINGS, "openshift_version": where}
    return tuple(item._replace(where=_named(item.where.removeprefix(": "), names)) for item in found)


def _named(where: str, names: Mapping[str, str]) -> str:
    """Return ``where`` with its first word called as in ``names``."""
    word = re.split(r"[.[]", where, maxsplit=1)[0]
    return names.get(word, word) + where[len(word) :]


def _read_options(options: Mapping[str, Any], allowed: tuple[str, ...]) -> tuple[dict[str, Any], Problems]:
    """Return the options that were given, by our names, and what is wrong with them."""
    values = {API_SPELLINGS.get(name, name): value for name, value in untag(options).items() if value is not None}
    problems = Problems(
        Problem("error", "todo", name, "is not an option here", did_you_mean(name, allowed))
        for name in values
        if name not in allowed
    )
    for name, value in values.items():
        problems += _type_problems(name, value)
    return values, problems


def _read_version(version: object, where: str, problems: Problems) -> Minor | None:
    return None if version is None else read_minor(untag(version), where, problems)


def decide_manifests(
    manifests: object, version: object, selection: object, options: Mapping[str, Any]
) -> list[tuple[Any, bool]]:
    """Return each of ``manifests``, as it was given, with whether it is in.

    Raises ``InvalidOptionError`` with what is wrong with the manifests and with the options.
    """
    problems = Problems()
    read: list[tuple[Any, Manifest]] = []
    try:
        read = read_manifests(manifests)
    except InvalidOptionError as error:
        problems += error.problems
    try:
        facts, _status, _problems = resolve_selection(version, selection, options, INCLUSION_OPTIONS)
    except InvalidOptionError as error:
        raise InvalidOptionError([*problems, *error.problems]) from None
    if problems:
        raise InvalidOptionError(problems)
    return [(given, decide(manifest, facts).included) for given, manifest in read]


def implicitly_enabled(current: object, target: object, enabled: object, options: Mapping[str, Any]) -> list[str]:
    """Return what an update from the manifests ``current`` to ``target`` turns on where ``enabled`` is on, sorted.

    Raises ``InvalidOptionError`` with what is wrong with any of them.
    """
    problems = Problems()
    sides: list[list[Manifest]] = []
    for name, manifests in (("current", current), ("target", target)):
        try:
            sides.append([manifest for _given, manifest in read_manifests(manifests, name)])
        except InvalidOptionError as error:
            problems += error.problems
    _refuse_undefined({"enabled": enabled, **options})
    names = untag(enabled)
    problems += _type_problems("enabled", names)
    minor = _read_version(options.get("openshift_version"), "openshift_version", problems)
    others = {name: value for name, value in options.items() if name != "openshift_version"}
    values, of_options = _read_options(others, UPDATE_OPTIONS)
    problems += of_options
    cluster = check_options(ClusterOptions(**({} if of_options else values)), minor, problems)
    if problems:
        raise InvalidOptionError(problems)
    loading = inclusion_context(cluster, release_of_version(minor), problems)
    before, after = (included_manifests(side, loading) for side in sides)
    return list(ImplicitEnablement(before, after).implicitly_enabled(frozenset(names)))


def _refuse_undefined(values: Mapping[str, object]) -> None:
    # ansible-core 2.19 does not even call us; older ones hand over what is undefined.
    undefined = [name for name, value in values.items() if isinstance(value, Undefined)]
    if undefined:
        raise InvalidOptionError(
            [Problem("error", "todo", name, "is undefined", "Define the variable") for name in undefined]
        )


def _type_problems(name: str, value: object) -> list[Problem]:
    if name not in _LISTS:
        return string_problems(name, value)
    return list_problems(name, value, of_strings=name != "overrides")


def read_manifest(value: object) -> Manifest:
    """Return the manifest that ``value``, a decoded document, is. Raises ``InvalidOptionError`` where it is none."""
    if value is None:
        raise InvalidOptionError(
            [Problem("error", "todo", "manifest", "is empty, expected a dict", "Give it a manifest")]
        )
    return read_manifests([value])[0][1]


def read_manifests(values: object, where: str = "manifests") -> list[tuple[Any, Manifest]]:
    """Return each of ``values``, as it was given, with the manifest that it is; empty documents are passed over.

    Raises ``InvalidOptionError`` naming every value that is no manifest.
    """
    _refuse_undefined({where: values})
    if isinstance(values, (str, Mapping)) or not isinstance(values, Iterable):
        what = "a map" if isinstance(values, Mapping) else f"{untag(values)!r}"
        message = f"is {what}, expected a list of manifests"
        raise InvalidOptionError([Problem("error", "todo", where, message, "Give a list, as from_yaml_all makes it")])
    read: list[tuple[Any, Manifest]] = []
    problems = Problems()
    for number, value in enumerate(values, 1):
        if value is None:
            continue
        manifest, found = manifest_from_object(untag(value), where, number)
        if manifest is None:
            problems += found
        else:
            read.append((value, manifest))
    if problems:
        raise InvalidOptionError(problems)
    return read


def filter_error(error: CapabilityError) -> AnsibleFilterError:
    """Return the error that Ansible shows for ``error``: every problem, no traceback."""
    return AnsibleFilterError(error_text(error))
