# Copyright: Contributors to the capability.openshift collection
# SPDX-License-Identifier: GPL-3.0-or-later

"""The way to registries that options and the environment describe: mirrors, TLS, proxies and credentials."""

from __future__ import annotations

import threading
import time
from collections.abc import Mapping, Sequence
from typing import NamedTuple
from urllib.parse import urlsplit

from .._http.client import HttpClient, Patience, trusted_certificates
from .._http.error import HttpError
from .._problems import Problem, Problems, RegistryError
from .access_options import AccessOptions
from .credentials import Credentials, read_credentials
from .mirror_files import read_mirrors
from .mirrors import RegistryRule, pull_sources
from .pull_spec import DOCKER_HUB, PullSpec, is_registry
from .token_server import Token, TokenRequest, basic_header, parse_challenges, parse_token, token_request

_MOST_TOKEN_BYTES = 1 << 20
_DOCKER_HUB_HOST = "registry-1.docker.io"
"""Serves the images that are named docker.io (containers/image:docker/docker_client.go dockerRegistry)."""

_EARLY_SECONDS = 10
"""How long before its end a token is not used any more."""


def configure_access(options: AccessOptions, environ: Mapping[str, str], problems: Problems) -> ConfiguredAccess:
    """Read the files that ``options`` and the environment name. Reports what is not valid, or cannot be read."""
    rules = read_mirrors(options.mirrors, problems)
    credentials = read_credentials(options.pull_secret, options.auth_file, environ, problems)
    for index, registry in enumerate(options.insecure_registries):
        if not is_registry(registry):
            message = f"is {registry!r}, expected HOST or HOST:PORT"
            problems.error("invalid-registry", f"insecure_registries[{index}]", message, "Write only host and port")
    http = read_http_client(options.ca_path, environ, problems)
    http.is_insecure = frozenset(options.insecure_registries).__contains__
    return ConfiguredAccess(rules, credentials, http)


class _Authorization(NamedTuple):
    header: str
    end: float

    def __repr__(self) -> str:
        return "Authorization(***)"


class ConfiguredAccess:
    """Knows what a request to a registry needs, and sends it with ``http``. Threads may share it.

    ``mirror_registries`` have mirrors of images that are named by digest.
    """

    def __init__(self, rules: Sequence[RegistryRule], credentials: Credentials, http: HttpClient) -> None:
        self.http = http
        self.mirror_registries = frozenset(
            mirror.partition("/")[0] for rule in rules for mirror in rule.digest_mirrors if mirror != rule.prefix
        )
        self._rules, self._credentials = rules, credentials
        self._lock = threading.RLock()
        self._base_urls: dict[str, str] = {}
        self._authorizations: dict[str, _Authorization] = {}

    def sources(self, spec: PullSpec) -> Sequence[PullSpec]:
        """Return where to look for an image, in this order: its mirrors, and itself unless that is not allowed.

        Raises ``RegistryError`` if there is no such place.
        """
        names = pull_sources(spec.name, self._rules, by_digest=spec.digest is not None)
        parts = (name.partition("/") for name in names)
        return [spec._replace(registry=registry, repository=repository) for registry, _slash, repository in parts]

    def base_url(self, registry: str) -> str:
        """Return the URL of a registry without a path, such as ``https://quay.io``.

        Only a registry that is named as insecure is tried with plain HTTP, and only if it does not answer with TLS.
        """
        secure = f"https://{_DOCKER_HUB_HOST if registry == DOCKER_HUB else registry}"
        if not self.http.is_insecure(registry):
            return secure
        with self._lock:
            if registry not in self._base_urls:
                self._base_urls[registry] = secure if self._answers(secure) else f"http://{registry}"
            return self._base_urls[registry]

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
        challenges = parse_challenges(headers)
        credential = self._credentials.find(spec.name)
        if "bearer" in challenges:
            request = token_request(challenges["bearer"], spec, credential, self.http.is_insecure)
            token = self._token(request, spec.registry)
            return _Authorization(f"Bearer {token.value}", time.monotonic() + token.seconds - _EARLY_SECONDS)
        if "basic" in challenges and credential and credential.username:
            return _Authorization(basic_header(credential), float("inf"))
        raise self._unauthorized(spec, tuple(challenges))

    def _unauthorized(self, spec: PullSpec, schemes: Sequence[str]) -> RegistryError:
        if "basic" not in schemes:
            message = f"requires authorization by {', '.join(schemes) or 'an unknown method'}, expected Bearer or Basic"
            return _error("unsupported-challenge", spec.registry, message, "Use another registry or a mirror")
        message = "cannot be read without user name and password, and none were found for it"
        hint = "Set pull_secret or auth_file, or log in with podman"
        return _error("registry-unauthorized", str(spec), message, hint)

    def _token(self, request: TokenRequest, registry: str) -> Token:
        where = f"token server {urlsplit(request.url).netloc}"
        try:
            answer = self.http.request(
                request.url,
                most=_MOST_TOKEN_BYTES,
                authorize=lambda _challenges: request.authorization,
                method="POST" if request.form else "GET",
                form=request.form,
            )
        except HttpError as error:
            raise registry_error(where, error) from None
        if answer.status in (401, 403):
            message = f"answers {answer.status} to the request for a token for {registry}"
            raise _error("registry-unauthorized", where, message, f"Check the credentials for {registry}")
        if answer.status != 200:
            message = f"answers {answer.status}, expected a token"
            raise _error("registry-error", where, message, "Try again later")
        return parse_token(answer.body, where)

    def _answers(self, url: str) -> bool:
        try:
            self.http.request(f"{url}/v2/", patience=Patience(tries=1))
        except HttpError:
            return False
        return True


def read_http_client(ca_path: str | None, environ: Mapping[str, str], problems: Problems) -> HttpClient:
    """The client of the option ``ca_path``, which is reported if it cannot be read."""
    try:
        return HttpClient(environ, trusted_certificates(ca_path))
    except HttpError as error:
        problems.error(error.code, f"ca_path ({ca_path})", str(error), error.hint)
    return HttpClient(environ, trusted_certificates(None))


def registry_error(where: str, error: HttpError) -> RegistryError:
    """The error of a request to the registry or token server ``where``."""
    if error.code != "unreachable":
        return _error(error.code, where, str(error), error.hint)
    hint = "Check the host, the network, ca_path, insecure_registries and the proxy, and try again"
    return _error("registry-unreachable", where, str(error), hint)


def _error(code: str, where: str, message: str, hint: str) -> RegistryError:
    return RegistryError([Problem("error", code, where, message, hint)])
