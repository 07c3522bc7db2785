# Copyright: Contributors to the capability.openshift collection
# SPDX-License-Identifier: GPL-3.0-or-later

# Note that this module util is **PRIVATE** to the collection. It can have breaking changes at any time.

"""From a module's options to a client of the cluster that they name: kubernetes.core's authentication.

Importing kubernetes costs 0.3 s, so that it is done in ``connect`` only.
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from typing import Any

from .._problems import ClusterError, Problem, raise_errors, type_name
from .api_errors import one_line
from .auth_options import looks_like_path, show_kubeconfig
from .client import FIELD_MANAGER, PARALLELISM, Client


def connect(module: Any, parallelism: int = PARALLELISM) -> Client:
    """Return a client for the cluster that the options of ``module`` name, as kubernetes.core would find it.

    ``parallelism`` is how many requests there will be at a time. Nothing is sent yet. Raises ``ClusterError``.
    """
    try:
        import kubernetes
    except ImportError as error:
        hint = "Install it where the task runs: pip install kubernetes"
        message = f"the Python library kubernetes is missing ({error})"
        raise ClusterError([Problem("error", "todo", "", message, hint)]) from None
    try:
        from ansible_collections.kubernetes.core.plugins.module_utils.k8s import client as core
    except ImportError:
        hint = "Install it: ansible-galaxy collection install kubernetes.core"
        raise ClusterError([Problem("error", "todo", "", "the collection kubernetes.core is missing", hint)]) from None
    show_kubeconfig(module)
    try:
        # Not get_api_client: it asks the server for all that it serves.
        auth = core._create_auth_spec(module)
        raise_errors(_no_kubeconfig(auth.get("kubeconfig")), ClusterError)
        configuration = core._create_configuration(auth)
        headers = core._create_headers(module)
        configuration.connection_pool_maxsize = parallelism
        api = kubernetes.client.ApiClient(configuration)
    except ClusterError:
        raise
    except (AttributeError, IndexError, KeyError, TypeError):
        message = "what is given or found as kubeconfig is none"
        hint = "Look into the file. Give kubeconfig and context, or host with api_key"
        raise ClusterError([Problem("error", "todo", "kubeconfig", message, hint)]) from None
    except Exception as error:  # a kubeconfig can be wrong in any other way
        message = f"the options do not lead to a cluster: {one_line(error).rstrip('.')}"
        hint = "Give kubeconfig and context, or host with api_key"
        raise ClusterError([Problem("error", "todo", "kubeconfig", message, hint)]) from None

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
    hint = "Give the path of a kubeconfig, or its content as a dict"
    if isinstance(given, str):
        paths = [path for path in given.split(os.pathsep) if path.strip()]
        if not any(os.path.exists(os.path.expanduser(path)) for path in paths):
            shown = " and ".join(paths) if paths and all(map(looks_like_path, paths)) else "what is given"
            yield Problem("error", "todo", "kubeconfig", f"{shown} is not there", hint)
    elif given is not None and not isinstance(given, Mapping):
        yield Problem("error", "todo", "kubeconfig", f"is {type_name(given)}, expected a path or a map", hint)


def _unusable(configuration: Any) -> Iterator[Problem]:
    """Yield a problem for what a connection could not be made with; TLS would not say which file it misses."""
    if not configuration.host:
        message = "names a cluster without a server"
        yield Problem("error", "todo", "kubeconfig", message, "Give it an address, or the option host")
    files = {
        "ca_cert": configuration.ssl_ca_cert,
        "client_cert": configuration.cert_file,
        "client_key": configuration.key_file,
    }
    for option, path in files.items():
        if path and not (os.path.isfile(path) and os.access(path, os.R_OK)):
            hint = "Give its path, here or in the kubeconfig"
            yield Problem("error", "todo", option, f"{path} is no file that can be read", hint)
