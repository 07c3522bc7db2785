# Copyright: Contributors to the capability.openshift collection
# SPDX-License-Identifier: GPL-3.0-or-later

"""Reads the configuration of a cluster, and injects it into the body of a manifest and texts in it, as the CVO does.

CA bundles are not injected here: operators write them, and rollouts and comparisons leave them alone.
Source: openshift/cluster-version-operator:lib/resourcebuilder/apps.go, podspec.go, core.go.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Mapping, Sequence
from types import MappingProxyType
from typing import Any, NamedTuple
from urllib.parse import unquote

from .._data.tls_profiles import tls_injection
from .._data.version import Minor
from .._kubernetes.api_errors import ApiError
from .._kubernetes.client import Client
from .._kubernetes.rest_mapper import RestMapper
from .._problems import ClusterError, Location, Problem, Problems, raise_errors, shown, type_name
from .._release.manifest import Manifest
from .._resources import API_SERVERS, CVO, INFRASTRUCTURES, PROXIES, ApiResource, Object, Target, mappings_in, nested
from .._yaml.values import YamlError
from .injected_config import (
    INJECT_PROXY,
    INJECT_TLS,
    InjectedConfig,
    TlsSettings,
    config_kinds,
    is_cvo_deployment,
    requests_proxy,
    requests_tls,
    tls_settings,
)

_NONE_UNREAD: Mapping[ApiResource, tuple[Problem, ...]] = MappingProxyType({})
_HOST, _PORT = "KUBERNETES_SERVICE_HOST", "KUBERNETES_SERVICE_PORT"
_DEFAULT_PORT = "443"
_URL = re.compile(r"(?:[A-Za-z][A-Za-z0-9+.-]*:|(?![^/]*:))(?://(?P<authority>[^/?#]*))?[ -~]*")
_ADDRESS = re.compile(r"(?P<host>\[[0-9A-Za-z:._-]*(?:%25[0-9A-Za-z._~-]+)?\]|[0-9A-Za-z._~-]*)(?::(?P<port>[0-9]*))?")
_CVO_CONTAINER = CVO[1]
_KINDS = (
    ("operator.openshift.io/v1alpha1", "GenericOperatorConfig"),
    ("config.openshift.io/v1", "GenericControllerConfig"),
)
_SERVING_INFO = "servingInfo"
_ABSENT: Mapping[str, Any] = {}
_ESCAPED = re.compile("[\x7f-\x9f\u2028\u2029\ufeff\ufffe\uffff]")
"""Characters that JSON allows in strings, and YAML does not, or treats as line breaks."""


class ConfigReading(NamedTuple):
    """The configuration for the manifests of a release. ``unread``: kinds that could not be read, and why."""

    config: InjectedConfig = InjectedConfig()
    unread: Mapping[ApiResource, tuple[Problem, ...]] = _NONE_UNREAD
    minor: Minor | None = None

    def reasons(self, manifest: Manifest) -> tuple[Problem, ...]:
        """Why the configuration that ``manifest`` requests could not be read; empty if it is known."""
        return tuple(item for kind in config_kinds(manifest, self.minor) for item in self.unread.get(kind, ()))

    def check(self, manifests: Iterable[Manifest]) -> None:
        """Raise ``ClusterError`` if one of ``manifests`` needs what could not be read."""
        raise_errors(Problems(item for one in manifests for item in self.reasons(one)).unique(), ClusterError)


def read_config(client: Client, kinds: RestMapper, manifests: Iterable[Manifest], minor: Minor | None) -> ConfigReading:
    """Read what ``manifests`` of a release of ``minor`` request. A missing object is empty, as for the CVO.

    Raises ``ClusterError`` if the server does not answer.
    """
    requested = {kind for manifest in manifests for kind in config_kinds(manifest, minor)}
    objects: dict[ApiResource, Object] = {}
    unread: dict[ApiResource, tuple[Problem, ...]] = {}
    for kind in sorted(requested):
        if kinds.find(kind.group, kind.kind) is None:
            continue
        try:
            objects[kind] = client.find_once(Target(kind, "cluster")) or {}
        except ApiError as error:
            unread[kind] = error.problems
    injection = tls_injection(minor) if API_SERVERS in requested else None
    config = InjectedConfig(
        nested(objects.get(PROXIES), "status") or {},
        str(nested(objects.get(INFRASTRUCTURES), "status", "apiServerInternalURI") or ""),
        injection and tls_settings(nested(objects.get(API_SERVERS), "spec", "tlsSecurityProfile"), injection),
    )
    return ConfigReading(config, unread, minor)


def inject(manifest: Manifest, body: Mapping[str, Any], config: InjectedConfig, problems: Problems) -> None:
    """Inject ``config`` into ``body``, the parsed manifest, which is changed.

    The object must not be applied if an error is reported.
    """
    if requests_proxy(manifest) and config.proxy_variables:
        names = (manifest.annotations or {})[INJECT_PROXY].split(",")
        where = manifest.location.child(f"metadata.annotations[{INJECT_PROXY}]")
        _set_variables(manifest, body, names, config.proxy_variables, where, problems)
    if is_cvo_deployment(manifest) and config.api_server_url:
        _inject_api_server(manifest, body, config.api_server_url, problems)
    if requests_tls(manifest) and config.tls is not None:
        _inject_tls(manifest, body, config, problems)


def with_live_formatting(manifest: Manifest, desired: Mapping[str, Any], live: Mapping[str, Any]) -> Mapping[str, Any]:
    """Copy ``desired`` with the texts of ``live`` that differ only in formatting.

    The CVO formats the texts into which it injects TLS settings in its own way.
    """
    texts, live_texts = desired.get("data"), live.get("data")
    if not requests_tls(manifest) or not isinstance(texts, Mapping) or not isinstance(live_texts, Mapping):
        return desired
    same = {key: live_texts[key] for key, text in texts.items() if is_same_config(text, live_texts.get(key))}
    return {**desired, "data": {**texts, **same}}


def _inject_api_server(manifest: Manifest, body: Mapping[str, Any], url: str, problems: Problems) -> None:
    """Set the address of the internal load balancer, so the CVO does not depend on the API server of its node."""
    address = _host_and_port(url)
    where = manifest.location.child("spec.template.spec.containers")
    if address is None:
        message = f"status.apiServerInternalURI is {shown(url)}, expected a URL"
        problems.error("invalid-url", INFRASTRUCTURES.shown("cluster"), message, "Write a URL")
    elif address[0]:
        variables = {_PORT: address[1] or _DEFAULT_PORT, _HOST: address[0]}
        _set_variables(manifest, body, [_CVO_CONTAINER], variables, where, problems)


def _host_and_port(url: str) -> tuple[str, str] | None:
    """Split the host of a URL, ``None`` if it is invalid. The port is empty if there is none.

    An IPv6 address loses its brackets only if there is a port, as in Go's ``net.SplitHostPort``. ``urlsplit`` accepts
    and corrects URLs that Go's ``url.Parse`` rejects.
    """
    parts = _URL.fullmatch(url)
    address = parts and _ADDRESS.fullmatch((parts["authority"] or "").rpartition("@")[2])
    if not address:
        return None
    host, port = unquote(address["host"]), address["port"]
    return (host, "") if port is None else (host.removeprefix("[").removesuffix("]"), port)


def _set_variables(
    manifest: Manifest,
    body: Mapping[str, Any],
    names: Sequence[str],
    variables: Mapping[str, str],
    where: Location,
    problems: Problems,
) -> None:
    """Set environment variables in the containers ``names``. Existing ones keep their position."""
    pod = nested(body, "spec", "template", "spec")
    containers = [
        item
        for field in ("containers", "initContainers")
        for item in mappings_in(nested(pod, field))
        if isinstance(item, dict)
    ]
    for name in names:
        named = [item for item in containers if item.get("name") == name]
        if not named:
            existing = ", ".join(str(item.get("name")) for item in containers) or "none"
            message = f"names container {shown(name)}, expected one of the pod template: {existing}"
            problems.error("unknown-container", where, message, "Name a container of the pod template")
        for container in named:
            env = container.get("env") or []
            if not isinstance(env, list):
                field = manifest.location.child("spec.template.spec.containers.env")
                problems.error("not-a-list", field, f"is {type_name(env)}, expected a list", "Write a list")
                continue
            container["env"] = _merged(env, variables)


def _merged(env: Sequence[Any], variables: Mapping[str, str]) -> list[Any]:
    """Copy ``env`` with ``variables``: in place of those with the same names, and new ones at the end."""
    by_name = {name: {"name": name, "value": value} for name, value in variables.items()}
    names = [name if isinstance(name := nested(item, "name"), str) else None for item in env]
    merged = [by_name.get(name, item) if name else item for name, item in zip(names, env, strict=True)]
    return merged + [variable for name, variable in by_name.items() if name not in names]


def _inject_tls(manifest: Manifest, body: Mapping[str, Any], config: InjectedConfig, problems: Problems) -> None:
    """Set the TLS settings in the configuration files of a ConfigMap."""
    data = body.get("data")
    if not isinstance(data, dict) or config.tls is None:
        return
    for key, text in data.items():
        try:
            data[key] = with_tls_settings(text, config.tls)
        except TypeError as error:
            where = manifest.location.child(f"data[{key}].servingInfo")
            hint = f"Write a map, or remove the annotation {INJECT_TLS}"
            problems.error("not-a-map", where, f"is {error}, expected a map", hint)


def with_tls_settings(text: Any, settings: TlsSettings) -> Any:
    """Return the text of a configuration file with ``settings``; any other value unchanged.

    The CVO leaves ``servingInfo: null`` as it is. Raises ``TypeError`` with the type of another ``servingInfo``.
    """
    config = _config(text)
    if config is None or (config.get("apiVersion"), config.get("kind")) not in _KINDS:
        return text
    serving = config.get(_SERVING_INFO, _ABSENT)
    if serving is None:
        return text
    if not isinstance(serving, Mapping):
        raise TypeError(type_name(serving))
    fields: dict[str, Any] = {
        "cipherSuites": list(settings.cipher_suites),
        "minTLSVersion": settings.min_tls_version,
    }
    if all(serving.get(name) == value for name, value in fields.items()):
        return text
    expected = {**config, _SERVING_INFO: {**serving, **fields}}
    edited = _edited(text, fields)
    return edited if _config(edited) == expected else _json(expected)


def is_same_config(one: object, other: object) -> bool:
    """Whether two texts contain the same configuration."""
    config = _config(one)
    return one == other or (config is not None and config == _config(other))


def _config(text: object) -> dict[str, Any] | None:
    """Parse a configuration file, ``None`` if it is not a YAML map."""
    from .._yaml.libyaml import load_body

    try:
        value = load_body(text.encode()) if isinstance(text, str) else None
    except (YamlError, UnicodeEncodeError):
        return None
    return value if isinstance(value, dict) else None


def _json(config: Mapping[str, Any]) -> str:
    """Format a configuration as JSON, which is YAML, for styles that the edit does not support."""
    text = json.dumps(config, indent=2, ensure_ascii=False) + "\n"
    return _ESCAPED.sub(lambda match: f"\\u{ord(match[0]):04x}", text)


def _edited(text: str, fields: Mapping[str, Any]) -> str:
    """Edit a document in block style. The result can be wrong for others."""
    from .._yaml.nodes import column_of, line_end, line_start, own_pair, parse_tree

    try:
        root = parse_tree(text).root
    except YamlError:
        return text
    if root is None or root.style:
        return text
    serving = own_pair(root, _SERVING_INFO)
    if serving is None:
        end = line_end(text, root.end)
        return _joined(text[:end], f"{_SERVING_INFO}:\n{_lines(fields, 2)}", text[end:])
    if serving.value.style:
        return text
    indent = column_of(text, serving.value.pairs[0].key.start) if serving.value.pairs else 2
    end = line_end(text, serving.end)
    pairs = [pair for pair in serving.value.pairs if pair.key.value in fields]
    for pair in sorted(pairs, key=lambda pair: pair.key.start, reverse=True):
        start, stop = line_start(text, pair.key.start), line_end(text, pair.end)
        text, end = text[:start] + text[stop:], end - (stop - start)
    return _joined(text[:end], _lines(fields, indent), text[end:])


def _joined(before: str, lines: str, after: str) -> str:
    return before + ("" if before.endswith("\n") else "\n") + lines + after


def _lines(fields: Mapping[str, Any], indent: int) -> str:
    """Format strings and lists of strings as a block."""
    lines = []
    for name, value in fields.items():
        if isinstance(value, list) and value:
            lines += [f"{name}:", *(f"- {item}" for item in value)]
        else:
            lines.append(f"{name}: {json.dumps(value)}" if not value else f"{name}: {value}")
    return "".join(f"{' ' * indent}{line}\n" for line in lines)
