# Copyright: Contributors to the capability.openshift collection
# SPDX-License-Identifier: GPL-3.0-or-later

"""Reads cluster properties from an install-config, and checks the fields that its selection depends on.

``openshift-install`` checks all other fields before it creates anything.

Sources, unless a function names another: openshift/installer:pkg/types/installconfig.go and
pkg/types/validation/installconfig.go.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from functools import lru_cache, partial
from typing import Any

from .._capability.cluster_options import parse_gate
from .._capability.rules import InstallContext, RuleViolation, violation
from .._data.capabilities import API_FIELDS
from .._data.feature_sets import CUSTOM_FEATURE_SET, DEFAULT_FEATURE_SET
from .._data.install_rules import (
    AGENT_ARCHITECTURE,
    AGENT_EXTERNAL_NAME,
    AGENT_FEATURE_SET,
    AGENT_FEATURE_SET_DROPPED,
    AGENT_NONE_SINGLE_NODE,
    AGENT_ORACLE_CLOUD,
    AGENT_PLATFORM,
    AGENT_SINGLE_NODE_COMPUTE,
    AGENT_SINGLE_NODE_PLATFORM,
    ASSISTED,
    ASSISTED_PLATFORM,
    EXTERNAL_S390X_SINCE,
    FEATURE_GATES_SINCE,
    SINGLE_NODE_ARBITER,
    SINGLE_NODE_PLATFORM,
    Rule,
    rejects_unknown_fields,
)
from .._data.platforms import (
    PLATFORMS,
    PROVISIONED_BY_USER,
    WITHOUT_SINGLE_NODES,
    agent_platforms,
    assisted_platforms,
    default_method,
)
from .._data.version import Minor
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
from .._resources import mappings_in, nested

_SPELLED = ("capabilities", "platform")
"""Fields whose spelling is checked. ``openshift-install`` reports unknown fields itself, in some versions as errors."""

_REQUIRED = ("apiVersion", "platform")
_READ = ("arbiter", "bootstrapInPlace", "compute", "controlPlane", "cpuPartitioningMode", "featureGates", "featureSet")
"""The other fields that a selection depends on."""

_EXTERNAL_MANAGERS = ("", "External", "None")
_RUN_BY_USER = ("ipi", "upi", "agent")


def with_exact_names(document: Mapping[str, Any], source: str, problems: Problems) -> dict[str, Any]:
    """``document`` with the documented spelling of the fields that a selection depends on, and of those in two of them.

    The installer reads a key in any case (golang/go:src/encoding/json/decode.go). ``source`` names the document in
    problems. Two spellings of one key are an error.
    """
    where = Location(source)
    result = _with_names(document, (*_SPELLED, *_REQUIRED, *_READ), where, problems)
    for field, names in (("capabilities", API_FIELDS), ("platform", PLATFORMS)):
        value = result.get(field)
        if isinstance(value, Mapping):
            result[field] = _with_names(value, names, where.child(field), problems)
    return result


def _with_names(
    values: Mapping[Any, Any], names: Collection[str], where: Location, problems: Problems
) -> dict[Any, Any]:
    result: dict[Any, Any] = {}
    spelling = {name.lower(): name for name in names}
    for key, value in values.items():
        name = spelling.get(str(key).lower(), key)
        if name != key and (name in values or name in result):
            message = f"is another spelling of {name}"
            problems.error("duplicate-field", where.child(key), message, "Keep one of them")
            continue
        if name != key:
            message = f"is read as {name}, but not by every program"
            problems.warning("misspelled-field", where.child(key), message, f"Write {name}")
        result[name] = value
    return result


def platform_of(data: Mapping[str, Any], platforms: Sequence[str] = PLATFORMS) -> str | None:
    """The platform of an install-config, ``None`` if it has none, several or one that is not in ``platforms``."""
    platform = data.get("platform")
    if not isinstance(platform, Mapping) or len(platform) != 1:
        return None
    name = next(iter(platform))
    return name if name in platforms else None


def method_of(data: Mapping[str, Any]) -> str:
    """The install method of an install-config if none is given."""
    return "upi" if "bootstrapInPlace" in data else default_method(platform_of(data))


def feature_set_of(data: Mapping[str, Any]) -> str:
    """The feature set, ``""`` (the default one) if the value is not a string."""
    name = data.get("featureSet")
    return name if isinstance(name, str) else ""


def feature_gates_of(data: Mapping[str, Any]) -> list[str] | None:
    """The feature gates as ``NAME=bool``, ``None`` if the release and the feature set decide."""
    gates = data.get("featureGates")
    if data.get("featureSet") != CUSTOM_FEATURE_SET or not isinstance(gates, list):
        return None
    return [gate for gate in gates if _is_gate(gate)]


def check_install_config(
    data: Mapping[str, Any],
    source: str,
    problems: Problems,
    *,
    complete: bool,
    platforms: Sequence[str] = PLATFORMS,
    method: str = "upi",
    minor: Minor | None = None,
) -> None:
    """Check the fields of an install-config that its selection depends on, except ``capabilities``.

    ``source`` is the file or option that contains it. ``complete``: the installer will read it, so required fields
    must be present. ``platforms`` has the platforms of the version and the install method.
    """
    if complete:
        for field in _REQUIRED:
            if data.get(field) in (None, ""):
                where = Location(source, field=field)
                problems.error("missing-field", where, "is missing, but the installer requires it", "Add it")
    has_gates = minor is None or minor >= FEATURE_GATES_SINCE
    # Installers reject unknown fields, or ignore them after a warning.
    is_error = minor is not None and rejects_unknown_fields(minor) and method in _RUN_BY_USER
    severity: Severity = "error" if is_error else "warning"
    _check_names(data, Location(source), severity, problems, has_gates=has_gates or not complete)
    known = {field for field, value in data.items() if value not in (None, "")}
    known -= set() if has_gates else {"featureGates"}
    checks: Mapping[str, _Check] = {**_CHECKS, "platform": partial(_platform, platforms)}
    for field, check in checks.items():
        if field in known:
            check(data, Location(source, field=field), problems)


@lru_cache(maxsize=256)
def _is_misspelled(field: str) -> bool:
    # Cached, because the install-configs of a fleet have the same fields.
    return field not in _SPELLED and nearest_name(field, _SPELLED) is not None


def _check_names(
    data: Mapping[str, Any], where: Location, severity: Severity, problems: Problems, *, has_gates: bool
) -> None:
    """Report misspelled names of ``capabilities`` and ``platform``, and ``featureGates`` if the installer lacks it."""
    for field in data:
        if _is_misspelled(str(field)):
            message, hint = "is not a field of an install-config", did_you_mean(field, _SPELLED)
            problems.append(Problem(severity, "unknown-field", where.child(field), message, hint))
        elif field == "featureGates" and not has_gates:
            message = f"is not a field of an install-config before {FEATURE_GATES_SINCE}"
            problems.append(Problem(severity, "unknown-field", where.child(field), message, "Remove it"))


def _api_version(data: Mapping[str, Any], where: Location, problems: Problems) -> None:
    version = data["apiVersion"]
    if version in ("v1beta3", "v1beta4"):
        message = f"is {version}, which the installer converts to v1"
        problems.warning("deprecated-value", where, message, "Write v1")
    elif version != "v1":
        problems.error("invalid-choice", where, f"is {shown(version)}, expected v1", "Write an install-config of v1")


def _platform(platforms: Sequence[str], data: Mapping[str, Any], where: Location, problems: Problems) -> None:
    platform = data["platform"]
    if not isinstance(platform, Mapping):
        value = shown(platform) if isinstance(platform, str) else type_name(platform)
        hint = f"Write {nearest_name(platform, platforms) or 'none'}: {{}} below it"
        problems.error("not-a-map", where, f"is {value}, expected a map with one key", hint)
        return
    names = [str(name) for name in platform]
    if not names:
        problems.error("missing-platform", where, "names no platform", f"Name one of {', '.join(platforms)}")
    if len(names) > 1:
        message = f"names {len(names)} platforms: {', '.join(names)}"
        problems.error("several-platforms", where, message, "Keep one of them")
    for name in names:
        if platforms and name not in platforms:
            known = name in PLATFORMS
            message = "is not a platform of this version and install method" if known else "is not a platform"
            hint = f"Use one of: {', '.join(platforms)}" if known else did_you_mean(name, platforms)
            problems.error("unknown-platform", where.child(name), message, hint)
        elif not isinstance(platform[name], Mapping):
            message = f"is {type_name(platform[name])}, expected a map"
            problems.error("not-a-map", where.child(name), message, f"Write {name}: {{}} or the settings below it")
        elif name == "external":
            _external(platform[name], where.child(name), problems)


def _external(settings: Mapping[str, Any], where: Location, problems: Problems) -> None:
    """The installer reads each other value as None, also a misspelled one (pkg/types/external)."""
    manager = settings.get("cloudControllerManager")
    if manager not in (None, *_EXTERNAL_MANAGERS):
        message = f"is {shown(manager)}, expected External, None, or nothing"
        hint = did_you_mean(manager, ("External",))
        problems.error("invalid-choice", where.child("cloudControllerManager"), message, hint)


def _feature_set(data: Mapping[str, Any], where: Location, problems: Problems) -> None:
    check_string(where, data["featureSet"], problems)
    # The installer has no name for it (openshift/installer:pkg/types/validation/installconfig.go ValidateFeatureSet).
    if data["featureSet"] == DEFAULT_FEATURE_SET:
        problems.error("unknown-feature-set", where, "is Default, which the installer rejects", "Remove the field")


def _feature_gates(data: Mapping[str, Any], where: Location, problems: Problems) -> None:
    gates = data["featureGates"]
    if gates != [] and data.get("featureSet") != CUSTOM_FEATURE_SET:
        message = "requires featureSet: CustomNoUpgrade"
        problems.error("conflicting-fields", where, message, "Set featureSet, or remove featureGates")
    if not isinstance(gates, list):
        message = f"is {type_name(gates)}, expected a list"
        problems.error("not-a-list", where, message, "Write - NAME=true, one per line")
        return
    for index, gate in enumerate(gates):
        if not _is_gate(gate):
            message = f"is {shown(gate)}, expected NAME=bool"
            problems.error("invalid-feature-gate", where.child(f"[{index}]"), message, "Write NAME=true or NAME=false")


def _is_gate(gate: object) -> bool:
    return isinstance(gate, str) and "=" in gate and parse_gate(gate)[1] is not None


_Check = Callable[[Mapping[str, Any], Location, Problems], None]
_CHECKS: Mapping[str, _Check] = {
    "apiVersion": _api_version,
    "platform": partial(_platform, PLATFORMS),
    "featureGates": _feature_gates,
    "featureSet": _feature_set,
}


def method_violations(
    document: Mapping[str, Any], install: InstallContext, source: str, *, complete: bool
) -> Iterator[RuleViolation]:
    """Yield the rules of the install method that platform and topology of ``document`` violate.

    ``source`` is the file or option that contains it. ``complete``: the installer will read it, so a missing field has
    its default.
    """

    def check(rule: Rule, field: str, hint: str, *, broken: bool) -> Iterator[RuleViolation]:
        if broken and rule.in_force(install.minor, install.method):
            yield violation(rule, Location(source, field=field), hint)

    platform = install.platform
    if platform is not None:
        for rule, platforms in ((AGENT_PLATFORM, agent_platforms), (ASSISTED_PLATFORM, assisted_platforms)):
            supported = platforms(install.minor)
            hint = f"Use one of: {', '.join(supported)}"
            yield from check(rule, "platform", hint, broken=platform not in supported)
    external = nested(document, "platform", "external")
    name = nested(external, "platformName")
    wrong = name == "oci" and nested(external, "cloudControllerManager") != "External"
    is_other = platform == "external" and name != "oci" and (complete or name is not None)
    hint = "Write platformName: oci, or use another install method"
    yield from check(AGENT_EXTERNAL_NAME, "platform.external.platformName", hint, broken=is_other)
    field = "platform.external.cloudControllerManager"
    yield from check(AGENT_ORACLE_CLOUD, field, "Write cloudControllerManager: External", broken=wrong)
    architecture = nested(document, "controlPlane", "architecture")
    accepts = install.method == ASSISTED or (architecture == "s390x" and install.minor >= EXTERNAL_S390X_SINCE)
    supported = ("none", "external") if accepts else ("none",)
    wrong = platform is not None and platform not in supported and architecture in ("ppc64le", "s390x")
    yield from check(AGENT_ARCHITECTURE, "platform", "Write platform: {none: {}}", broken=wrong)
    hint = "Remove featureSet, or use another install method"
    wrong = bool(install.feature_set) and not document.get("arbiter")
    yield from check(AGENT_FEATURE_SET, "featureSet", hint, broken=wrong)
    yield from check(AGENT_FEATURE_SET_DROPPED, "featureSet", hint, broken=bool(install.feature_set))
    replicas = nested(document, "controlPlane", "replicas")
    wrong = platform == "none" and replicas != 1 and (complete or replicas is not None)
    hint = "Set controlPlane.replicas to 1, or write platform: {baremetal: {}}"
    yield from check(AGENT_NONE_SINGLE_NODE, "controlPlane.replicas", hint, broken=wrong)
    if replicas == 1:
        workers = _compute_replicas(document, complete=complete)
        hint = "Write compute: [{name: worker, replicas: 0}]"
        yield from check(AGENT_SINGLE_NODE_COMPUTE, "compute", hint, broken=bool(workers))
        wrong = (workers == 0 or install.method == ASSISTED) and platform not in (None, *PROVISIONED_BY_USER)
        hint = "Write platform: {none: {}}, or set controlPlane.replicas to 3"
        yield from check(AGENT_SINGLE_NODE_PLATFORM, "platform", hint, broken=wrong)
        yield from check(SINGLE_NODE_PLATFORM, "platform", hint, broken=platform in WITHOUT_SINGLE_NODES)
        wrong = complete and platform == "external" and not nested(document, "bootstrapInPlace", "installationDisk")
        hint = "Set bootstrapInPlace.installationDisk, or set controlPlane.replicas to 3"
        yield from check(SINGLE_NODE_PLATFORM, "bootstrapInPlace", hint, broken=wrong)
        hint = "Set controlPlane.replicas to 2, or remove arbiter"
        yield from check(SINGLE_NODE_ARBITER, "arbiter", hint, broken=document.get("arbiter") is not None)


def _compute_replicas(document: Mapping[str, Any], *, complete: bool) -> int | None:
    """The replicas of all compute pools, ``None`` if they are not known. The default of a pool is 3.

    Source: openshift/installer:pkg/types/defaults/machinepools.go.
    """
    pools = document.get("compute")
    if not pools:
        return 3 if complete else None
    total = 0
    for pool in mappings_in(pools):
        replicas = pool.get("replicas")
        default = 0 if pool.get("name") == "edge" else 3
        total += default if replicas is None else replicas if isinstance(replicas, int) else 0
    return total
