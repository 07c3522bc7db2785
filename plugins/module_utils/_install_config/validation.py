# Copyright: Contributors to the capability.openshift collection
# SPDX-License-Identifier: GPL-3.0-or-later

# Note that this module util is **PRIVATE** to the collection. It can have breaking changes at any time.

"""Reads cluster properties from an install-config, and checks all of its fields except ``capabilities``.

Sources, unless a function names another: openshift/installer:pkg/types/installconfig.go and
pkg/types/validation/installconfig.go.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import Any

from .._data.platforms import PLATFORMS
from .._problems import Problems, check_string, did_you_mean, nearest_name, shown, type_name
from .._unstructured import nested
from .network import check_networking

_PROVISIONED_BY_USER = ("external", "none")

_FIELDS = frozenset(
    {
        "additionalTrustBundle",
        "additionalTrustBundlePolicy",
        "apiVersion",
        "arbiter",
        "baseDomain",
        "bootstrapInPlace",
        "capabilities",
        "compute",
        "controlPlane",
        "cpuPartitioningMode",
        "credentialsMode",
        "featureGates",
        "featureSet",
        "fips",
        "imageContentSources",
        "imageDigestSources",
        "kind",
        "metadata",
        "networking",
        "operatorPublishingStrategy",
        "osImageStream",
        "pki",
        "platform",
        "proxy",
        "publish",
        "pullSecret",
        "sshKey",
    }
)
_REQUIRED = ("apiVersion", "metadata", "baseDomain", "platform", "pullSecret")
_CHOICES = {
    "additionalTrustBundlePolicy": ("Proxyonly", "Always"),
    "cpuPartitioningMode": ("None", "AllNodes"),
    "publish": ("External", "Internal", "Mixed"),
    "credentialsMode": ("Mint", "Passthrough", "Manual"),
}
_INTERNAL = ("aws", "azure", "gcp", "ibmcloud", "powervs")
_WITHOUT_CREDENTIALS_MODE = ("baremetal", "none", "vsphere")
_WITHOUT_DOTS = ("azure", "baremetal", "gcp", "nutanix", "openstack", "powervc", "vsphere")
_EXTERNAL_FIELDS = ("cloudControllerManager", "platformName")
_EXTERNAL_MANAGERS = ("", "External")
_PROXY = re.compile(r"https?://([^/@\s]*@)?[^/@:\s]+(:[0-9]+)?(/\S*)?")
_POOLS = ("worker", "edge")
_LABEL = "[a-z0-9]([-a-z0-9]{0,61}[a-z0-9])?"
_DOMAIN = rf"{_LABEL}(\.{_LABEL})*"
_KEY = re.compile(r"#|(.*\s)?(ssh|ecdsa|sk)-[-a-z0-9@.]+ +\S+")
"""A line of authorized_keys, options included, or a comment."""


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


def has_external_cloud_controller_manager(data: Mapping[str, Any]) -> bool:
    """Whether platform external declares a cloud controller manager. The default is none."""
    manager: object = nested(data, "platform", "external", "cloudControllerManager")
    return manager == "External"


def has_hosts(data: Mapping[str, Any]) -> bool:
    """Whether platform baremetal lists its hosts."""
    return bool(nested(data, "platform", "baremetal", "hosts"))


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
) -> None:
    """Check all fields of an install-config except ``capabilities``.

    ``source`` is the file or option that contains it. ``complete``: the installer will read it, so required fields
    must be present. ``platforms``: those of the install method. No message contains a secret.
    """
    if complete:
        for field in _REQUIRED:
            if data.get(field) in (None, ""):
                problems.error(
                    "missing-field", f"{source}: {field}", "is missing, but the installer requires it", "Add it"
                )
    for field in data:
        if field not in _FIELDS:
            hint = did_you_mean(field, _FIELDS) if nearest_name(field, _FIELDS) else "Remove it"
            problems.warning("unknown-field", f"{source}: {field}", "is not a field of an install-config", hint)
    checks: Mapping[str, _Check] = {**_CHECKS, "platform": partial(_platform, platforms)}
    for field, check in checks.items():
        if data.get(field) not in (None, ""):
            check(data, f"{source}: {field}", problems)
    for field, choices in _CHOICES.items():
        value = data.get(field)
        if value not in (None, "", *choices):
            message = f"is {shown(value)}, expected {', '.join(choices)}"
            problems.error("invalid-choice", f"{source}: {field}", message, did_you_mean(value, choices))
    _check_combinations(data, source, problems)
    if complete and platform_of(data) == "powervs" and not data.get("sshKey"):
        problems.error("missing-field", f"{source}: sshKey", "is missing, but platform powervs requires it", "Add it")


def _api_version(data: Mapping[str, Any], where: str, problems: Problems) -> None:
    version = data["apiVersion"]
    if version in ("v1beta3", "v1beta4"):
        message = f"is {version}, which the installer converts to v1"
        problems.warning("deprecated-value", where, message, "Write v1")
    elif version != "v1":
        problems.error("invalid-choice", where, f"is {shown(version)}, expected v1", "Write v1")


def _metadata(data: Mapping[str, Any], where: str, problems: Problems) -> None:
    name = nested(data, "metadata", "name")
    if not isinstance(name, str) or not re.fullmatch(_DOMAIN, name):
        message = f"is {shown(name)}, expected the name of the cluster"
    elif "." in name and platform_of(data) in _WITHOUT_DOTS:
        message = f"is {shown(name)}, expected a name without dots on platform {platform_of(data)}"
    else:
        return
    problems.error("invalid-cluster-name", f"{where}.name", message, "Use lower case letters, digits and - only")


def _base_domain(data: Mapping[str, Any], where: str, problems: Problems) -> None:
    domain = data["baseDomain"]
    if not isinstance(domain, str) or not re.fullmatch(_DOMAIN, domain.removesuffix(".")):
        message = f"is {shown(domain)}, expected a DNS domain"
        problems.error("invalid-domain", where, message, "Write it in lower case, such as example.com")


def _platform(platforms: Sequence[str], data: Mapping[str, Any], where: str, problems: Problems) -> None:
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
            hint = did_you_mean(name, platforms)
            problems.error("unknown-platform", f"{where}.{name}", "is not a platform", hint)
        elif not isinstance(platform[name], Mapping):
            message = f"is {type_name(platform[name])}, expected a map; the installer ignores the platform"
            problems.error("not-a-map", f"{where}.{name}", message, f"Write {name}: {{}} or the settings below it")
        elif name == "external":
            _external(platform[name], f"{where}.{name}", problems)


def _external(settings: Mapping[str, Any], where: str, problems: Problems) -> None:
    """The installer reads a misspelled value as "no cloud controller manager" (pkg/types/external)."""
    for field in settings:
        if field not in _EXTERNAL_FIELDS:
            hint = did_you_mean(field, _EXTERNAL_FIELDS)
            problems.warning("unknown-field", f"{where}.{field}", "is not a field of platform external", hint)
    manager = settings.get("cloudControllerManager")
    if manager not in (None, *_EXTERNAL_MANAGERS):
        message = f"is {shown(manager)}, expected External, or nothing"
        hint = did_you_mean(manager, ("External",))
        problems.error("invalid-choice", f"{where}.cloudControllerManager", message, hint)


def _pull_secret(data: Mapping[str, Any], where: str, problems: Problems) -> None:
    secret = data["pullSecret"]
    hint = "Paste the pull secret as it was downloaded, in single quotes"
    if not isinstance(secret, str):
        problems.error("not-a-string", where, f"is {type_name(secret)}, expected JSON in a string", hint)
        return
    try:
        value = json.loads(secret)
    except (ValueError, RecursionError):
        problems.error("invalid-pull-secret", where, "is not JSON", hint)
        return
    auths = value.get("auths") if isinstance(value, Mapping) else None
    if not isinstance(auths, Mapping) or not auths:
        message = "has no auths, expected the credentials of at least one registry"
        problems.error("invalid-pull-secret", where, message, hint)
        return
    for registry, entry in auths.items():
        if not isinstance(entry, Mapping) or not {"auth", "credsStore"}.intersection(entry):
            message = f"has neither auth nor credsStore for {registry}"
            hint = "Log in to that registry, and copy the entry from the file that the login writes"
            problems.error("invalid-pull-secret", where, message, hint)


def _ssh_key(data: Mapping[str, Any], where: str, problems: Problems) -> None:
    key = data["sshKey"]
    if isinstance(key, str) and "PRIVATE KEY" in key:
        message, hint = "is a private key", "Write the public key, the content of the file that ends in .pub"
    elif not isinstance(key, str) or not all(_KEY.match(line) for line in key.splitlines() if line.strip()):
        message, hint = "is not a public key in OpenSSH format", "Write the content of the file that ends in .pub"
    else:
        return
    problems.error("invalid-ssh-key", where, message, hint)


def _networking(data: Mapping[str, Any], where: str, problems: Problems) -> None:
    check_networking(data["networking"], platform_of(data), where, problems)


def _control_plane(data: Mapping[str, Any], where: str, problems: Problems) -> None:
    name = nested(data, "controlPlane", "name")
    if name not in (None, "", "master"):
        problems.error("invalid-choice", f"{where}.name", f"is {shown(name)}, expected master", "Write master")
    replicas = nested(data, "controlPlane", "replicas")
    if replicas is not None and (isinstance(replicas, bool) or not isinstance(replicas, int) or replicas < 1):
        message = f"is {shown(replicas)}, expected 1 or more"
        problems.error("invalid-replicas", f"{where}.replicas", message, "Write 1, 3, 4 or 5")


def _compute(data: Mapping[str, Any], where: str, problems: Problems) -> None:
    pools = data["compute"]
    if not isinstance(pools, list):
        message = f"is {type_name(pools)}, expected a list of pools"
        problems.error("not-a-list", where, message, "Write - name: worker")
        return
    names = [pool.get("name") if isinstance(pool, Mapping) else None for pool in pools]
    for index, name in enumerate(names):
        if name not in _POOLS:
            message = f"is {shown(name)}, expected {' or '.join(_POOLS)}"
            problems.error("invalid-choice", f"{where}[{index}].name", message, "Write worker")
        elif name in names[:index]:
            message = f"{name} is the name of an earlier pool, expected one pool of each name"
            problems.error("duplicate-name", f"{where}[{index}].name", message, "Keep one of the two pools")


def _bootstrap_in_place(data: Mapping[str, Any], where: str, problems: Problems) -> None:
    if not nested(data, "bootstrapInPlace", "installationDisk"):
        hint = "Name the disk, such as /dev/disk/by-id/..."
        problems.error("missing-field", f"{where}.installationDisk", "is missing", hint)
    if nested(data, "controlPlane", "replicas") != 1:
        hint = "Write it, or remove bootstrapInPlace"
        problems.error("conflicting-fields", where, "requires controlPlane.replicas: 1", hint)
    if platform_of(data) == "baremetal":
        message = "is not supported on platform baremetal"
        problems.error("unsupported-platform", where, message, "Write platform none: {}")


def _proxy(data: Mapping[str, Any], where: str, problems: Problems) -> None:
    if not nested(data, "proxy", "httpProxy") and not nested(data, "proxy", "httpsProxy"):
        message = "has neither httpProxy nor httpsProxy"
        problems.error("missing-field", where, message, "Set one of them, or remove proxy")
    for field in ("httpProxy", "httpsProxy"):
        url = nested(data, "proxy", field)
        if url and (not isinstance(url, str) or not _PROXY.fullmatch(url)):
            hint = "Write http://HOST:PORT, and percent-encode special characters of a password (%40 for @)"
            problems.error("invalid-url", f"{where}.{field}", "is not the URL of a proxy", hint)


def _trust_bundle(data: Mapping[str, Any], where: str, problems: Problems) -> None:
    bundle = data["additionalTrustBundle"]
    if not isinstance(bundle, str) or "-----BEGIN CERTIFICATE-----" not in bundle:
        message = "contains no certificate in PEM format"
        problems.error("invalid-certificate", where, message, "Paste the certificates, BEGIN lines included")


def _feature_set(data: Mapping[str, Any], where: str, problems: Problems) -> None:
    check_string(where, data["featureSet"], problems)


def _feature_gates(data: Mapping[str, Any], where: str, problems: Problems) -> None:
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
            problems.error("invalid-feature-gate", f"{where}[{index}]", message, "Write NAME=true or NAME=false")


def _is_gate(gate: object) -> bool:
    return isinstance(gate, str) and re.fullmatch(r"[^=\s]+=(true|false)", gate, re.IGNORECASE) is not None


def _content_sources(data: Mapping[str, Any], where: str, problems: Problems) -> None:
    if data.get("imageDigestSources"):
        message = "cannot be combined with imageDigestSources"
        problems.error("conflicting-fields", where, message, "Move its entries to imageDigestSources")
    else:
        problems.warning("deprecated-field", where, "is deprecated", "Write imageDigestSources")


def _digest_sources(data: Mapping[str, Any], where: str, problems: Problems) -> None:
    sources = data["imageDigestSources"]
    if not isinstance(sources, list):
        message = f"is {type_name(sources)}, expected a list"
        problems.error("not-a-list", where, message, "Write - source: ... and mirrors")
        return
    for index, entry in enumerate(sources):
        if not isinstance(entry, Mapping) or not entry.get("source"):
            hint = "Name the repository that is mirrored"
            problems.error("missing-field", f"{where}[{index}].source", "is missing", hint)


def _check_combinations(data: Mapping[str, Any], source: str, problems: Problems) -> None:
    platform = platform_of(data)
    publish, strategy = f"{source}: publish", f"{source}: operatorPublishingStrategy"
    if data.get("publish") == "Internal" and platform is not None and platform not in _INTERNAL:
        message = f"Internal is not supported on platform {platform}, expected one of {', '.join(_INTERNAL)}"
        problems.error("unsupported-platform", publish, message, "Remove it")
    mixed = data.get("publish") == "Mixed"
    if mixed and platform not in (None, "azure"):
        message = "Mixed is supported on platform azure only"
        problems.error("unsupported-platform", publish, message, "Write External or Internal")
    elif mixed and not data.get("operatorPublishingStrategy"):
        message = "is missing, but publish: Mixed requires it"
        problems.error("missing-field", strategy, message, "Write apiserver and ingress below it")
    elif data.get("operatorPublishingStrategy") and not mixed:
        problems.error("conflicting-fields", strategy, "requires publish: Mixed", "Remove it")
    if data.get("credentialsMode") and platform in _WITHOUT_CREDENTIALS_MODE:
        message = f"cannot be set on platform {platform}"
        problems.error("unsupported-platform", f"{source}: credentialsMode", message, "Remove it")


_Check = Callable[[Mapping[str, Any], str, Problems], None]
_CHECKS: Mapping[str, _Check] = {
    "apiVersion": _api_version,
    "metadata": _metadata,
    "baseDomain": _base_domain,
    "platform": partial(_platform, PLATFORMS),
    "pullSecret": _pull_secret,
    "sshKey": _ssh_key,
    "networking": _networking,
    "controlPlane": _control_plane,
    "compute": _compute,
    "bootstrapInPlace": _bootstrap_in_place,
    "proxy": _proxy,
    "additionalTrustBundle": _trust_bundle,
    "featureGates": _feature_gates,
    "featureSet": _feature_set,
    "imageContentSources": _content_sources,
    "imageDigestSources": _digest_sources,
}
