# Copyright: Contributors to the capability.openshift collection
# SPDX-License-Identifier: GPL-3.0-or-later

# Note that this module util is **PRIVATE** to the collection. It can have breaking changes at any time.

"""The one client of API servers: kubernetes.core's authentication, fixed paths, one pool, retries where they help.

Importing kubernetes costs 0.3 s, so that it is done in ``connect`` only.
"""

from __future__ import annotations

import json
import os
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import TYPE_CHECKING, Any, NamedTuple, TypeVar
from urllib.parse import quote, urlencode

from ._answer import api_error, connection_error, one_line
from ._argspec import looks_like_path, show_kubeconfig
from ._domain.errors import ApiError, ClusterError, Problem, raise_errors, type_name
from ._domain.served_kind import ServedKind
from ._retries import retries

if TYPE_CHECKING:
    import urllib3

FIELD_MANAGER = "capability.openshift"
CONNECT_SECONDS = 10.0
READ_SECONDS = 60.0
PARALLELISM = 8
_PAGE = 500
_METADATA_ONLY = "application/json;as=PartialObjectMetadataList;g=meta.k8s.io;v=v1,application/json"

Asked = TypeVar("Asked")
Answered = TypeVar("Answered")


class Target(NamedTuple):
    """What a request is about: a kind, one object of it (all of them without a name), or a sub-resource of it."""

    kind: ServedKind
    name: str = ""
    namespace: str = ""
    subresource: str = ""

    def __str__(self) -> str:
        return self.kind.shown(self.name, self.namespace, self.subresource)

    @property
    def path(self) -> str:
        """Where the API server has it."""
        return self.kind.path(self.name, self.namespace, self.subresource)


class Snapshot(NamedTuple):
    """The objects of a kind by name, as they were at ``resource_version``."""

    objects: Mapping[str, Mapping[str, Any]]
    resource_version: str


class Client:
    """Requests to one API server. Each of them can be sent twice, so each is retried.

    All methods raise ``ApiError`` for an answer that is no success, and ``ClusterError`` where there is no answer.
    Threads may share a client.
    """

    def __init__(
        self,
        host: str,
        pool: urllib3.PoolManager,
        headers: Iterable[tuple[str, str]],
        token: Callable[[], str | None],
    ) -> None:
        self.host = re.sub(r"//[^/@]*@", "//", host)
        self._url = host
        self._pool = pool
        self._headers = tuple(headers)
        self._token = token

    def get(self, target: Target) -> dict[str, Any]:
        """Return one object."""
        return self._object("get", "GET", target)

    def document(self, path: str, accept: str = "application/json") -> dict[str, Any]:
        """Return what the server has at a path that is no object's, such as its discovery documents."""
        response = self._send("get", "GET", path, path, accept=accept)
        return self._parsed(response, "get", path)

    def list(self, target: Target, *, metadata_only: bool = False) -> Iterator[dict[str, Any]]:
        """Yield all objects of a kind, page by page; with ``metadata_only`` without their spec and status."""
        for page in self._pages(target, _METADATA_ONLY if metadata_only else "application/json"):
            yield from page["items"]

    def snapshot(self, target: Target) -> Snapshot:
        """Return the objects of a kind, only the named one where ``target`` has a name, as a watch can go on from."""
        found: dict[str, dict[str, Any]] = {}
        version = ""
        for page in self._pages(target, "application/json"):
            version = version or page.get("metadata", {}).get("resourceVersion") or ""
            found.update({item["metadata"]["name"]: item for item in page["items"]})
        return Snapshot(found, version)

    def merge(self, target: Target, body: Mapping[str, Any], *, dry_run: bool = False) -> dict[str, Any]:
        """Merge ``body`` into an object and return it (RFC 7386: maps are merged, lists replaced).

        ``body`` has to hold ``metadata.resourceVersion``, so that it can be sent twice and undoes nobody's work.
        """
        query = {"fieldManager": FIELD_MANAGER}
        return self._write("patch", "PATCH", target, body, "application/merge-patch+json", query, dry_run)

    def apply(
        self, target: Target, body: Mapping[str, Any], *, force: bool = False, dry_run: bool = False
    ) -> dict[str, Any]:
        """Apply ``body`` on the server's side as the collection's field manager, and return the object."""
        query = {"fieldManager": FIELD_MANAGER, "force": "true" if force else "false"}
        return self._write("patch", "PATCH", target, body, "application/apply-patch+yaml", query, dry_run)

    def delete(self, target: Target, *, uid: str = "", dry_run: bool = False) -> None:
        """Delete one object, that of ``uid`` if it is given; one that is not there is deleted already."""
        body = {
            "kind": "DeleteOptions",
            "apiVersion": "v1",
            **({"preconditions": {"uid": uid}} if uid else {}),
            # Beside a body the API server does not look for it in the query.
            **({"dryRun": ["All"]} if dry_run else {}),
        }
        try:
            self._write("delete", "DELETE", target, body, "application/json", {}, dry_run)
        except ApiError as error:
            if error.code != 404:
                raise

    def watch(self, target: Target, resource_version: str, seconds: float) -> Iterator[dict[str, Any]]:
        """Yield what happens to a kind after ``resource_version``: dicts with ``type`` and ``object``.

        With a name only what happens to that object. A ``BOOKMARK`` tells a later version and nothing else, an
        ``ERROR`` that a new snapshot is needed. Ends after ``seconds``, or earlier where the server wants so; raises
        ``ClusterError`` where the connection breaks.
        """
        query = {
            **_selector(target),
            "watch": "true",
            "allowWatchBookmarks": "true",
            "resourceVersion": resource_version,
            "timeoutSeconds": str(max(1, round(seconds))),
        }
        path = target._replace(name="").path
        response = self._send("watch", "GET", path, str(target), query=query, read_seconds=seconds + 5)
        try:
            yield from _events(response)
        except Exception as error:  # whatever a connection can break with
            raise connection_error(error, "watch", str(target), self.host) from None
        finally:
            response.close()
            response.release_conn()

    def each(self, work: Callable[[Asked], Answered], items: Sequence[Asked]) -> Iterable[Answered]:
        """Do ``work`` for all ``items``, some at a time, and return the answers in their order."""
        with ThreadPoolExecutor(max_workers=PARALLELISM) as executor:
            return list(executor.map(work, items))

    def close(self) -> None:
        """Let go of all connections."""
        self._pool.clear()

    def _pages(self, target: Target, accept: str) -> Iterator[dict[str, Any]]:
        more = ""
        everything = target._replace(name="")
        while True:
            query = {**_selector(target), "limit": str(_PAGE), **({"continue": more} if more else {})}
            page = self._object("list", "GET", everything, query=query, accept=accept)
            items = page["items"] = page.get("items") or []
            if not isinstance(items, list) or not all(_has_name(item) for item in items):
                raise self._no_api("list", str(target))
            yield page
            more = page.get("metadata", {}).get("continue") or ""
            if not more:
                return

    def _no_api(self, verb: str, shown: str) -> ClusterError:
        message = f"cannot {verb} {shown}: the answer is not that of an API server, so {self.host} is none"
        return ClusterError([Problem("error", "host", message, "Give the address of the cluster's API")])

    def _object(self, verb: str, method: str, target: Target, **options: Any) -> dict[str, Any]:
        response = self._send(verb, method, target.path, str(target), **options)
        return self._parsed(response, verb, str(target))

    def _write(
        self,
        verb: str,
        method: str,
        target: Target,
        body: Mapping[str, Any],
        content_type: str,
        query: Mapping[str, str],
        dry_run: bool,
    ) -> dict[str, Any]:
        asked = {**query, **({"dryRun": "All"} if dry_run else {})}
        return self._object(verb, method, target, query=asked, body=body, content_type=content_type)

    def _send(
        self,
        verb: str,
        method: str,
        path: str,
        shown: str,
        *,
        query: Mapping[str, str] | None = None,
        body: Mapping[str, Any] | None = None,
        content_type: str = "",
        accept: str = "application/json",
        read_seconds: float = READ_SECONDS,
    ) -> urllib3.BaseHTTPResponse:
        import urllib3
        from urllib3._collections import HTTPHeaderDict  # public from urllib3 2 on only

        headers = HTTPHeaderDict(self._headers)
        headers["Accept"] = accept
        if content_type:
            headers["Content-Type"] = content_type
        try:
            token = self._token()
        except Exception as error:  # a program or a provider that makes tokens can fail in any way
            message = f"cannot {verb} {shown}: no token for {self.host}: {one_line(error)}"
            raise ClusterError([Problem("error", "", message, "Log in again, and give the new kubeconfig")]) from None
        if token:
            headers["Authorization"] = token
        try:
            sending: dict[str, Any] = {
                "body": None if body is None else json.dumps(body),
                "redirect": False,
                "timeout": urllib3.Timeout(connect=CONNECT_SECONDS, read=read_seconds),
                "retries": retries(CONNECT_SECONDS),
                "preload_content": verb != "watch",
            }
            url = f"{self._url}{quote(path)}" + (f"?{urlencode(query)}" if query else "")
            # Not request(): with a body, urllib3 1.26 makes one header of several with the same name there.
            response = self._pool.request_encode_url(method, url, headers=headers, **sending)
        except Exception as error:  # whatever TLS, a proxy or the network can break with
            raise connection_error(error, verb, shown, self.host) from None
        if response.status >= 300:
            repeated = response.retries is not None and bool(response.retries.history)
            raise api_error(response.status, response.data, verb, shown, repeated=repeated)
        return response

    def _parsed(self, response: urllib3.BaseHTTPResponse, verb: str, shown: str) -> dict[str, Any]:
        try:
            found = json.loads(response.data)
        except (ValueError, RecursionError):
            found = None
        if not isinstance(found, dict):
            raise self._no_api(verb, shown)
        return found


def connect(module: Any) -> Client:
    """Return a client for the cluster that the options of ``module`` name, as kubernetes.core would find it.

    Nothing is sent yet. Raises ``ClusterError``.
    """
    try:
        import kubernetes
    except ImportError as error:
        mend = "Install it where the task runs: pip install kubernetes"
        message = f"the Python library kubernetes is missing ({error})"
        raise ClusterError([Problem("error", "", message, mend)]) from None
    try:
        from ansible_collections.kubernetes.core.plugins.module_utils.k8s import client as core
    except ImportError:
        mend = "Install it: ansible-galaxy collection install kubernetes.core"
        raise ClusterError([Problem("error", "", "the collection kubernetes.core is missing", mend)]) from None
    show_kubeconfig(module)
    try:
        # Not get_api_client: it asks the server for all that it serves.
        auth = core._create_auth_spec(module)
        raise_errors(_no_kubeconfig(auth.get("kubeconfig")), ClusterError)
        configuration = core._create_configuration(auth)
        headers = core._create_headers(module)
        configuration.connection_pool_maxsize = PARALLELISM
        api = kubernetes.client.ApiClient(configuration)
    except ClusterError:
        raise
    except (AttributeError, IndexError, KeyError, TypeError):
        message = "what is given or found as kubeconfig is none"
        mend = "Look into the file. Give kubeconfig and context, or host with api_key"
        raise ClusterError([Problem("error", "kubeconfig", message, mend)]) from None
    except Exception as error:  # a kubeconfig can be wrong in any other way
        message = f"the options do not lead to a cluster: {one_line(error).rstrip('.')}"
        mend = "Give kubeconfig and context, or host with api_key"
        raise ClusterError([Problem("error", "kubeconfig", message, mend)]) from None

    raise_errors(_unusable(configuration), ClusterError)

    def token() -> str | None:
        settings = configuration.auth_settings().get("BearerToken")
        # A token that was read from a file has the line break at its end.
        return settings["value"].strip() if settings and settings["value"] else None

    pairs = [("User-Agent", FIELD_MANAGER)]
    for name, value in headers.items():
        pairs += [(name, item) for item in (value if isinstance(value, list) else [value])]
    return Client(configuration.host, api.rest_client.pool_manager, pairs, token)


def _no_kubeconfig(given: Any) -> Iterator[Problem]:
    """Yield what is wrong with a kubeconfig before anybody reads it; the library does not name files.

    Of several files those that are not there are passed over, as kubectl does.
    """
    mend = "Give the path of a kubeconfig, or its content as a dict"
    if isinstance(given, str):
        paths = [path for path in given.split(os.pathsep) if path.strip()]
        if not any(os.path.exists(os.path.expanduser(path)) for path in paths):
            shown = " and ".join(paths) if paths and all(map(looks_like_path, paths)) else "what is given"
            yield Problem("error", "kubeconfig", f"{shown} is not there", mend)
    elif given is not None and not isinstance(given, Mapping):
        yield Problem("error", "kubeconfig", f"is {type_name(given)}, expected a path or a map", mend)


def _unusable(configuration: Any) -> Iterator[Problem]:
    """Yield a problem for what a connection could not be made with; TLS would not say which file it misses."""
    if not configuration.host:
        message = "names a cluster without a server"
        yield Problem("error", "kubeconfig", message, "Give it an address, or the option host")
    files = {
        "ca_cert": configuration.ssl_ca_cert,
        "client_cert": configuration.cert_file,
        "client_key": configuration.key_file,
    }
    for option, path in files.items():
        if path and not (os.path.isfile(path) and os.access(path, os.R_OK)):
            mend = "Give its path, here or in the kubeconfig"
            yield Problem("error", option, f"{path} is no file that can be read", mend)


def _selector(target: Target) -> dict[str, str]:
    return {"fieldSelector": f"metadata.name={target.name}"} if target.name else {}


def _has_name(value: Any) -> bool:
    metadata = value.get("metadata") if isinstance(value, dict) else None
    return isinstance(metadata, dict) and isinstance(metadata.get("name"), str)


def _events(response: urllib3.BaseHTTPResponse) -> Iterator[dict[str, Any]]:
    """Yield what a watch sends, one JSON object per line. Raises ``ValueError`` for what is no event."""
    rest = b""
    for chunk in response.stream(amt=None, decode_content=True):
        *lines, rest = (rest + chunk).split(b"\n")
        for line in filter(None, lines):
            event = json.loads(line)
            kind = event.get("type") if isinstance(event, dict) else None
            if kind != "ERROR" and not isinstance(event.get("object"), dict):
                raise ValueError("a watch sent what is no event")
            yield event
