# Copyright: Contributors to the capability.openshift collection
# SPDX-License-Identifier: GPL-3.0-or-later

# Note that this module util is **PRIVATE** to the collection. It can have breaking changes at any time.

"""A client from the options of a module, as kubernetes.core interprets them.

This file alone imports kubernetes, and only if the options need it, because the import takes 0.3 s.
"""

from __future__ import annotations

import os
import ssl
import tempfile
from collections.abc import Iterator, Mapping
from contextlib import ExitStack, contextmanager
from typing import Any

from .._problems import ClusterError, Problem, Problems, missing_library, type_name
from .api_errors import one_line
from .auth_options import auth_spec, check_connection_options, looks_like_path, show_kubeconfig
from .client import FIELD_MANAGER, PARALLELISM, Client
from .kubeconfig import ExplicitConfig, Pem, read_explicit_config

_LOADED_OPTIONS = ("ca_certs", "ca_cert_data", "cert_file", "key_file")
"""Options of a pool of connections that its TLS context replaces."""


def connect(module: Any, parallelism: int = PARALLELISM) -> Client:
    """Return a client for the cluster that the options of ``module`` select, by the rules of kubernetes.core.

    ``parallelism`` is the number of concurrent requests. No request is sent yet. Raises ``ClusterError``.
    """
    show_kubeconfig(module)
    return connect_with(module.params, parallelism)


def connect_with(params: Mapping[str, Any], parallelism: int = PARALLELISM) -> Client:
    """Return a client for the cluster that the connection options in ``params`` select, as ``connect`` does."""
    problems = Problems()
    check_connection_options(params, problems)
    problems.raise_errors(ClusterError)
    explicit = read_explicit_config(params, os.environ)
    client = None if explicit is None else _connect_explicitly(explicit, parallelism)
    return _connect_with_library(params, parallelism) if client is None else client


def _connect_explicitly(config: ExplicitConfig, parallelism: int) -> Client | None:
    """A client for ``config``, ``None`` if a certificate cannot be loaded: the library reports what is wrong."""
    try:
        import urllib3
        from urllib3.util.ssl_ import create_urllib3_context
    except ImportError as error:
        raise ClusterError([missing_library("urllib3", error=error)]) from None
    cert_reqs = ssl.CERT_REQUIRED if config.is_verified else ssl.CERT_NONE
    try:
        context = create_urllib3_context(cert_reqs=cert_reqs)
        with ExitStack() as stack:
            if config.is_verified:
                authority = config.authority and stack.enter_context(_as_file(config.authority))
                _load_authorities(context, {"ca_certs": authority})
            if config.certificate and config.key:
                certificate, key = (stack.enter_context(_as_file(pem)) for pem in (config.certificate, config.key))
                context.load_cert_chain(certificate, key, password=_no_password)
    except (OSError, ValueError):
        return None
    if not config.is_verified:
        urllib3.disable_warnings()  # as kubernetes.core does
    pool = urllib3.PoolManager(maxsize=parallelism, cert_reqs=cert_reqs, ssl_context=context)
    token = f"Bearer {config.token}" if config.token else None
    return Client(config.server, pool, [("User-Agent", FIELD_MANAGER)], lambda: token, parallelism)


@contextmanager
def _as_file(pem: Pem) -> Iterator[str]:
    """The path of ``pem``, because Python loads keys only from files.

    A temporary file has no name, so it does not remain if the process is killed.
    """
    if isinstance(pem, str):
        yield pem
        return
    with tempfile.TemporaryFile(buffering=0) as file:
        file.write(pem)
        yield f"/proc/self/fd/{file.fileno()}"


def _connect_with_library(params: Mapping[str, Any], parallelism: int) -> Client:
    try:
        import kubernetes
    except ImportError as error:
        raise ClusterError([missing_library("kubernetes", error=error)]) from None
    try:
        from ansible_collections.kubernetes.core.plugins.module_utils.k8s import client as core
    except ImportError:
        hint = "Install it: ansible-galaxy collection install kubernetes.core"
        message = "the collection kubernetes.core is missing"
        raise ClusterError([Problem("error", "missing-collection", "", message, hint)]) from None
    problems, given = Problems(), {name: params.get(name) for name in auth_spec()}
    try:
        # Not get_api_client: it requests all discovery documents.
        auth = core._create_auth_spec(**given)
        _check_kubeconfig(auth.get("kubeconfig"), problems)
        problems.raise_errors(ClusterError)
        configuration = core._create_configuration(auth)
        headers = core._create_headers(**given)
        configuration.connection_pool_maxsize = parallelism
        api = kubernetes.client.ApiClient(configuration)
    except ClusterError:
        raise
    except Exception as error:  # a kubeconfig can be wrong in any way
        is_malformed = isinstance(error, (AttributeError, IndexError, KeyError, TypeError))
        reason = "the file is not a valid kubeconfig" if is_malformed else one_line(error).rstrip(".")
        message = f"the options do not select a cluster: {reason}"
        hint = "Set kubeconfig and context, or host and api_key"
        raise ClusterError([Problem("error", "invalid-kubeconfig", "kubeconfig", message, hint)]) from None
    _check_configuration(configuration, problems)
    problems.raise_errors(ClusterError)
    _share_tls_context(api.rest_client.pool_manager, configuration)
    # A killed process would leave these files, which contain the private key of the kubeconfig.
    kubernetes.config.kube_config._cleanup_temp_files()

    def token() -> str | None:
        settings = configuration.auth_settings().get("BearerToken")
        # A token from a file ends with a line break.
        return settings["value"].strip() if settings and settings["value"] else None

    pairs = [("User-Agent", FIELD_MANAGER)]
    for name, value in headers.items():
        pairs += [(name, item) for item in (value if isinstance(value, list) else [value])]
    return Client(configuration.host, api.rest_client.pool_manager, pairs, token, parallelism)


def _share_tls_context(pool: Any, configuration: Any) -> None:
    """Load the CA and the client certificate into one TLS context for all connections. Raises ``ClusterError``.

    Otherwise urllib3 reads the files for each connection, and without a CA all certificates of the system, even if it
    does not verify the server.
    """
    from urllib3.util.ssl_ import create_urllib3_context

    if not str(configuration.host).startswith("https://"):
        return
    options = pool.connection_pool_kw
    is_verified = options["cert_reqs"] == ssl.CERT_REQUIRED
    try:
        context = create_urllib3_context(cert_reqs=options["cert_reqs"])
        if is_verified:
            _load_authorities(context, options)
        if options.get("cert_file"):
            context.load_cert_chain(options["cert_file"], options.get("key_file"), password=_no_password)
    except (OSError, ValueError) as error:
        message = f"the CA or the client certificate cannot be loaded ({one_line(error)})"
        hint = "Check ca_cert, client_cert and client_key, or the data in the kubeconfig"
        raise ClusterError([Problem("error", "failed-tls", "", message, hint)]) from None
    proxy = options.get("_proxy_config")
    if proxy is not None and proxy.ssl_context is None and pool.proxy.scheme == "https":
        for_proxy = create_urllib3_context(cert_reqs=options["cert_reqs"])
        if is_verified:
            _load_authorities(for_proxy, options)
        options["_proxy_config"] = proxy._replace(ssl_context=for_proxy)
    for name in _LOADED_OPTIONS:
        options.pop(name, None)
    options["ssl_context"] = context


def _load_authorities(context: ssl.SSLContext, options: Mapping[str, Any]) -> None:
    file, data = options.get("ca_certs"), options.get("ca_cert_data")
    if file or data:
        context.load_verify_locations(file, cadata=data)
    else:
        context.load_default_certs()


def _no_password() -> str:
    """Instead of a prompt on the terminal."""
    raise ValueError("the client key is encrypted")


def _check_kubeconfig(kubeconfig: Any, problems: Problems) -> None:
    """Report a kubeconfig that cannot be read, because the library does not name the file.

    Of several files, missing ones are ignored, as in kubectl.
    """
    hint = "Set the path of a kubeconfig, or its content as a dict"
    if isinstance(kubeconfig, str):
        paths = [path for path in kubeconfig.split(os.pathsep) if path.strip()]
        if not any(os.path.exists(os.path.expanduser(path)) for path in paths):
            shown = " and ".join(paths) if paths and all(map(looks_like_path, paths)) else "the given file"
            problems.error("missing-file", "kubeconfig", f"{shown} does not exist", hint)
    elif kubeconfig is not None and not isinstance(kubeconfig, Mapping):
        message = f"is {type_name(kubeconfig)}, expected a path or a map"
        problems.error("invalid-kubeconfig", "kubeconfig", message, hint)


def _check_configuration(configuration: Any, problems: Problems) -> None:
    """Report a missing server, and files that cannot be read, because TLS errors do not name the file."""
    if not configuration.host:
        message = "names a cluster without a server"
        problems.error("invalid-kubeconfig", "kubeconfig", message, "Add its address, or set the option host")
    files = {
        "ca_cert": configuration.ssl_ca_cert,
        "client_cert": configuration.cert_file,
        "client_key": configuration.key_file,
    }
    for option, path in files.items():
        if path and not (os.path.isfile(path) and os.access(path, os.R_OK)):
            hint = "Set its path, here or in the kubeconfig"
            problems.error("unreadable-file", option, f"{path} is not a readable file", hint)
