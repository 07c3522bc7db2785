# Copyright: Contributors to the capability.openshift collection
# SPDX-License-Identifier: GPL-3.0-or-later

"""Free ports on loopback."""

from __future__ import annotations

import random
import socket

from ansible_collections.capability.openshift.tests.control_plane.errors import ControlPlaneError

# Below what systems hand out to outgoing connections (Linux: from 32768).
_PORTS = range(20000, 32000)
_TRIES = 100


def free_port() -> int:
    """Return a port of 127.0.0.1 that no process listens on. Another process can still take it first."""
    for port in random.sample(_PORTS, _TRIES):
        with socket.socket() as probe:
            probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            try:
                probe.bind(("127.0.0.1", port))
            except OSError:
                continue
            return port
    raise ControlPlaneError(f"none of {_TRIES} ports from {_PORTS.start} to {_PORTS.stop} is free")


def held_port() -> socket.socket:
    """Return a socket that holds a port for programs of this user which share it (SO_REUSEPORT). It does not listen."""
    held = socket.socket()
    held.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEPORT, 1)
    held.bind(("127.0.0.1", 0))
    return held
