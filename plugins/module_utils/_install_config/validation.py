# Copyright: Contributors to the capability.openshift collection
# SPDX-License-Identifier: GPL-3.0-or-later

# Note that this module util is **PRIVATE** to the collection. It can have breaking changes at any time.

"""Reads cluster properties from an install-config, and checks the fields that its selection depends on.

``openshift-install`` checks all other fields before it creates anything.

Sources, unless a function names another: openshift/installer:pkg/types/installconfig.go and
pkg/types/validation/installconfig.go.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import Any

from .._data.install_config_fields import FIELDS_KNOWN_UNTIL, fields_of
from .._data.platforms import CREDENTIALS_MODES, PLATFORM_DATA, PLATFORMS
from .._problems import (
    Location,
    Problem,
    Problems,
    Severity,
    check_string,
    did_you_mean,
    nearest_name,
    shown,
    type_name,
)
from .._registry.mirror_sets import parse_mirror_sets
from .._unstructured import nested
from .unknown_fields import unknown_fields

_PROVISIONED_BY_USER = ("external", "none")

_MIRRORS, _DEPRECATED_MIRRORS = "imageDigestSources", "imageContentSources"
READ_FIELDS = frozenset(
    {
        "apiVersion",
        "bootstrapInPlace",
        "capabilities",
        "compute",
        "controlPlane",
        "credentialsMode",
        "featureGates",
        "featureSet",
        "platform",
        _DEPRECATED_MIRRORS,
        _MIRRORS,
    }
)
"""The fields that decide about a selection."""

_REQUIRED = ("apiVersion", "platform")
_EXTERNAL_MANAGERS = ("", "External")


def platform_of(data: Mapping[str, Any], platforms: Sequence[str] = PLATFORMS) -> str | None:
    """The platform of an install-config, ``None`` if it has none, several or one that is not in ``platforms``."""
    platform = data.get("platform")
    if not isinstance(platform, Mapping) or len(platform) != 1:
        return None
    name = next(iter(platform))
    return name if name in platforms else None


def default_method(data: Mapping[str, Any]) -> str:
    """The install method if none is given: ``ipi`` if the installer can provision the platform, else ``upi``."""
    platform = platform_of(data)
    by_user = platform is None or platform in _PROVISIONED_BY_USER or "bootstrapInPlace" in data
    return "upi" if by_user else "ipi"


def feature_set_of(data: Mapping[str, Any]) -> str:
    """The feature set, ``""`` (the default one) if the value is not a string."""
    name = data.get("featureSet")
    return name if isinstance(name, str) else ""


def feature_gates_of(data: Mapping[str, Any]) -> list[str] | None:
    """The feature gates as ``NAME=bool``, ``None`` if the release and the feature set decide."""
    gates = data.get("featureGates")
    if data.get("featureSet") != "CustomNoUpgrade" or not isinstance(gates, list):
        return None
    return [gate for gate in gates if _is_gate(gate)]


def check_install_config(
    data: Mapping[str, Any],
    source: str,
    problems: Problems,
    *,
    complete: bool,
    platforms: Sequence[str] = PLATFORMS,
    unknown: Severity | None = None,
    with_removed: bool = False,
) -> None:
    """Check the fields of an install-config that its selection depends on, except ``capabilities``.

    ``source`` is the file or option that contains it. ``complete``: the installer will read it, so required fields
    must be present. ``platforms``: those of the version and the install method. ``unknown``: how to report the fields
    that the installer does not know, ``None`` if it ignores them. Then misspelled ones are a warning. ``with_removed``:
    it is an installer of 4.11 to 4.13, which knows fields that later ones do not know.
    """
    if complete:
        for field in _REQUIRED:
            if data.get(field) in (None, ""):
                problems.error(
                    "missing-field",
                    Location(source, field=field),
                    "is missing, but the installer requires it",
                    "Add it",
                )
    if unknown is None:
        _warn_about_misspelled(data, Location(source), problems)
    else:
        message = "is not a field that the installer knows"
        if unknown != "error":
            message = f"is not a field of the installers up to {FIELDS_KNOWN_UNTIL}. A later one rejects unknown fields"
        for item in unknown_fields(data, Location(source), with_removed=with_removed):
            hint = did_you_mean(item.name, item.known)
            problems.append(Problem(unknown, "unknown-field", item.where, message, hint))
    checks: Mapping[str, _Check] = {**_CHECKS, "platform": partial(_platform, platforms)}
    for field, check in checks.items():
        if data.get(field) not in (None, ""):
            check(data, Location(source, field=field), problems)
    _check_mirrors(data, source, problems)


def _warn_about_misspelled(data: Mapping[str, Any], where: Location, problems: Problems) -> None:
    """Warn about names that resemble those of fields that the selection depends on."""
    for field in data:
        if str(field).lower() not in (fields_of("") or {}) and nearest_name(field, READ_FIELDS) is not None:
            message = "is not a field of an install-config"
            problems.warning("unknown-field", where.child(field), message, did_you_mean(field, READ_FIELDS))
    external = nested(data, "platform", "external")
    for unknown in unknown_fields(external, where.child("platform.external"), "platform.external"):
        message = "is not a field of platform external"
        problems.warning("unknown-field", unknown.where, message, did_you_mean(unknown.name, unknown.known))


def _api_version(data: Mapping[str, Any], where: Location, problems: Problems) -> None:
    version = data["apiVersion"]
    if version in ("v1beta3", "v1beta4"):
        message = f"is {version}, which the installer converts to v1"
        problems.warning("deprecated-value", where, message, "Write v1")
    elif version != "v1":
        problems.error("invalid-choice", where, f"is {shown(version)}, expected v1", "Write v1")


def _platform(platforms: Sequence[str], data: Mapping[str, Any], where: Location, problems: Problems) -> None:
    platform = data["platform"]
    if not isinstance(platform, Mapping):
        value = shown(platform) if isinstance(platform, str) else type_name(platform)
        problems.error("not-a-map", where, f"is {value}, expected a map with one key", "Write none: {} below it")
        return
    names = [str(name) for name in platform]
    if not names:
        problems.error("missing-platform", where, "names no platform", f"Name one of {', '.join(platforms)}")
    if len(names) > 1:
        message = f"names {len(names)} platforms: {', '.join(names)}"
        problems.error("several-platforms", where, message, "Keep one of them")
    for name in names:
        if name not in platforms:
            known = name in PLATFORMS
            message = "is not a platform of this version and install method" if known else "is not a platform"
            hint = f"Use one of: {', '.join(platforms)}" if known else did_you_mean(name, platforms)
            problems.error("unknown-platform", where.child(name), message, hint)
        elif not isinstance(platform[name], Mapping):
            message = f"is {type_name(platform[name])}, expected a map; the installer ignores the platform"
            problems.error("not-a-map", where.child(name), message, f"Write {name}: {{}} or the settings below it")
        elif name == "external":
            _external(platform[name], where.child(name), problems)


def _external(settings: Mapping[str, Any], where: Location, problems: Problems) -> None:
    """The installer reads a misspelled value as "no cloud controller manager" (pkg/types/external)."""
    manager = settings.get("cloudControllerManager")
    if manager not in (None, *_EXTERNAL_MANAGERS):
        message = f"is {shown(manager)}, expected External, or nothing"
        hint = did_you_mean(manager, ("External",))
        problems.error("invalid-choice", where.child("cloudControllerManager"), message, hint)


def _feature_set(data: Mapping[str, Any], where: Location, problems: Problems) -> None:
    check_string(where, data["featureSet"], problems)


def _feature_gates(data: Mapping[str, Any], where: Location, problems: Problems) -> None:
    if data.get("featureSet") != "CustomNoUpgrade":
        message = "requires featureSet: CustomNoUpgrade"
        problems.error("conflicting-fields", where, message, "Set featureSet, or remove featureGates")
    gates = data["featureGates"]
    if not isinstance(gates, list):
        message = f"is {type_name(gates)}, expected a list"
        problems.error("not-a-list", where, message, "Write - NAME=true, one per line")
        return
    for index, gate in enumerate(gates):
        if not _is_gate(gate):
            message = f"is {shown(gate)}, expected NAME=bool"
            problems.error("invalid-feature-gate", where.child(f"[{index}]"), message, "Write NAME=true or NAME=false")


def _is_gate(gate: object) -> bool:
    return isinstance(gate, str) and re.fullmatch(r"[^=\s]+=(true|false)", gate, re.IGNORECASE) is not None


def _check_mirrors(data: Mapping[str, Any], source: str, problems: Problems) -> None:
    mirrors = {field: data[field] for field in (_MIRRORS, _DEPRECATED_MIRRORS) if data.get(field)}
    if mirrors:
        parse_mirror_sets(mirrors, source, problems)
    if list(mirrors) == [_DEPRECATED_MIRRORS]:
        where = Location(source, field=_DEPRECATED_MIRRORS)
        problems.warning("deprecated-field", where, "is deprecated", f"Write {_MIRRORS}")


def _credentials_mode(data: Mapping[str, Any], where: Location, problems: Problems) -> None:
    mode, platform = data["credentialsMode"], platform_of(data)
    modes = CREDENTIALS_MODES if platform is None else PLATFORM_DATA[platform].credentials_modes
    if not modes:
        message = f"cannot be set on platform {platform}"
        problems.error("unsupported-platform", where, message, "Remove it")
    elif mode not in modes:
        on_platform = f" on platform {platform}" if platform is not None else ""
        message = f"is {shown(mode)}, expected {', '.join(modes)}{on_platform}"
        problems.error("invalid-choice", where, message, did_you_mean(mode, modes))


_Check = Callable[[Mapping[str, Any], Location, Problems], None]
_CHECKS: Mapping[str, _Check] = {
    "apiVersion": _api_version,
    "platform": partial(_platform, PLATFORMS),
    "credentialsMode": _credentials_mode,
    "featureGates": _feature_gates,
    "featureSet": _feature_set,
}
