# Copyright: Contributors to the capability.openshift collection
# SPDX-License-Identifier: GPL-3.0-or-later

# Note that this module util is **PRIVATE** to the collection. It can have breaking changes at any time.

"""An install-config: what it says of the cluster, and what the installer refuses of it beside its selection.

Sources, where nothing else is said: openshift/installer:pkg/types/installconfig.go and
pkg/types/validation/installconfig.go.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from typing import Any

from .._data.platforms import PLATFORMS
from .._problems import Problem, did_you_mean, shown, string_problems, type_name
from .._unstructured import nested
from .network import network_problems

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
"""A line of authorized_keys, with its options, or a comment."""


def platform_of(data: Mapping[str, Any]) -> str | None:
    """Return the one platform that an install-config names, ``None`` where it names none or several."""
    platform = data.get("platform")
    if not isinstance(platform, Mapping) or len(platform) != 1:
        return None
    name = next(iter(platform))
    return name if name in PLATFORMS else None


def default_method(data: Mapping[str, Any]) -> str:
    """Return how a cluster is installed where nobody said it: by the installer, wherever that can be."""
    platform = platform_of(data)
    by_user = platform is None or platform in _PROVISIONED_BY_USER or "bootstrapInPlace" in data
    return "upi" if by_user else "ipi"


def has_external_cloud_controller_manager(data: Mapping[str, Any]) -> bool:
    """Tell whether platform external announces a cloud controller manager; it has none unless it says so."""
    manager: object = nested(data, "platform", "external", "cloudControllerManager")
    return manager == "External"


def has_hosts(data: Mapping[str, Any]) -> bool:
    """Tell whether platform baremetal lists its hosts."""
    return bool(nested(data, "platform", "baremetal", "hosts"))


def feature_set_of(data: Mapping[str, Any]) -> str:
    """Return the feature set, the default one where what is said is none."""
    name = data.get("featureSet")
    return name if isinstance(name, str) else ""


def feature_gates_of(data: Mapping[str, Any]) -> list[str] | None:
    """Return the gates as ``NAME=bool``, ``None`` where the release and its feature set decide."""
    gates = data.get("featureGates")
    if data.get("featureSet") != "CustomNoUpgrade" or not isinstance(gates, list):
        return None
    return [gate for gate in gates if _is_gate(gate)]


def install_config_problems(data: Mapping[str, Any], place: str, *, complete: bool) -> Iterator[Problem]:
    """Yield what is wrong with an install-config; the capabilities block is checked elsewhere.

    ``complete``: the installer is going to read it, so that what it requires has to be there. No message ever holds a
    secret.
    """
    if complete:
        for field in _REQUIRED:
            if data.get(field) in (None, ""):
                yield Problem("error", "todo", f"{place}: {field}", "is missing, the installer requires it", "Add it")
    for field in data:
        if field not in _FIELDS:
            hint = did_you_mean(field, _FIELDS)
            hint = hint if hint.startswith(("Did", "Write")) else "Take it out"
            yield Problem("warning", "todo", f"{place}: {field}", "is not a field of an install-config", hint)
    for field, check in _CHECKS.items():
        if data.get(field) not in (None, ""):
            yield from check(data, f"{place}: {field}")
    for field, choices in _CHOICES.items():
        value = data.get(field)
        if value not in (None, "", *choices):
            message = f"is {shown(value)}, expected {', '.join(choices)}"
            yield Problem("error", "todo", f"{place}: {field}", message, did_you_mean(value, choices))
    yield from _combinations(data, place)
    if complete and platform_of(data) == "powervs" and not data.get("sshKey"):
        yield Problem("error", "todo", f"{place}: sshKey", "is missing, platform powervs requires it", "Add it")


def _api_version(data: Mapping[str, Any], where: str) -> Iterator[Problem]:
    version = data["apiVersion"]
    if version in ("v1beta3", "v1beta4"):
        yield Problem("warning", "todo", where, f"is {version}, which the installer converts", "Write v1")
    elif version != "v1":
        yield Problem("error", "todo", where, f"is {shown(version)}, expected v1", "Write v1")


def _metadata(data: Mapping[str, Any], where: str) -> Iterator[Problem]:
    name = nested(data, "metadata", "name")
    if not isinstance(name, str) or not re.fullmatch(_DOMAIN, name):
        message = f"is {shown(name)}, expected the name of the cluster"
        yield Problem("error", "todo", f"{where}.name", message, "Write lower case letters, digits and -")
    elif "." in name and platform_of(data) in _WITHOUT_DOTS:
        message = f"is {shown(name)}, and a name on platform {platform_of(data)} has no dot"
        yield Problem("error", "todo", f"{where}.name", message, "Write lower case letters, digits and -")


def _base_domain(data: Mapping[str, Any], where: str) -> Iterator[Problem]:
    domain = data["baseDomain"]
    if not isinstance(domain, str) or not re.fullmatch(_DOMAIN, domain.removesuffix(".")):
        message = f"is {shown(domain)}, expected a DNS domain"
        yield Problem("error", "todo", where, message, "Write it in lower case, such as example.com")


def _platform(data: Mapping[str, Any], where: str) -> Iterator[Problem]:
    platform = data["platform"]
    if not isinstance(platform, Mapping):
        found = f"is {shown(platform)}" if isinstance(platform, str) else f"is {type_name(platform)}"
        yield Problem("error", "todo", where, f"{found}, expected a map with one key", "Write none: {} or so below it")
        return
    names = [str(name) for name in platform]
    if not names:
        yield Problem("error", "todo", where, "names no platform", f"Name one of {', '.join(PLATFORMS)}")
    if len(names) > 1:
        yield Problem("error", "todo", where, f"names {len(names)} platforms: {', '.join(names)}", "Keep one of them")
    for name in names:
        if name not in PLATFORMS:
            yield Problem("error", "todo", f"{where}.{name}", "is not a platform", did_you_mean(name, PLATFORMS))
        elif not isinstance(platform[name], Mapping):
            message = f"is {type_name(platform[name])}, which the installer takes for no platform at all"
            yield Problem("error", "todo", f"{where}.{name}", message, f"Write {name}: {{}} or the settings below it")
        elif name == "external":
            yield from _external(platform[name], f"{where}.{name}")


def _external(settings: Mapping[str, Any], where: str) -> Iterator[Problem]:
    """A word that is not quite right would say that there is no cloud controller manager (pkg/types/external)."""
    for field in settings:
        if field not in _EXTERNAL_FIELDS:
            hint = did_you_mean(field, _EXTERNAL_FIELDS)
            yield Problem("warning", "todo", f"{where}.{field}", "is not a field of platform external", hint)
    manager = settings.get("cloudControllerManager")
    if manager not in (None, *_EXTERNAL_MANAGERS):
        hint = did_you_mean(manager, ("External",))
        message = f"is {shown(manager)}, expected External, or nothing"
        yield Problem("error", "todo", f"{where}.cloudControllerManager", message, hint)


def _pull_secret(data: Mapping[str, Any], where: str) -> Iterator[Problem]:
    secret = data["pullSecret"]
    hint = "Paste the pull secret as it was downloaded, in single quotes"
    if not isinstance(secret, str):
        message = f"is {type_name(secret)}, expected JSON in a string"
        yield Problem("error", "todo", where, message, hint)
        return
    try:
        found = json.loads(secret)
    except (ValueError, RecursionError):
        yield Problem("error", "todo", where, "is not JSON", hint)
        return
    auths = found.get("auths") if isinstance(found, Mapping) else None
    if not isinstance(auths, Mapping) or not auths:
        yield Problem("error", "todo", where, "has no auths, so there is no registry that it is for", hint)
        return
    for registry, entry in auths.items():
        if not isinstance(entry, Mapping) or not {"auth", "credsStore"}.intersection(entry):
            message = f"has neither auth nor credsStore for {registry}"
            yield Problem("error", "todo", where, message, "Log in to that registry and take the entry from there")


def _ssh_key(data: Mapping[str, Any], where: str) -> Iterator[Problem]:
    key = data["sshKey"]
    if isinstance(key, str) and "PRIVATE KEY" in key:
        yield Problem("error", "todo", where, "is a private key", "Give the public one, the file that ends in .pub")
    elif not isinstance(key, str) or not all(_KEY.match(line) for line in key.splitlines() if line.strip()):
        message = "is not a public key as OpenSSH writes it"
        yield Problem("error", "todo", where, message, "Give the line of the file that ends in .pub")


def _networking(data: Mapping[str, Any], where: str) -> Iterator[Problem]:
    yield from network_problems(data["networking"], platform_of(data), where)


def _control_plane(data: Mapping[str, Any], where: str) -> Iterator[Problem]:
    name = nested(data, "controlPlane", "name")
    if name not in (None, "", "master"):
        yield Problem("error", "todo", f"{where}.name", f"is {shown(name)}, expected master", "Write master")
    replicas = nested(data, "controlPlane", "replicas")
    if replicas is not None and (isinstance(replicas, bool) or not isinstance(replicas, int) or replicas < 1):
        yield Problem(
            "error", "todo", f"{where}.replicas", f"is {shown(replicas)}, expected 1 or more", "Write 1, 3, 4 or 5"
        )


def _compute(data: Mapping[str, Any], where: str) -> Iterator[Problem]:
    pools = data["compute"]
    if not isinstance(pools, list):
        yield Problem(
            "error", "todo", where, f"is {type_name(pools)}, expected a list of pools", "Write - name: worker"
        )
        return
    names = [pool.get("name") if isinstance(pool, Mapping) else None for pool in pools]
    for index, name in enumerate(names):
        if name not in _POOLS:
            message = f"is {shown(name)}, expected {' or '.join(_POOLS)}"
            yield Problem("error", "todo", f"{where}[{index}].name", message, "Write worker")
        elif name in names[:index]:
            yield Problem(
                "error", "todo", f"{where}[{index}].name", f"{name} is there already", "Keep one of the two pools"
            )


def _bootstrap_in_place(data: Mapping[str, Any], where: str) -> Iterator[Problem]:
    if not nested(data, "bootstrapInPlace", "installationDisk"):
        yield Problem(
            "error", "todo", f"{where}.installationDisk", "is missing", "Name the disk, such as /dev/disk/by-id/..."
        )
    if nested(data, "controlPlane", "replicas") != 1:
        yield Problem(
            "error", "todo", where, "needs controlPlane.replicas: 1", "Write it, or take bootstrapInPlace out"
        )
    if platform_of(data) == "baremetal":
        message = "is not supported on platform baremetal"
        yield Problem("error", "todo", where, message, "Write platform none: {}")


def _proxy(data: Mapping[str, Any], where: str) -> Iterator[Problem]:
    if not nested(data, "proxy", "httpProxy") and not nested(data, "proxy", "httpsProxy"):
        yield Problem("error", "todo", where, "has neither httpProxy nor httpsProxy", "Give one, or take proxy out")
    for field in ("httpProxy", "httpsProxy"):
        url = nested(data, "proxy", field)
        if url and (not isinstance(url, str) or not _PROXY.fullmatch(url)):
            hint = "Write http://HOST:PORT, and special characters of a password as %40 and so on"
            yield Problem("error", "todo", f"{where}.{field}", "is not the URL of a proxy", hint)


def _trust_bundle(data: Mapping[str, Any], where: str) -> Iterator[Problem]:
    bundle = data["additionalTrustBundle"]
    if not isinstance(bundle, str) or "-----BEGIN CERTIFICATE-----" not in bundle:
        yield Problem(
            "error", "todo", where, "holds no certificate in PEM form", "Paste the certificates, each with its BEGIN"
        )


def _feature_set(data: Mapping[str, Any], where: str) -> Iterator[Problem]:
    yield from string_problems(where, data["featureSet"])


def _feature_gates(data: Mapping[str, Any], where: str) -> Iterator[Problem]:
    if data.get("featureSet") != "CustomNoUpgrade":
        message = "can only be used with featureSet: CustomNoUpgrade"
        yield Problem("error", "todo", where, message, "Write that, or take featureGates out")
    gates = data["featureGates"]
    if not isinstance(gates, list):
        yield Problem(
            "error", "todo", where, f"is {type_name(gates)}, expected a list", "Write - NAME=true, one per line"
        )
        return
    for index, gate in enumerate(gates):
        if not _is_gate(gate):
            yield Problem(
                "error",
                "todo",
                f"{where}[{index}]",
                f"is {shown(gate)}, expected NAME=bool",
                "Write NAME=true or false",
            )


def _is_gate(gate: object) -> bool:
    return isinstance(gate, str) and re.fullmatch(r"[^=\s]+=(true|false)", gate, re.IGNORECASE) is not None


def _content_sources(data: Mapping[str, Any], where: str) -> Iterator[Problem]:
    if data.get("imageDigestSources"):
        message = "is given beside imageDigestSources"
        yield Problem("error", "todo", where, message, "Move its entries there")
    else:
        yield Problem("warning", "todo", where, "is deprecated", "Write imageDigestSources")


def _digest_sources(data: Mapping[str, Any], where: str) -> Iterator[Problem]:
    sources = data["imageDigestSources"]
    if not isinstance(sources, list):
        yield Problem(
            "error", "todo", where, f"is {type_name(sources)}, expected a list", "Write - source: ... and mirrors"
        )
        return
    for index, entry in enumerate(sources):
        if not isinstance(entry, Mapping) or not entry.get("source"):
            yield Problem(
                "error", "todo", f"{where}[{index}].source", "is missing", "Name the repository that is mirrored"
            )


def _combinations(data: Mapping[str, Any], place: str) -> Iterator[Problem]:
    platform = platform_of(data)
    if data.get("publish") == "Internal" and platform is not None and platform not in _INTERNAL:
        message = f"Internal is not for platform {platform}"
        yield Problem("error", "todo", f"{place}: publish", message, f"Take it out; it is for {', '.join(_INTERNAL)}")
    mixed, strategy = data.get("publish") == "Mixed", f"{place}: operatorPublishingStrategy"
    if mixed and platform not in (None, "azure"):
        yield Problem(
            "error", "todo", f"{place}: publish", "Mixed is for platform azure alone", "Write External or Internal"
        )
    elif mixed and not data.get("operatorPublishingStrategy"):
        yield Problem(
            "error", "todo", strategy, "is missing beside publish: Mixed", "Write apiserver and ingress below it"
        )
    elif data.get("operatorPublishingStrategy") and not mixed:
        yield Problem("error", "todo", strategy, "is for publish: Mixed alone", "Take it out")
    if data.get("credentialsMode") and platform in _WITHOUT_CREDENTIALS_MODE:
        message = f"cannot be set on platform {platform}"
        yield Problem("error", "todo", f"{place}: credentialsMode", message, "Take it out")


_CHECKS = {
    "apiVersion": _api_version,
    "metadata": _metadata,
    "baseDomain": _base_domain,
    "platform": _platform,
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
