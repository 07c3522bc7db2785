# Copyright: Contributors to the capability.openshift collection
# SPDX-License-Identifier: GPL-3.0-or-later

"""Reads what a context of a kubeconfig selects, and what the connection options replace in it.

What is wrong is reported here, before a library is imported.
Source of the rules: kubernetes-client/python:kubernetes/base/config/kube_config.py KubeConfigLoader, KubeConfigMerger,
ansible-collections/kubernetes.core:plugins/module_utils/k8s/client.py _create_configuration. Where kubectl would use
another cluster or user, its rules apply: kubernetes/client-go:tools/clientcmd/loader.go Load, client_config.go
getUserIdentificationPartialConfig, merged_client_builder.go ClientConfig; transport/token_source.go.
"""

from __future__ import annotations

import base64
import os
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, NamedTuple, TypeAlias
from urllib.parse import quote

from .._problems import Problems, did_you_mean, type_name
from .._yaml.values import YamlError
from .auth_options import has_credentials, looks_like_path

_OWN_FIELDS = frozenset(
    {
        "client-certificate",
        "client-certificate-data",
        "client-key",
        "client-key-data",
        "token",
        "tokenFile",
        "extensions",
        "as",
        "as-uid",
        "as-groups",
        "as-user-extra",
    }
)
_PATHS = ("certificate-authority", "client-certificate", "client-key", "tokenFile")
_SERVICE_ACCOUNT = "/var/run/secrets/kubernetes.io/serviceaccount"
"""Where each pod has the credentials of its service account (kubernetes/kubernetes:pkg/serviceaccount)."""

_HINT = "Set kubeconfig to the path of a kubeconfig, or to its content as a dict, or set host with api_key"

Pem: TypeAlias = "str | bytes"
"""The path of a PEM file, or its content."""


class KubeconfigPart(NamedTuple):
    """A part of a kubeconfig, such as a cluster. Paths in it are relative to ``directory``."""

    fields: Mapping[str, Any]
    directory: str = ""

    def content(self) -> dict[str, Any]:
        """The same with absolute paths. The name of a program without a slash is no path."""
        fields = {name: self.absolute(value) if name in _PATHS else value for name, value in self.fields.items()}
        program = fields.get("exec")
        if isinstance(program, Mapping) and "/" in str(program.get("command")):
            fields["exec"] = {**program, "command": self.absolute(program["command"])}
        return fields

    def absolute(self, path: Any) -> Any:
        """A path in this part; other values are returned as they are."""
        return os.path.join(self.directory, path) if path and isinstance(path, str) else path


class KubeconfigEntry(NamedTuple):
    """The cluster and the user that the context of this name selects."""

    context: str = ""
    cluster: KubeconfigPart = KubeconfigPart({})
    user: KubeconfigPart = KubeconfigPart({})

    @property
    def needs_library(self) -> bool:
        """Whether the user has other credentials than a token or a certificate, such as those of a program."""
        return not self.user.fields.keys() <= _OWN_FIELDS

    def content(self) -> dict[str, Any]:
        """A kubeconfig with this entry alone. The library would look for all files next to the one of the cluster."""
        parts: dict[str, Mapping[str, Any]] = {
            "context": {"cluster": self.context, "user": self.context},
            "cluster": self.cluster.content(),
            "user": self.user.content(),
        }
        return {f"{kind}s": [{"name": self.context, kind: part}] for kind, part in parts.items()}


class ConnectionConfig(NamedTuple):
    """How to connect to the API server ``server``.

    ``authority``, ``certificate`` and ``key`` are ``None`` if there is none, and the texts are empty. The ``token``
    applies while the file has none. ``server_name`` is the name in the certificate of the server, if it is not that of
    ``server``.
    ``impersonation``: the headers that name the user to impersonate.
    """

    server: str
    is_verified: bool
    authority: Pem | None
    certificate: Pem | None
    key: Pem | None
    token: str
    token_file: str
    server_name: str
    proxy: str
    impersonation: tuple[tuple[str, str], ...] = ()


def read_entry(kubeconfig: object, context: str | None, problems: Problems) -> KubeconfigEntry:
    """Return what ``context``, by default the current context, selects. After an error, it is empty.

    ``kubeconfig`` has paths separated by colons, of which missing ones are ignored, or the content. Of several entries
    with a name, and of several current contexts, the first one counts.
    """
    if isinstance(kubeconfig, str):
        files = list(_read_files(kubeconfig, problems))
    elif isinstance(kubeconfig, Mapping):
        files = [KubeconfigPart(kubeconfig)]
    else:
        files = []
        _invalid(f"is {type_name(kubeconfig)}, expected a path or a map", problems)
    contexts, clusters, users = (_sections(files, kind, problems) for kind in ("context", "cluster", "user"))
    current = [name for file in files if (name := _string(file, "current-context", problems))]
    if problems.has_errors:
        return KubeconfigEntry()
    if not contexts:
        _invalid("has no contexts", problems)
    elif not context and not current:
        _invalid("has no current-context", problems, "Set the option context")
    elif (name := context or current[0]) not in contexts:
        message = f"{name} is not a context of the kubeconfig"
        problems.error("invalid-kubeconfig", "context", message, did_you_mean(name, contexts))
    else:
        fields = contexts[name].fields
        return KubeconfigEntry(
            name,
            _selected(fields, "cluster", clusters, problems),
            # Without a user, other connection options have the credentials.
            _selected(fields, "user", users, problems) if fields.get("user") else KubeconfigPart({}),
        )
    return KubeconfigEntry()


def pod_entry(environment: Mapping[str, str]) -> KubeconfigEntry | None:
    """Return the API server and the service account of the pod in which this runs, ``None`` outside of a pod."""
    host, port = environment.get("KUBERNETES_SERVICE_HOST"), environment.get("KUBERNETES_SERVICE_PORT")
    if not host or not port or not os.path.isfile(f"{_SERVICE_ACCOUNT}/token"):
        return None
    server = f"https://[{host}]:{port}" if ":" in host else f"https://{host}:{port}"
    cluster = {"server": server, "certificate-authority": f"{_SERVICE_ACCOUNT}/ca.crt"}
    return KubeconfigEntry("", KubeconfigPart(cluster), KubeconfigPart({"tokenFile": f"{_SERVICE_ACCOUNT}/token"}))


def connection_config(
    options: Mapping[str, Any], entry: KubeconfigEntry, problems: Problems
) -> ConnectionConfig | None:
    """Return how to connect with what ``entry`` has and ``options`` replace, ``None`` after an error.

    Credentials in ``options`` replace all of the user.
    """
    cluster, user = entry.cluster, KubeconfigPart({}) if has_credentials(options) else entry.user
    server = options.get("host") or _string(cluster, "server", problems)
    if not server and not cluster.fields.get("server"):
        _invalid("names a cluster without a server", problems, "Add its address, or set the option host")
    is_unverified = cluster.fields.get("insecure-skip-tls-verify") or False
    if not isinstance(is_unverified, bool):
        message = f"insecure-skip-tls-verify is {type_name(is_unverified)}, expected true or false"
        _invalid(message, problems, "Remove the quotes")
    is_verified = options.get("validate_certs")
    # A token from a file ends with a line break.
    token = (options.get("api_key") or _string(user, "token", problems)).strip()
    config = ConnectionConfig(
        server.rstrip("/"),
        not is_unverified if is_verified is None else is_verified,
        options.get("ca_cert") or _pem(cluster, "certificate-authority", problems),
        options.get("client_cert") or _pem(user, "client-certificate", problems),
        options.get("client_key") or _pem(user, "client-key", problems),
        token,
        _path(user, "tokenFile", problems),
        _string(cluster, "tls-server-name", problems),
        options.get("proxy") or _string(cluster, "proxy-url", problems),
        _impersonation(options, user, problems),
    )
    return None if problems.has_errors else config


def _impersonation(options: Mapping[str, Any], user: KubeconfigPart, problems: Problems) -> tuple[tuple[str, str], ...]:
    """The headers of the options, or else of the user in the kubeconfig.

    Source: kubernetes/client-go:transport/round_trippers.go impersonatingRoundTripper.
    """
    name, groups = options.get("impersonate_user"), options.get("impersonate_groups") or []
    uid, extra = "", dict[Any, Any]()
    if groups and not name:
        message = "is missing, but impersonate_groups is set, and the API server needs a user"
        problems.error("missing-option", "impersonate_user", message, "Set the user to impersonate")
    elif not name:
        name, uid = _string(user, "as", problems), _string(user, "as-uid", problems)
        groups, extra = user.fields.get("as-groups") or [], user.fields.get("as-user-extra") or {}
        is_valid = isinstance(groups, list) and isinstance(extra, Mapping)
        if not is_valid or not all(isinstance(values, list) for values in extra.values()):
            _invalid(
                "the user has as-groups or as-user-extra of a wrong type, expected a list, and a map of lists", problems
            )
            return ()
        if not name and (uid or groups or extra):
            message = "the user has as-uid, as-groups or as-user-extra, but not as"
            _invalid(message, problems, "Add the name of the user to impersonate")
    headers = [("Impersonate-User", name), ("Impersonate-Uid", uid)]
    headers += [("Impersonate-Group", str(group)) for group in groups]
    headers += [
        (f"Impersonate-Extra-{quote(str(key), safe='')}", str(value))
        for key, values in extra.items()
        for value in values
    ]
    return tuple((header, value) for header, value in headers if value)


def _invalid(message: str, problems: Problems, hint: str = _HINT) -> None:
    problems.error("invalid-kubeconfig", "kubeconfig", message, hint)


def _read_files(paths: str, problems: Problems) -> Iterator[KubeconfigPart]:
    named = [path for path in paths.split(os.pathsep) if path.strip()]
    existing = [path for path in map(os.path.expanduser, named) if os.path.exists(path)]
    if not existing:
        # The text can be the content of a kubeconfig, with secrets.
        shown = " and ".join(named) if named and all(map(looks_like_path, named)) else "the given path"
        problems.error("missing-file", "kubeconfig", f"no file exists at {shown}", _HINT)
    for path in existing:
        fields = _load(path, problems)
        if fields is not None:
            yield KubeconfigPart(fields, os.path.dirname(os.path.abspath(path)))


def _load(path: str, problems: Problems) -> Mapping[str, Any] | None:
    from .._yaml.libyaml import load_documents

    try:
        with open(path, "rb") as file:
            documents = load_documents(file.read())
    except OSError as error:
        problems.error("unreadable-file", "kubeconfig", f"{path} cannot be read: {error.strerror}", _HINT)
        return None
    except YamlError as error:  # its text can contain a secret
        _invalid(f"{path} is not valid YAML" + (f" (line {error.line})" if error.line else ""), problems)
        return None
    if not documents:
        return {}
    if len(documents) != 1 or not isinstance(documents[0], dict):
        _invalid(f"{path} is not a map with contexts, clusters and users", problems)
        return None
    return documents[0]


def _sections(files: Sequence[KubeconfigPart], kind: str, problems: Problems) -> dict[str, KubeconfigPart]:
    """All entries of a kind, such as ``context``, by name."""
    found: dict[str, KubeconfigPart] = {}
    for file in files:
        entries = file.fields.get(f"{kind}s") or ()
        for entry in entries if isinstance(entries, list) else [entries] if entries else ():
            name, fields = (entry.get("name"), entry.get(kind) or {}) if isinstance(entry, Mapping) else (None, None)
            if isinstance(name, str) and isinstance(fields, Mapping):
                found.setdefault(name, KubeconfigPart(fields, file.directory))
            else:
                _invalid(f"{kind}s is not a list of maps with name and {kind}", problems)
    return found


def _selected(
    context: Mapping[str, Any], kind: str, sections: Mapping[str, KubeconfigPart], problems: Problems
) -> KubeconfigPart:
    name = context.get(kind)
    if isinstance(name, str) and name in sections:
        return sections[name]
    message = f"the context names the {kind} {name}, which is not in the kubeconfig"
    _invalid(message, problems, did_you_mean(name, sections))
    return KubeconfigPart({})


def _string(section: KubeconfigPart, field: str, problems: Problems) -> str:
    """A field, empty if there is none."""
    value = section.fields.get(field) or ""
    if isinstance(value, str):
        return value
    _invalid(f"{field} is {type_name(value)}, expected a string", problems, "Quote it")
    return ""


def _path(section: KubeconfigPart, field: str, problems: Problems) -> str:
    return str(section.absolute(_string(section, field, problems)))


def _pem(section: KubeconfigPart, field: str, problems: Problems) -> Pem | None:
    data, path = _string(section, f"{field}-data", problems), _path(section, field, problems)
    if not data:
        return path or None
    try:
        pem = base64.b64decode(data)
    except ValueError:
        pem = b""
    if not pem:
        _invalid(f"{field}-data is not base64", problems, "Create the file again")
    return pem
