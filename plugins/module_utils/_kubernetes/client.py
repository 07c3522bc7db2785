# Copyright: Contributors to the capability.openshift collection
# SPDX-License-Identifier: GPL-3.0-or-later

"""A client of an API server: fixed paths, one connection pool, retries."""

from __future__ import annotations

import json
import math
import random
import re
import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime, timedelta
from email.utils import parsedate_to_datetime
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, NamedTuple, TypeVar
from urllib.parse import quote, urlencode

from .._problems import ClusterError, Problem
from .._resources import ApiResource, Target, nested
from .api_errors import ApiError, api_error, connection_error, one_line
from .retries import OutageTimer, RequestLimit, delay_after_answer, delay_after_error, timeout_until

if TYPE_CHECKING:
    import urllib3
    from urllib3._collections import HTTPHeaderDict

FIELD_MANAGER = "capability.openshift"
READ_SECONDS = 60.0
PARALLELISM = 8
_PAGE = 500
_PAUSE = 1.0
"""Seconds before a request is sent again that was rejected as too many, as in the ``Retry-After`` of the API server."""

_MOST_REJECTIONS = 90
_VERSION_OF_NO_OBJECT = "1"
"""A resource version that no object has, because it is that of an empty etcd. The API server compares the version of a
request only with that of an existing object (kubernetes/apiserver:pkg/registry/generic/registry/store.go Update)."""

_ACCESS_REVIEWS = Target(
    ApiResource("authorization.k8s.io", "v1", "selfsubjectaccessreviews", "SelfSubjectAccessReview")
)
_ESCAPED_PAIR = re.compile(r"\\ud[89ab][0-9a-f]{2}\\ud[c-f][0-9a-f]{2}")
"""A character above U+FFFF in JSON that is ASCII."""

_JSON = "application/json"
_METADATA_ONLY = "application/json;as=PartialObjectMetadata;g=meta.k8s.io;v=v1,application/json"
_METADATA_LIST = "application/json;as=PartialObjectMetadataList;g=meta.k8s.io;v=v1,application/json"

_METHODS = {"create": "POST", "delete": "DELETE", "patch": "PATCH"}
"""HTTP methods of the verbs of the API that do not only read."""

Item = TypeVar("Item")
Result = TypeVar("Result")


class Snapshot(NamedTuple):
    """The objects of a kind by ``object_key``, at ``resource_version``."""

    objects: Mapping[str, Mapping[str, Any]]
    resource_version: str


class WriteResult(NamedTuple):
    """An object after a write. ``created``: it did not exist before."""

    created: bool
    object: dict[str, Any]


def object_key(obj: Mapping[str, Any]) -> str:
    """Return the key of an object among those of its kind: ``NAMESPACE/NAME``, or ``NAME`` without a namespace."""
    metadata = obj["metadata"]
    namespace = metadata.get("namespace")
    return f"{namespace}/{metadata['name']}" if namespace else str(metadata["name"])


class Client:
    """Requests to one API server. All are idempotent, so all are retried.

    All methods raise ``ApiError`` for an unsuccessful answer, and ``ClusterError`` if there is no answer. Threads may
    share a client. ``parallelism`` is the number of concurrent requests of ``each``.
    """

    def __init__(
        self,
        host: str,
        pool: urllib3.PoolManager,
        headers: Iterable[tuple[str, str]],
        token: Callable[[], str | None],
        parallelism: int = PARALLELISM,
    ) -> None:
        self.host = re.sub(r"//[^/@]*@", "//", host)
        proxy = getattr(pool, "proxy", None)
        self._peer = f"{self.host} through the proxy {proxy.scheme}://{proxy.netloc}" if proxy else self.host
        self._url = host
        self._pool = pool
        self._headers = tuple(headers)
        self._token = token
        self._parallelism = parallelism
        self._outage = OutageTimer()
        self._limit = RequestLimit()
        self._found: dict[Target, dict[str, Any] | None] = {}
        self._dated: tuple[datetime, float] | None = None

    def server_time(self) -> datetime | None:
        """The time of the server, from the ``Date`` of its last answer; ``None`` if no answer had one."""
        if self._dated is None:
            return None
        date, at = self._dated
        return date + timedelta(seconds=time.monotonic() - at)

    def get(self, target: Target, *, metadata_only: bool = False) -> dict[str, Any]:
        """Return one object. ``metadata_only`` omits its spec and status."""
        return self._object("get", target, accept=_METADATA_ONLY if metadata_only else _JSON).object

    def find(self, target: Target, *, metadata_only: bool = False) -> dict[str, Any] | None:
        """Return one object as ``get`` does, ``None`` if it does not exist."""
        try:
            return self.get(target, metadata_only=metadata_only)
        except ApiError as error:
            if not error.is_not_found:
                raise
            return None

    def find_once(self, target: Target) -> dict[str, Any] | None:
        """Return one object as ``find`` does. It is read once, even if several callers need it."""
        if target not in self._found:
            self._found[target] = self.find(target)
        return self._found[target]

    def find_permitted(self, target: Target) -> tuple[dict[str, Any] | None, Problem | None]:
        """Return one object as ``find_once`` does. If the user may not read it, ``None`` and the problem."""
        try:
            return self.find_once(target), None
        except ApiError as error:
            if not error.is_forbidden:
                raise
            return None, error.problems[0]

    def document(self, path: str, accept: str = _JSON) -> dict[str, Any]:
        """Return the document at a path that is not that of an object, such as a discovery document."""
        response = self._request("get", path, path, accept=accept)
        return self._parse(response, "get", path)

    def list(self, target: Target, *, metadata_only: bool = False) -> Iterator[dict[str, Any]]:
        """Yield all objects of a kind, page by page. ``metadata_only`` omits their spec and status."""
        for page in self._pages(target, _METADATA_LIST if metadata_only else _JSON):
            yield from page["items"]

    def snapshot(self, target: Target) -> Snapshot:
        """Return the objects of a kind, or the one that ``target`` names, at a version from which a watch can start."""
        objects: dict[str, dict[str, Any]] = {}
        version = ""
        for page in self._pages(target, _JSON):
            version = version or page.get("metadata", {}).get("resourceVersion") or ""
            objects.update({object_key(item): item for item in page["items"]})
        return Snapshot(objects, version)

    def merge(self, target: Target, body: Mapping[str, Any], *, dry_run: bool = False) -> dict[str, Any]:
        """Merge ``body`` into an object and return it (RFC 7386: maps are merged, lists replaced).

        ``body`` must contain ``metadata.resourceVersion``: then a retry is safe and no other write is overwritten.
        """
        return self._write("patch", target, body, "application/merge-patch+json", dry_run=dry_run).object

    def apply(
        self, target: Target, body: Mapping[str, Any], *, uid: str = "", force: bool = False, dry_run: bool = False
    ) -> WriteResult:
        """Apply ``body`` with server-side apply as the collection's field manager, and return the object.

        If ``uid`` is set, raises ``ApiError`` (``is_uid_mismatch``) if there is no object, or one with another uid.
        """
        if uid:
            body = _with_metadata(body, uid=uid)
        query = {"force": "true" if force else "false"}
        return self._write("patch", target, body, "application/apply-patch+yaml", query, dry_run=dry_run)

    def apply_new(self, target: Target, body: Mapping[str, Any], *, dry_run: bool = False) -> WriteResult:
        """Create an object with ``apply``. Raises ``ApiError`` (``is_concurrent_write``) if it exists.

        After a lost answer, the existing object can be the one that the first attempt created (``ApiError.repeated``).
        """
        body = _with_metadata(body, resourceVersion=_VERSION_OF_NO_OBJECT)
        # Not forced, the server would report conflicts of fields first, and not that the object exists.
        return self.apply(target, body, force=True, dry_run=dry_run)

    def create(self, target: Target, body: Mapping[str, Any], *, dry_run: bool = False) -> WriteResult:
        """Create the object of ``target``. Raises ``ApiError`` (409) if it exists.

        Unlike an apply, it leaves no fields to a second entry of ``metadata.managedFields`` if merges follow.
        """
        return self._write("create", target._replace(name=""), body, accept=_METADATA_ONLY, dry_run=dry_run)

    def check_access(self, verb: str, target: Target) -> None:
        """Raise ``ClusterError`` if no role allows a request. It is for requests that cannot be tried as a dry run."""
        kind = target.kind
        attributes = {"verb": verb, "group": kind.group, "resource": kind.plural, "subresource": target.subresource}
        attributes |= {"namespace": target.namespace, "name": target.name}
        body = {
            "apiVersion": _ACCESS_REVIEWS.kind.api_version,
            "kind": _ACCESS_REVIEWS.kind.kind,
            "spec": {"resourceAttributes": attributes},
        }
        answer = self._write("create", _ACCESS_REVIEWS, body, dry_run=False).object
        if nested(answer, "status", "allowed") is not True:
            message = f"cannot {verb} {target}: the user has no permission, as a SelfSubjectAccessReview shows"
            hint = f"Grant the user a role that allows {verb} on {target._replace(name='', namespace='')}"
            raise ClusterError([Problem("error", "forbidden-request", "", message, hint)])

    def delete(self, target: Target, *, uid: str = "", dry_run: bool = False) -> bool:
        """Delete one object, if ``uid`` is set only the one with this uid. Returns whether it existed."""
        body = {
            "kind": "DeleteOptions",
            "apiVersion": "v1",
            # As kubectl does. By default, the Pods of a Job would stay, and the Job until they are orphaned.
            "propagationPolicy": "Background",
            **({"preconditions": {"uid": uid}} if uid else {}),
            # With a body, the API server ignores dryRun in the query.
            **({"dryRun": ["All"]} if dry_run else {}),
        }
        try:
            self._write("delete", target, body, dry_run=dry_run)
        except ApiError as error:
            if not error.is_not_found:
                raise
            return error.repeated  # after a lost answer, the first attempt deleted it
        return True

    def watch(self, target: Target, resource_version: str, seconds: float) -> Iterator[dict[str, Any]]:
        """Yield the events of a kind after ``resource_version``: dicts with ``type`` and ``object``.

        If ``target`` has a name, only the events of that object. A ``BOOKMARK`` contains a later version only; an
        ``ERROR`` means that a new snapshot is needed. Ends after ``seconds``, or earlier if the server ends it. Raises
        ``ClusterError`` if the connection breaks.
        """
        query = {
            **_selector(target),
            "watch": "true",
            "allowWatchBookmarks": "true",
            "resourceVersion": resource_version,
            "timeoutSeconds": str(max(1, round(seconds))),
        }
        path = target._replace(name="").path
        response = self._send("watch", path, str(target), query=query, read_seconds=seconds + 5)
        try:
            yield from _events(response)
        except Exception as error:  # a connection can break with any exception
            since = self._outage.begin(time.monotonic())
            raise connection_error(error, "watch", str(target), self._peer, since) from None
        finally:
            response.close()
            response.release_conn()

    def each(self, work: Callable[[Item], Result], items: Sequence[Item]) -> Iterable[Result]:
        """Call ``work`` with all ``items``, at most ``parallelism`` at a time. Returns results in their order."""
        with ThreadPoolExecutor(max_workers=self._parallelism) as executor:
            return list(executor.map(work, items))

    def no_api_error(self, verb: str, shown: str) -> ClusterError:
        """Build the error for an answer that no API server sends."""
        message = f"cannot {verb} {shown}: {self.host} does not answer like an API server"
        return ClusterError(
            [Problem("error", "invalid-answer", "host", message, "Set host to the address of the cluster's API")]
        )

    def close(self) -> None:
        """Close all connections."""
        self._pool.clear()

    def _pages(self, target: Target, accept: str) -> Iterator[dict[str, Any]]:
        more = ""
        everything = target._replace(name="")
        while True:
            query = {**_selector(target), "limit": str(_PAGE), **({"continue": more} if more else {})}
            page = self._object("list", everything, query=query, accept=accept).object
            items = page["items"] = page.get("items") or []
            if not isinstance(items, list) or not all(_has_name(item) for item in items):
                raise self.no_api_error("list", str(target))
            yield page
            more = page.get("metadata", {}).get("continue") or ""
            if not more:
                return

    def _object(self, verb: str, target: Target, **options: Any) -> WriteResult:
        response = self._request(verb, target.path, str(target), **options)
        document = self._parse(response, verb, str(target))
        if not isinstance(document.get("metadata"), dict):
            raise self.no_api_error(verb, str(target))
        return WriteResult(response.status == 201, document)

    def _write(
        self,
        verb: str,
        target: Target,
        body: Mapping[str, Any],
        content_type: str = _JSON,
        query: Mapping[str, str] = MappingProxyType({}),
        *,
        accept: str = _JSON,
        dry_run: bool,
    ) -> WriteResult:
        query = {"fieldManager": FIELD_MANAGER, **query, **({"dryRun": "All"} if dry_run else {})}
        return self._object(verb, target, query=query, body=body, content_type=content_type, accept=accept)

    def _request(self, verb: str, path: str, shown: str, **options: Any) -> urllib3.BaseHTTPResponse:
        """Send a request. While the server rejects it as too many, send fewer at the same time, and send it again."""
        is_repeated = False
        for rejections in range(_MOST_REJECTIONS + 1):
            with self._limit.slot() as reductions:
                try:
                    response = self._send(verb, path, shown, **options)
                except ApiError as error:
                    # An earlier attempt may have succeeded although its answer was lost.
                    error.repeated = is_repeated = is_repeated or error.repeated
                    if not error.is_rejected_as_too_many or rejections == _MOST_REJECTIONS:
                        raise
                else:
                    self._limit.answered()
                    return response
            self._limit.lower(reductions)
            time.sleep(_PAUSE * random.uniform(1, 1.5))
        raise AssertionError("the last rejection is raised")

    def _send(
        self,
        verb: str,
        path: str,
        shown: str,
        *,
        query: Mapping[str, str] | None = None,
        body: Mapping[str, Any] | None = None,
        content_type: str = "",
        accept: str = _JSON,
        read_seconds: float = READ_SECONDS,
    ) -> urllib3.BaseHTTPResponse:
        headers = self._headers_of(verb, shown, accept, content_type)
        started = time.monotonic()
        # A watch has its own limit: it is silent until something changes.
        deadline = math.inf if verb == "watch" else self._outage.deadline(started)
        url = f"{self._url}{quote(path)}" + (f"?{urlencode(query)}" if query else "")
        options: dict[str, Any] = {"redirect": False, "retries": False, "preload_content": verb != "watch"}
        failures = 0
        while True:
            try:
                options["body"] = None if body is None else _encoded(body)
                options["timeout"] = timeout_until(deadline, read_seconds)
                # Not request(): with a body, urllib3 1.26 merges headers of the same name.
                response = self._pool.request_encode_url(_METHODS.get(verb, "GET"), url, headers=headers, **options)
            except Exception as error:  # TLS, a proxy and the network can raise any exception
                delay = delay_after_error(error, failures, deadline)
                if delay is None:
                    since = self._outage.begin(started)
                    raise connection_error(error, verb, shown, self._peer, since) from None
            else:
                if response.status < 300:
                    break
                answer = api_error(response.status, response.data, verb, shown, repeated=failures > 0)
                delay = delay_after_answer(answer, response.headers.get("Retry-After", ""), failures)
                if delay is None:
                    break
            failures += 1
            time.sleep(delay)
        self._outage.end()
        date = _date(response.headers.get("Date", ""))
        self._dated = self._dated if date is None else (date, time.monotonic())
        if response.status >= 300:
            raise answer
        return response

    def _headers_of(self, verb: str, shown: str, accept: str, content_type: str) -> HTTPHeaderDict:
        from urllib3._collections import HTTPHeaderDict  # public only since urllib3 2

        headers = HTTPHeaderDict(self._headers)
        headers["Accept"] = accept
        if content_type:
            headers["Content-Type"] = content_type
        try:
            token = self._token()
        except Exception as error:  # a program or a provider that creates tokens can fail in any way
            message = f"cannot {verb} {shown}: no token for {self.host}: {one_line(error)}"
            raise ClusterError(
                [Problem("error", "missing-token", "", message, "Log in again, and use the new kubeconfig")]
            ) from None
        if token:
            headers["Authorization"] = token
        return headers

    def _parse(self, response: urllib3.BaseHTTPResponse, verb: str, shown: str) -> dict[str, Any]:
        try:
            document = json.loads(response.data)
        except (ValueError, RecursionError):
            document = None
        if not isinstance(document, dict):
            raise self.no_api_error(verb, shown)
        return document


def _encoded(body: Mapping[str, Any]) -> bytes:
    """JSON that is YAML as well, because the server reads an applied object as YAML.

    There, the two halves of an escaped character are two wrong characters, and some unescaped ones are line breaks.
    """
    return _ESCAPED_PAIR.sub(lambda pair: str(json.loads(f'"{pair[0]}"')), json.dumps(body)).encode()


def _date(header: str) -> datetime | None:
    try:
        date = parsedate_to_datetime(header)
    except (TypeError, ValueError):
        return None
    return date if date.tzinfo else date.replace(tzinfo=UTC)


def _with_metadata(body: Mapping[str, Any], **fields: Any) -> dict[str, Any]:
    return {**body, "metadata": {**body["metadata"], **fields}}


def _selector(target: Target) -> dict[str, str]:
    return {
        **({"fieldSelector": f"metadata.name={target.name}"} if target.name else {}),
        **({"labelSelector": target.labels} if target.labels else {}),
    }


def _has_name(value: Any) -> bool:
    metadata = value.get("metadata") if isinstance(value, dict) else None
    return isinstance(metadata, dict) and isinstance(metadata.get("name"), str)


def _events(response: urllib3.BaseHTTPResponse) -> Iterator[dict[str, Any]]:
    """Yield the events of a watch, one JSON object per line. Raises ``ValueError`` if a line is not an event."""
    rest = b""
    for chunk in response.stream(amt=None, decode_content=True):
        *lines, rest = (rest + chunk).split(b"\n")
        for line in filter(None, lines):
            event = json.loads(line)
            kind = event.get("type") if isinstance(event, dict) else None
            if kind != "ERROR" and not isinstance(event.get("object"), dict):
                raise ValueError("a line of the watch is not an event")
            yield event
