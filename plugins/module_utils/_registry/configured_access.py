# Copyright: Contributors to the capability.openshift collection
# SPDX-License-Identifier: GPL-3.0-or-later

# Note that this module util is **PRIVATE** to the collection. It can have breaking changes at any time.

"""The way to registries that options and the environment describe: mirrors, TLS, proxies and credentials."""

from __future__ import annotations

import os
import ssl
import threading
import time
from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple, TypeVar
from urllib.parse import urlsplit

from .._problems import Problem, Problems
from .access import RegistryError
from .access_options import AccessOptions
from .credential_files import read_credentials
from .credentials import Credential, Credentials
from .mirror_files import read_mirrors
from .mirrors import RegistryRule, is_insecure, is_location, merge_rules, pull_sources
from .proxy import Proxy, find_proxy
from .pull_spec import PullSpec
from .registries_conf import read_registries_conf
from .token_server import Token, basic_header, is_allowed_realm, parse_challenges, parse_token, token_request

if TYPE_CHECKING:
    import urllib3

_Value = TypeVar("_Value")
_CONNECT_SECONDS, _READ_SECONDS = 15, 60
_RETRIES = 2
_MOST_TOKEN_BYTES = 1 << 20
_OK = 200
_EARLY_SECONDS = 10
"""How long before its end a token is not used any more."""


def configure_access(options: AccessOptions, environ: Mapping[str, str], problems: Problems) -> ConfiguredAccess:
    """Read the files that ``options`` and the environment name. Raises ``RegistryError`` with all errors.

    Adds warnings to ``problems``, such as a file of the user that cannot be read.
    """
    reported = Problems()
    rules = read_mirrors(options.mirrors, reported)
    conf = read_registries_conf(options.registries_conf, environ, reported)
    credentials = read_credentials(options.pull_secret, options.auth_file, environ, reported, helpers=conf.helpers)
    for index, registry in enumerate(options.insecure_registries):
        if not is_location(registry) or "/" in registry:
            message = f"is {registry!r}, expected HOST or HOST:PORT"
            reported.error("invalid-registry", f"insecure_registries[{index}]", message, "Write only host and port")
    verified = _ssl_context(options.ca_path, reported)
    reported.raise_errors(RegistryError)
    problems.extend(reported)
    insecure = tuple(
        RegistryRule(registry, "insecure_registries", insecure=True) for registry in options.insecure_registries
    )
    return ConfiguredAccess(merge_rules((*rules, *conf.rules)), insecure, credentials, verified, dict(environ))


def _ssl_context(ca_path: str | None, problems: Problems) -> ssl.SSLContext:
    """A context that trusts the authorities of the system and those in the file or directory ``ca_path``."""
    context = ssl.create_default_context()
    hint = "Set it to a file with certificates in PEM format"
    if ca_path:
        try:
            if os.path.isdir(ca_path):
                context.load_verify_locations(capath=ca_path)
            else:
                context.load_verify_locations(cafile=ca_path)
        except ssl.SSLError:
            problems.error("invalid-certificate", f"ca_path ({ca_path})", "has no certificate in PEM format", hint)
        except (OSError, ValueError) as error:
            reason = getattr(error, "strerror", None) or error
            problems.error("unreadable-file", f"ca_path ({ca_path})", f"cannot be read: {reason}", hint)
    return context


class _Authorization(NamedTuple):
    header: str
    end: float

    def __repr__(self) -> str:
        return "Authorization(***)"


class ConfiguredAccess:
    """The ``Access`` of options and environment variables. Threads may share it."""

    def __init__(
        self,
        rules: Sequence[RegistryRule],
        insecure: Sequence[RegistryRule],
        credentials: Credentials,
        verified: ssl.SSLContext,
        environ: Mapping[str, str],
    ) -> None:
        self._rules, self._insecure = rules, (*insecure, *rules)
        self._credentials, self._verified, self._environ = credentials, verified, environ
        self._lock = threading.RLock()
        self._pools: dict[tuple[bool, Proxy | None], urllib3.PoolManager] = {}
        self._base_urls: dict[str, str] = {}
        self._authorizations: dict[str, _Authorization] = {}

    def sources(self, spec: PullSpec) -> Sequence[PullSpec]:
        """Return where to look for an image, in this order: its mirrors, and itself unless that is not allowed."""
        names = _checked(
            lambda problems: pull_sources(spec.name, self._rules, problems, by_digest=spec.digest is not None)
        )
        sources: list[PullSpec] = []
        for name in names:
            registry, _slash, repository = name.partition("/")
            if not repository:
                hint = f"Add the path of the repository to the location {name}"
                raise _error("invalid-mirror", spec.name, f"has the mirror {name}, which has no repository", hint)
            sources.append(spec._replace(registry=registry, repository=repository))
        return sources

    def base_url(self, registry: str) -> str:
        """Return the URL of a registry without a path, such as ``https://quay.io``.

        Only a registry that is named as insecure is tried with plain HTTP, and only if it does not answer with TLS.
        """
        secure = f"https://{_api_host(registry)}"
        if not is_insecure(registry, self._insecure):
            return secure
        with self._lock:
            if registry not in self._base_urls:
                self._base_urls[registry] = secure if self._answers(secure) else f"http://{_api_host(registry)}"
            return self._base_urls[registry]

    def pool(self, url: str) -> urllib3.PoolManager:
        """Return the pool for a request to ``url``, which is that of a registry or the target of a redirect."""
        proxy = _checked(lambda problems: find_proxy(url, self._environ, problems))
        insecure = is_insecure(urlsplit(url).netloc, self._insecure)
        with self._lock:
            key = (insecure, proxy)
            if key not in self._pools:
                self._pools[key] = _new_pool(_unverified() if insecure else self._verified, self._verified, proxy)
            return self._pools[key]

    def authorization(self, spec: PullSpec, challenges: Sequence[str]) -> str:
        """Return the header ``Authorization`` for the repository of ``spec``, empty for an anonymous request.

        ``challenges`` are the headers ``WWW-Authenticate`` of an answer 401, empty before the first request. Nothing is
        sent before a registry demands it.
        """
        with self._lock:
            known = self._authorizations.get(spec.name)
            if not challenges:
                return known.header if known and known.end > time.monotonic() else ""
            granted = self._authorize(spec, challenges)
            self._authorizations[spec.name] = granted
            return granted.header

    def _authorize(self, spec: PullSpec, headers: Sequence[str]) -> _Authorization:
        challenges = {challenge.scheme: challenge for challenge in reversed(parse_challenges(headers))}
        credential = _checked(lambda problems: self._credentials.find(spec.name, problems))
        if "bearer" in challenges:
            where = spec.registry
            request = _checked(
                lambda problems: token_request(challenges["bearer"], spec.repository, credential, where, problems)
            )
            if request is not None:
                token = self._token(request.url, request.headers, request.body, where)
                return _Authorization(f"Bearer {token.value}", time.monotonic() + token.seconds - _EARLY_SECONDS)
        if "basic" in challenges and credential and credential.username:
            return _Authorization(basic_header(credential), float("inf"))
        raise self._unauthorized(spec, credential, tuple(challenges))

    def _unauthorized(self, spec: PullSpec, credential: Credential | None, schemes: Sequence[str]) -> RegistryError:
        if "basic" not in schemes:
            message = f"requires authorization by {', '.join(schemes) or 'an unknown method'}, expected Bearer or Basic"
            return _error("unsupported-challenge", spec.registry, message, "Use another registry or a mirror")
        if credential:
            message = "has an identity token for this registry, but the registry demands a password"
            return _error("registry-unauthorized", str(spec), message, "Log in with a user name and a password")
        message = "cannot be read without credentials, and none were found for it"
        return _error(
            "registry-unauthorized", str(spec), message, "Set pull_secret or auth_file, or log in with podman"
        )

    def _token(self, url: str, headers: Mapping[str, str], body: str | None, where: str) -> Token:
        import urllib3

        host = urlsplit(url).netloc
        insecure = is_insecure(host, self._insecure)
        _checked(lambda problems: is_allowed_realm(url, where, problems, insecure=insecure))
        try:
            response = self.pool(url).request(
                "GET" if body is None else "POST",
                url,
                headers={**headers, "Accept-Encoding": "identity"},
                body=body,
                redirect=False,
                preload_content=False,
                timeout=urllib3.Timeout(_CONNECT_SECONDS, _READ_SECONDS),
                retries=urllib3.Retry(_RETRIES, redirect=0),
            )
            content = response.read(_MOST_TOKEN_BYTES, decode_content=False)
            response.release_conn()
        except (urllib3.exceptions.HTTPError, OSError) as error:
            message = f"cannot be reached ({type(error).__name__})"
            raise _error(
                "registry-unreachable", f"token server {host}", message, "Check network, CA and proxy"
            ) from None
        if response.status != _OK:
            message = f"answers {response.status} to the request for a token for {where}"
            hint = f"Check the credentials for {where}"
            raise _error("registry-unauthorized", f"token server {host}", message, hint)
        token = _checked(lambda problems: parse_token(content, f"token server {host}", problems))
        if token is None:
            raise AssertionError("a token that cannot be read is an error")
        return token

    def _answers(self, url: str) -> bool:
        import urllib3

        try:
            response = self.pool(url).request(
                "GET",
                f"{url}/v2/",
                redirect=False,
                preload_content=False,
                timeout=urllib3.Timeout(_CONNECT_SECONDS, _READ_SECONDS),
                retries=urllib3.Retry(0),
            )
        except (urllib3.exceptions.HTTPError, OSError):
            return False
        response.close()
        return True


def _api_host(registry: str) -> str:
    """The host that serves a registry (containers/image:docker/docker_client.go dockerRegistry)."""
    return "registry-1.docker.io" if registry == "docker.io" else registry


def _new_pool(context: ssl.SSLContext, verified: ssl.SSLContext, proxy: Proxy | None) -> urllib3.PoolManager:
    import urllib3

    options: dict[str, Any] = {"ssl_context": context, "maxsize": 4}
    if proxy is None:
        return urllib3.PoolManager(**options)
    if proxy.user_password:
        options["proxy_headers"] = urllib3.make_headers(proxy_basic_auth=proxy.user_password)
    if proxy.url.startswith("https:"):
        options["proxy_ssl_context"] = verified
    return urllib3.ProxyManager(proxy.url, **options)


def _unverified() -> ssl.SSLContext:
    context = ssl.create_default_context()
    context.check_hostname = False
    context.verify_mode = ssl.CERT_NONE
    return context


def _checked(step: Callable[[Problems], _Value]) -> _Value:
    problems = Problems()
    value = step(problems)
    problems.raise_errors(RegistryError)
    return value


def _error(code: str, where: str, message: str, hint: str) -> RegistryError:
    return RegistryError([Problem("error", code, where, message, hint)])
