# Copyright: Contributors to the capability.openshift collection
# SPDX-License-Identifier: GPL-3.0-or-later

"""A client from the connection options of a module.

This file alone imports kubernetes, because the import takes 0.3 s. It needs the library for a proxy, and for a user of
a kubeconfig that has neither a token nor a certificate.
"""

from __future__ import annotations

import os
import ssl
import tempfile
from collections.abc import Callable, Iterator, Mapping
from contextlib import ExitStack, contextmanager
from typing import Any

from .._problems import ClusterError, Problem, Problems, missing_library
from .._tls import share_context
from .api_errors import one_line
from .auth_options import check_connection_options, connection_options, has_credentials, show_kubeconfig
from .client import FIELD_MANAGER, PARALLELISM, Client
from .kubeconfig import ConnectionConfig, KubeconfigEntry, Pem, connection_config, pod_entry, read_entry

_KUBECONFIG = "~/.kube/config"
_PROGRAMS = ("exec", "auth-provider")
_OPEN_FILES = "/proc/self/fd"
"""The open files of this process, which macOS does not have."""

Token = Callable[[], "str | None"]
"""Returns the header ``Authorization`` of the next request. It can raise any exception."""


def connect(module: Any, parallelism: int = PARALLELISM) -> Client:
    """Return a client for the cluster that the options of ``module`` and the environment select.

    ``parallelism`` is the number of concurrent requests. No request is sent yet. Raises ``ClusterError``.
    """
    show_kubeconfig(module)
    problems = Problems()
    check_connection_options(module.params, problems)
    problems.raise_errors(ClusterError)
    options = connection_options(module.params, os.environ)
    entry = _select(options)
    config = connection_config(options, entry, problems)
    if config is None:
        raise ClusterError(problems)
    if entry.needs_library and not has_credentials(options):
        with tempfile.TemporaryDirectory(prefix="capability-") as folder:
            config, token = _with_library(config, entry, folder)
            context = _tls_context(config)
    else:
        token, context = _own_token(config), _tls_context(config)
    if config.proxy:
        pool = _proxy_pool(config, context, options["no_proxy"], parallelism)
    else:
        pool = _pool(config, context, parallelism)
    return Client(config.server, pool, (("User-Agent", FIELD_MANAGER), *config.impersonation), token, parallelism)


def _select(options: Mapping[str, Any]) -> KubeconfigEntry:
    """What the options select: nothing of a kubeconfig, a context, or the service account of a pod."""
    if options["host"] and has_credentials(options):
        return KubeconfigEntry()
    kubeconfig = options["kubeconfig"] or os.environ.get("KUBECONFIG")
    is_chosen = kubeconfig or options["context"] or os.path.exists(os.path.expanduser(_KUBECONFIG))
    pod = None if is_chosen else pod_entry(os.environ)
    if pod is not None:
        return pod
    problems = Problems()
    entry = read_entry(kubeconfig or _KUBECONFIG, options["context"], problems)
    problems.raise_errors(ClusterError)
    return entry


def _with_library(config: ConnectionConfig, entry: KubeconfigEntry, folder: str) -> tuple[ConnectionConfig, Token]:
    """Let the library create the credentials. It writes certificates to temporary files in ``folder``."""
    library = _library()
    configuration = library.client.Configuration()
    load = library.config.load_kube_config_from_dict

    def token() -> str | None:
        settings = configuration.auth_settings().get("BearerToken")
        return settings["value"].strip() if settings and settings["value"] else None

    try:
        load(entry.content(), entry.context, configuration, persist_config=False, temp_file_path=folder)
        is_anonymous = not (configuration.cert_file or token())
    except Exception as error:  # a kubeconfig can be wrong in any way
        is_malformed = isinstance(error, (AttributeError, IndexError, KeyError, TypeError))
        reason = "its user is not valid" if is_malformed else one_line(error).rstrip(".")
        message = f"the context {entry.context} cannot be used: {reason}"
        raise ClusterError([Problem("error", "invalid-kubeconfig", "kubeconfig", message, "Log in again")]) from None
    if is_anonymous and not entry.user.fields.keys().isdisjoint(_PROGRAMS):
        # The library only logs that a program fails, and would send requests without credentials.
        message = f"the context {entry.context} cannot be used: its program or provider returned no credentials"
        hint = "Run the program that the kubeconfig names, and log in again"
        raise ClusterError([Problem("error", "missing-token", "kubeconfig", message, hint)])
    return config._replace(certificate=configuration.cert_file, key=configuration.key_file), token


def _library() -> Any:
    try:
        import kubernetes
    except ImportError as error:
        raise ClusterError([missing_library("kubernetes", error=error)]) from None
    return kubernetes


def _own_token(config: ConnectionConfig) -> Token:
    def token() -> str | None:
        found = config.token
        if config.token_file:  # Kubernetes replaces it before it expires
            try:
                with open(config.token_file, encoding="utf-8") as file:
                    found = file.read().strip() or found
            except OSError:
                if not found:
                    raise
        return f"Bearer {found}" if found else None

    return token


def _pool(config: ConnectionConfig, context: ssl.SSLContext, parallelism: int) -> Any:
    import urllib3

    options: dict[str, Any] = {"server_hostname": config.server_name} if config.server_name else {}
    return urllib3.PoolManager(maxsize=parallelism, cert_reqs=context.verify_mode, ssl_context=context, **options)


def _proxy_pool(config: ConnectionConfig, context: ssl.SSLContext, no_proxy: str | None, parallelism: int) -> Any:
    """Connections through the proxy, or direct ones if ``no_proxy`` excludes the server."""
    library = _library()
    configuration = library.client.Configuration()
    configuration.host, configuration.verify_ssl = config.server, config.is_verified
    configuration.tls_server_name = config.server_name
    configuration.proxy, configuration.no_proxy = config.proxy, no_proxy
    configuration.connection_pool_maxsize = parallelism
    try:
        pool = library.client.ApiClient(configuration).rest_client.pool_manager
    except Exception as error:  # for instance of urllib3 about the address, or of a missing library for SOCKS
        message = f"cannot be used: {one_line(error)}"
        hint = "Set it to http://HOST:PORT, here or as proxy-url in the kubeconfig"
        raise ClusterError([Problem("error", "invalid-proxy", "proxy", message, hint)]) from None
    pool.connection_pool_kw["ssl_context"] = context
    proxy = pool.connection_pool_kw.get("_proxy_config")
    if proxy is not None and proxy.ssl_context is None and pool.proxy.scheme == "https":
        for_proxy = _tls_context(config._replace(certificate=None, key=None))
        pool.connection_pool_kw["_proxy_config"] = proxy._replace(ssl_context=for_proxy)
    return pool


def _tls_context(config: ConnectionConfig) -> ssl.SSLContext:
    """Load the CA and the client certificate, once for all connections. Raises ``ClusterError``.

    Otherwise urllib3 reads the files for each connection, and without a CA all certificates of the system, even if it
    does not verify the server.
    """
    try:
        import urllib3
        from urllib3.util.ssl_ import create_urllib3_context
    except ImportError as error:
        raise ClusterError([missing_library("urllib3", error=error)]) from None
    authority = config.authority if config.is_verified else None
    _check_files({"ca_cert": authority, "client_cert": config.certificate, "client_key": config.key})
    try:
        required = ssl.CERT_REQUIRED if config.is_verified else ssl.CERT_NONE
        context = share_context(create_urllib3_context(cert_reqs=required))
        with ExitStack() as stack:
            if authority is not None:
                context.load_verify_locations(stack.enter_context(_as_file(authority)))
            elif config.is_verified:
                context.load_default_certs()
            if config.certificate is not None:
                certificate = stack.enter_context(_as_file(config.certificate))
                key = None if config.key is None else stack.enter_context(_as_file(config.key))
                context.load_cert_chain(certificate, key, password=_no_password)
    except (OSError, ValueError) as error:
        message = f"the CA or the client certificate cannot be loaded ({one_line(error)})"
        hint = "Check ca_cert, client_cert and client_key, or the data in the kubeconfig"
        raise ClusterError([Problem("error", "failed-tls", "", message, hint)]) from None
    if not config.is_verified:
        urllib3.disable_warnings()
    return context


def _check_files(files: Mapping[str, Pem | None]) -> None:
    """Report files that cannot be read, because TLS errors do not name them."""
    problems = Problems()
    for option, path in files.items():
        if isinstance(path, str) and not (os.path.isfile(path) and os.access(path, os.R_OK)):
            hint = "Set its path, here or in the kubeconfig"
            problems.error("unreadable-file", option, f"{path} is not a readable file", hint)
    problems.raise_errors(ClusterError)


@contextmanager
def _as_file(pem: Pem) -> Iterator[str]:
    """The path of ``pem``, because Python loads keys only from files.

    Where open files have a path, a temporary file has no name, so it does not remain if the process is killed.
    """
    if isinstance(pem, str):
        yield pem
        return
    is_named = not os.path.isdir(_OPEN_FILES)
    with (tempfile.NamedTemporaryFile if is_named else tempfile.TemporaryFile)(buffering=0) as file:
        file.write(pem)
        yield file.name if is_named else f"{_OPEN_FILES}/{file.fileno()}"


def _no_password() -> str:
    """Instead of a prompt on the terminal."""
    raise ValueError("the client key is encrypted")
