# Copyright: Contributors to the capability.openshift collection
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Shared by the filters and tests: reads Ansible's values, and calls the packages with them."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from typing import Any

from ansible.errors import AnsibleFilterError
from jinja2 import Undefined

from ansible_collections.capability.openshift.plugins.module_utils._capability.cluster_options import (
    API_SPELLINGS,
    INCLUSION_OPTIONS,
    ClusterOptions,
    check_options,
    inclusion_context,
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
from ansible_collections.capability.openshift.plugins.module_utils._capability.resolved_release import resolve_cluster
from ansible_collections.capability.openshift.plugins.module_utils._data.capabilities import API_BASELINE
from ansible_collections.capability.openshift.plugins.module_utils._data.feature_sets import DEFAULT_FEATURE_SET
from ansible_collections.capability.openshift.plugins.module_utils._data.install_rules import INSTALL_METHODS
from ansible_collections.capability.openshift.plugins.module_utils._data.version import Minor
from ansible_collections.capability.openshift.plugins.module_utils._install_config.check import (
    check_selection,
    platforms_of,
    read_installation,
)
from ansible_collections.capability.openshift.plugins.module_utils._install_config.selection_source import (
    InstallOptions,
    SelectionOptions,
)
from ansible_collections.capability.openshift.plugins.module_utils._module.result import error_text
from ansible_collections.capability.openshift.plugins.module_utils._module.untag import untag
from ansible_collections.capability.openshift.plugins.module_utils._problems import (
    CapabilityError,
    InvalidOptionError,
    Location,
    Problem,
    Problems,
    check_boolean,
    check_list,
    check_string,
    did_you_mean,
)
from ansible_collections.capability.openshift.plugins.module_utils._release.manifest import (
    Manifest,
    manifest_from_object,
)
from ansible_collections.capability.openshift.plugins.module_utils._release.release import (
    read_minor,
    release_of_version,
)

SELECTION_OPTIONS = tuple(option.name for option in INCLUSION_OPTIONS if option.affects_names)
"""Options of filters and tests about names."""

MANIFEST_OPTIONS = tuple(option.name for option in INCLUSION_OPTIONS)
"""Options of filters and tests about manifests."""

LOADING_OPTIONS = ("openshift_version", *(option.name for option in INCLUSION_OPTIONS if option.affects_loading))
"""Options of the filter ``implicitly_enabled_capabilities``."""

INSTALL_OPTIONS = ("platform", "install_method", "feature_set", "feature_gates")
"""Options of the filter ``validate_capabilities`` for an installation."""

_LISTS = {"enabled": "str", **{option.name: option.items for option in INCLUSION_OPTIONS if option.items}}
"""Options that are lists, and the type of their items."""

_BOOLEANS = tuple(option.name for option in INCLUSION_OPTIONS if option.type == "bool")

_VERSION_CODES = ("missing-version", "unknown-version", "unsupported-version")


def resolve_selection(
    version: object,
    selection: object,
    options: Mapping[str, Any],
    allowed: tuple[str, ...],
    problems: Problems,
    *,
    where: str = "openshift_version",
) -> tuple[InclusionContext, CapabilityStatus]:
    """Resolve a selection. ``options`` are keyword arguments of the user; ``None`` is the same as an absent one.

    ``allowed``: the options that exist. ``where``: the name of the version's argument. Raises ``InvalidOptionError``.
    """
    _refuse_undefined({"version": version, "selection": selection, **options})
    _report_null_set(selection, problems)
    values = _read_options(options, allowed, problems)
    minor = _read_version(version, where, problems)
    problems.raise_errors(InvalidOptionError)
    given = ClusterOptions(capabilities=untag(selection), **values)
    try:
        return resolve_cluster(given, release_of_version(minor), problems)
    except InvalidOptionError as error:
        # The modules call this argument openshift_version.
        raise InvalidOptionError(
            _of_filter(item, where)._replace(where=Location(field=where)) if item.code in _VERSION_CODES else item
            for item in error.problems
        ) from None


def check_installation_of(
    version: object, selection: object, options: Mapping[str, Any], problems: Problems, *, where: str
) -> None:
    """Check a selection for an installation: its names, and the rules of installers.

    ``options`` and ``where``: as for ``resolve_selection``. Raises ``InvalidOptionError`` if an option is invalid.
    """
    _refuse_undefined({"version": version, "selection": selection, **options})
    _report_null_set(selection, problems)
    values = _read_options(options, INSTALL_OPTIONS, problems)
    minor = _read_version(version, where, problems)
    method, platform = values.get("install_method"), values.get("platform")
    if isinstance(method, str) and method not in INSTALL_METHODS:
        message = f"{method!r} is not an install method"
        problems.error("unknown-install-method", "install_method", message, did_you_mean(method, INSTALL_METHODS))
    platforms = platforms_of(method if isinstance(method, str) else None)
    if isinstance(platform, str) and platform not in platforms:
        message = f"{platform!r} is not a platform"
        problems.error("unknown-platform", "platform", message, did_you_mean(platform, platforms))
    problems.raise_errors(InvalidOptionError)
    feature_set = values.get("feature_set", "")
    # An install-config has no name for the default one.
    document: dict[str, Any] = {"featureSet": "" if feature_set == DEFAULT_FEATURE_SET else feature_set}
    if platform is not None:
        document["platform"] = {platform: {}}
    if "feature_gates" in values:
        # An install-config has no gates without a value.
        document["featureGates"] = [gate if "=" in gate else f"{gate}=true" for gate in values["feature_gates"]]
    given = InstallOptions(document, "", complete=False, method=method)
    # There is no install-config here, so locations are the names of arguments.
    names = {**API_SPELLINGS, "openshift_version": where}
    check = check_selection(read_installation(given, release_of_version(minor)), SelectionOptions(untag(selection)))
    for item in check.problems:
        problems.append(_of_filter(item, where)._replace(where=Location(field=_renamed(item.where.field, names))))


def _of_filter(problem: Problem, where: str) -> Problem:
    """``problem`` with a hint that names arguments of a filter. ``where``: the one with the version."""
    hints = {"missing-version": f"Set {where}", "unchecked-rules": "Set platform"}
    if where != "openshift_version":  # the others have no options for the status of a cluster
        hints["unknown-version"] = "Update the collection"
    return problem._replace(hint=hints.get(problem.code, problem.hint))


def _report_null_set(selection: object, problems: Problems) -> None:
    """Report a null set: it would mean ``vCurrent``, but Jinja reads ``None`` without quotes so."""
    for name in ("baseline_capability_set", API_BASELINE):
        if isinstance(selection, Mapping) and selection.get(name, "") is None:
            message, hint = "is null, expected the name of a set", "Quote 'None', which is null in Jinja"
            problems.error("invalid-baseline", f"capabilities.{name}", message, hint)


def _renamed(where: str, names: Mapping[str, str]) -> str:
    """``where`` with its first word replaced as in ``names``."""
    word = re.split(r"[.[]", where, maxsplit=1)[0]
    return names.get(word, word) + where[len(word) :]


def _read_options(options: Mapping[str, Any], allowed: tuple[str, ...], problems: Problems) -> dict[str, Any]:
    """The given options, by their own names even if the API's spelling is used."""
    values = {API_SPELLINGS.get(name, name): value for name, value in untag(options).items() if value is not None}
    for name in values:
        if name not in allowed:
            problems.error("unknown-option", name, "is not an option here", did_you_mean(name, allowed))
        else:
            _check_type(name, values[name], problems)
    return values


def _read_version(version: object, where: str, problems: Problems) -> Minor | None:
    return None if version is None else read_minor(untag(version), where, problems)


def _check_type(name: str, value: object, problems: Problems) -> None:
    if name in _BOOLEANS:
        check_boolean(name, value, problems)
    elif name in _LISTS:
        check_list(name, value, problems, of_strings=_LISTS[name] == "str")
    else:
        check_string(name, value, problems)


def decide_manifests(
    manifests: object, version: object, selection: object, options: Mapping[str, Any]
) -> list[tuple[Any, bool]]:
    """Each of ``manifests``, as given, and whether it is included.

    Raises ``InvalidOptionError`` with the problems of both the manifests and the options.
    """
    problems = Problems()
    read = read_manifests(manifests, "manifests", problems)
    context, _status = resolve_selection(version, selection, options, MANIFEST_OPTIONS, problems)
    return [(given, decide(manifest, context).included) for given, manifest in read]


def implicitly_enabled(current: object, target: object, enabled: object, options: Mapping[str, Any]) -> list[str]:
    """The capabilities that an update from manifests ``current`` to ``target`` enables implicitly, sorted.

    Raises ``InvalidOptionError`` with all problems.
    """
    problems = Problems()
    before = read_manifests(current, "current", problems)
    after = read_manifests(target, "target", problems)
    _refuse_undefined({"enabled": enabled, **options})
    names = untag(enabled)
    _check_type("enabled", names, problems)
    minor = _read_version(options.get("openshift_version"), "openshift_version", problems)
    option_problems = Problems()
    others = {name: value for name, value in options.items() if name != "openshift_version"}
    values = _read_options(others, LOADING_OPTIONS, option_problems)
    problems += option_problems
    criteria = check_options(ClusterOptions(**({} if option_problems else values)), minor, problems)
    problems.raise_errors(InvalidOptionError)
    if criteria.hosted:
        return []  # See the planner of updates: the CVO of a hosted cluster never loads the new release.
    context = inclusion_context(criteria, release_of_version(minor), problems)
    sides = (included_manifests([manifest for _given, manifest in side], context) for side in (before, after))
    return list(ImplicitEnablement(*sides).implicitly_enabled(frozenset(names)))


def _refuse_undefined(values: Mapping[str, object]) -> None:
    # ansible-core 2.19 does not call a filter with undefined values, older versions do.
    problems = Problems()
    for name, value in values.items():
        if isinstance(value, Undefined):
            problems.error("undefined-variable", name, "is undefined", "Define the variable")
    problems.raise_errors(InvalidOptionError)


def read_manifest(value: object) -> Manifest:
    """Convert ``value``, a decoded document, to a manifest. Raises ``InvalidOptionError`` if it is not a manifest."""
    problems = Problems()
    if value is None:
        problems.error("missing-manifest", "manifest", "is empty, expected a dict", "Pass a manifest")
    read = read_manifests([value], "manifests", problems)
    problems.raise_errors(InvalidOptionError)
    return read[0][1]


def read_manifests(values: object, where: str, problems: Problems) -> list[tuple[Any, Manifest]]:
    """Each of ``values``, as given, with its manifest. Skips empty documents, and reports other values.

    Raises ``InvalidOptionError`` if ``values`` is undefined.
    """
    _refuse_undefined({where: values})
    if isinstance(values, (str, Mapping)) or not isinstance(values, Iterable):
        value = "a map" if isinstance(values, Mapping) else f"{untag(values)!r}"
        message = f"is {value}, expected a list of manifests"
        problems.error("not-a-list", where, message, "Pass a list, as from_yaml_all returns it")
        return []
    read: list[tuple[Any, Manifest]] = []
    for number, value in enumerate(values, 1):
        if value is None:
            continue
        manifest_problems = Problems()
        manifest = manifest_from_object(untag(value), where, number, manifest_problems)
        if manifest is None:
            problems += manifest_problems
        else:
            read.append((value, manifest))
    return read


def filter_error(error: CapabilityError) -> AnsibleFilterError:
    """The error that Ansible shows for ``error``: all its errors, without a traceback."""
    return AnsibleFilterError(error_text(error))
