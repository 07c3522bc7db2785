# Copyright: Contributors to the capability.openshift collection
# SPDX-License-Identifier: GPL-3.0-or-later

"""A TLS context that the connections of several threads share."""

from __future__ import annotations

import ssl


def share_context(context: ssl.SSLContext) -> ssl.SSLContext:
    """Return ``context``, of which no connection sets the ALPN protocols again.

    urllib3 sets them before each handshake. That frees memory that the handshake of another thread can be reading: the
    server then refuses the handshake, or Python crashes. Source: python/cpython issue 141012.
    """
    context.set_alpn_protocols(["http/1.1"])
    context.set_alpn_protocols = lambda alpn_protocols: None  # type: ignore[method-assign]  # noqa: ARG005
    return context
