# Copyright: Contributors to the capability.openshift collection
# SPDX-License-Identifier: GPL-3.0-or-later

"""Which proxy a request uses.

The variables are those of Go (golang/net:http/httpproxy/proxy.go), because ``oc`` and podman read them this way.
"""

from __future__ import annotations

import ipaddress
from collections.abc import Mapping
from typing import NamedTuple, TypeAlias
from urllib.parse import unquote, urlsplit

from .error import HttpError

_PORTS = {"http": 80, "https": 443}


class Proxy(NamedTuple):
    """A proxy. ``url`` has no credentials; ``user_password`` is ``USER:PASSWORD``, empty without them."""

    url: str
    user_password: str = ""

    def __repr__(self) -> str:
        return f"Proxy({self.url})"


def find_proxy(url: str, environ: Mapping[str, str]) -> Proxy | None:
    """The proxy for ``url``, from ``HTTPS_PROXY`` or ``HTTP_PROXY`` and ``NO_PROXY``; ``None`` for a direct connection.

    ``environ`` are environment variables. Their names can be in lower case; upper case precedes. Raises ``HttpError``.
    """
    parts = urlsplit(url)
    name = f"{parts.scheme.upper()}_PROXY"
    name = name if environ.get(name) else name.lower()
    value = environ.get(name)
    excluded = environ.get("NO_PROXY") or environ.get("no_proxy") or ""
    host = parts.hostname or ""
    if not value or _bypasses(host, parts.port or _PORTS.get(parts.scheme, 0), excluded):
        return None
    try:
        proxy = urlsplit(value if "://" in value else f"http://{value}")
        address, port = proxy.hostname, proxy.port
    except ValueError:
        address, port = None, None
    if not address or proxy.scheme not in _PORTS:
        message = f"the variable {name} is not valid, expected http://HOST:PORT or https://HOST:PORT"
        raise HttpError("invalid-proxy", message, f"Correct the environment variable {name}")
    if ":" in address:
        address = f"[{address}]"
    user = f"{unquote(proxy.username or '')}:{unquote(proxy.password or '')}" if proxy.username else ""
    return Proxy(f"{proxy.scheme}://{address}:{port or _PORTS[proxy.scheme]}", user)


def _bypasses(host: str, port: int, excluded: str) -> bool:
    """Whether ``NO_PROXY`` excludes a host. Loopback never uses a proxy."""
    host = host.lower()
    address = _address(host)
    if host == "localhost" or (address and address.is_loopback):
        return True
    return any(_excludes(entry.strip().lower(), host, port, address) for entry in excluded.split(","))


def _excludes(entry: str, host: str, port: int, address: _Address | None) -> bool:
    if entry == "*":
        return True
    if "/" in entry:
        try:
            network = ipaddress.ip_network(entry, strict=False)
        except ValueError:
            return False
        return address is not None and address in network and entry.rpartition("/")[2].isdigit()
    name, colon, entry_port = entry.rpartition(":") if entry.count(":") == 1 or "]:" in entry else (entry, "", "")
    if colon:
        if entry_port not in ("", str(port)):
            return False
        name = name.strip("[]")
    name = name.removeprefix("*") if name.startswith("*.") else name
    if not name:
        return False
    if address is not None:
        return _address(name) == address
    return host.endswith(name) if name.startswith(".") else host == name or host.endswith(f".{name}")


_Address: TypeAlias = "ipaddress.IPv4Address | ipaddress.IPv6Address"


def _address(host: str) -> _Address | None:
    """An address. An IPv4 address in the form of IPv6 is the same as the IPv4 address, as in Go."""
    try:
        address = ipaddress.ip_address(host)
    except ValueError:
        return None
    return getattr(address, "ipv4_mapped", None) or address
