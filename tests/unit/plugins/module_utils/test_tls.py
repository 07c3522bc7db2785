# Copyright: Contributors to the capability.openshift collection
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

import socket
import ssl
from collections import Counter
from collections.abc import Callable

import pytest
from urllib3.util.ssl_ import ssl_wrap_socket

from ansible_collections.capability.openshift.plugins.module_utils._http import client
from ansible_collections.capability.openshift.plugins.module_utils._kubernetes.connection import _tls_context
from ansible_collections.capability.openshift.plugins.module_utils._kubernetes.kubeconfig import ConnectionConfig


@pytest.mark.parametrize(
    "make",
    [
        lambda: client.trusted_certificates(None),
        client._unverified,
        lambda: _tls_context(ConnectionConfig("https://localhost", True, None, None, None, "", "", "", "")),
    ],
)
def test_a_connection_does_not_set_the_protocols_of_a_context(
    monkeypatch: pytest.MonkeyPatch, make: Callable[[], ssl.SSLContext]
) -> None:
    sets: Counter[int] = Counter()
    set_protocols = ssl.SSLContext.set_alpn_protocols

    def count(context: ssl.SSLContext, protocols: list[str]) -> None:
        sets[id(context)] += 1
        set_protocols(context, protocols)

    monkeypatch.setattr(ssl.SSLContext, "set_alpn_protocols", count)
    context = make()
    for attempt in ("first", "second"):
        with socket.socket() as connection, ssl_wrap_socket(connection, ssl_context=context, server_hostname=attempt):
            pass
    assert sets == {id(context): 1}
