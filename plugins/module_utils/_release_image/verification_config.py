# Copyright: Contributors to the capability.openshift collection
# SPDX-License-Identifier: GPL-3.0-or-later

"""Key rings and signature stores: of a release, in its ConfigMap with the annotation, and of options."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from pathlib import Path
from typing import NamedTuple
from urllib.parse import unquote, urlsplit

from .._files.files import absolute
from .._problems import Problems, type_name
from .._resources import Object, nested
from .file_store import FileStore, config_maps
from .gpgv import KeyRing, read_key_ring
from .http_store import HttpGet, HttpStore
from .signature_stores import ConfigMapStore, Store
from .verifier import Verifier

ANNOTATION = "release.openshift.io/verification-config-map"
"""Its value has no effect."""

_WEB_SERVERS = ("http://", "https://")
_KEY_RING, _STORE = "verifier-public-key-", "store-"
_HINT = "Use a release that Red Hat built, or give key rings and stores"


class VerificationConfig(NamedTuple):
    """Key rings and URLs of stores. ``source`` names the ConfigMap."""

    source: str
    key_rings: tuple[KeyRing, ...]
    stores: tuple[str, ...]

    def verifier(
        self,
        get: HttpGet,
        key_rings: tuple[KeyRing, ...],
        stores: tuple[Store, ...],
        trusted: Collection[str] | None = None,
    ) -> Verifier:
        """The verifier with the given ``key_rings`` and ``stores``, and with those of the release for what is empty.

        ``trusted`` are fingerprints of keys, of which one must sign if the key rings are those of the release.
        """
        own = tuple(store_of(url, get) for url in self.stores)
        return Verifier(key_rings or self.key_rings, stores or own, None if key_rings else trusted)


def store_of(url: str, get: HttpGet) -> Store:
    """The store at a URL with the scheme http, https or file."""
    parts = urlsplit(url)
    return FileStore(unquote(parts.path)) if parts.scheme == "file" else HttpStore(url, get)


def find_config_map(manifests: Iterable[tuple[str, Object]]) -> tuple[str, Mapping[str, str]] | None:
    """Return the place and the data of the ConfigMap that counts; ``manifests`` are in the order of the CVO.

    It is the first ConfigMap with the annotation whose data are strings. Later ones have no effect.
    Source: openshift/cluster-version-operator:pkg/cvo/cvo.go loadConfigMapVerifierDataFromUpdate
    """
    for where, manifest in manifests:
        if (nested(manifest, "apiVersion"), nested(manifest, "kind")) != ("v1", "ConfigMap"):
            continue
        data = nested(manifest, "data")
        if nested(manifest, "metadata", "annotations", ANNOTATION) is not None and _is_string_map(data):
            return where, data
    return None


def _is_string_map(value: object) -> bool:
    return isinstance(value, dict) and all(isinstance(item, str) for item in value.values())


def read_config(release: str, manifests: Iterable[tuple[str, Object]], problems: Problems) -> VerificationConfig | None:
    """Read how ``release`` verifies other releases; ``None`` after a reported problem."""
    found = find_config_map(manifests)
    if found is None:
        message = f"has no ConfigMap with the annotation {ANNOTATION}, so its CVO accepts no other release"
        problems.error("no-verification-config", release, message, _HINT)
        return None
    return _read_data(*found, problems)


def _read_data(where: str, data: Mapping[str, str], problems: Problems) -> VerificationConfig | None:
    """Source: openshift/library-go:pkg/verify/configmap.go NewFromConfigMapData."""
    errors = Problems()
    texts = {key: text for key, text in data.items() if key.startswith(_KEY_RING)}
    rings = [read_key_ring(key, text.encode("utf-8", "replace"), errors) for key, text in texts.items()]
    urls = {key: text.strip() for key, text in data.items() if key.startswith(_STORE)}
    stores = [url for key, url in urls.items() if _is_url(f"{where}: {key}", url, errors)]
    for key in data:
        if not key.startswith((_KEY_RING, _STORE)):
            problems.warning("unknown-verification-entry", where, f"has the entry {key!r}, which has no effect")
    if not texts:
        errors.error("no-key-ring", where, f"has no key ring, expected an entry {_KEY_RING}*", _HINT)
    if not urls:
        errors.error("no-signature-store", where, f"has no signature store, expected an entry {_STORE}*", _HINT)
    problems.extend(errors)
    return (
        None if errors.has_errors else VerificationConfig(where, tuple(ring for ring in rings if ring), tuple(stores))
    )


def _is_url(where: str, url: str, problems: Problems) -> bool:
    try:
        if urlsplit(url).scheme in ("http", "https", "file"):
            return True
    except ValueError:
        pass
    # The value is not shown, because it may contain a password.
    problems.error("invalid-signature-store", where, "is no URL with the scheme http, https or file", _HINT)
    return False


def read_key_rings(option: str, paths: Iterable[str], problems: Problems) -> tuple[KeyRing, ...]:
    """Read the key rings in files. ``option`` is for messages."""
    rings = []
    for path in paths:
        try:
            rings.append(read_key_ring(path, Path(path).read_bytes(), problems))
        except OSError as error:
            problems.error(
                "unreadable-key-ring", option, f"{path}: {error.strerror}, expected a file", "Check the path"
            )
    return tuple(ring for ring in rings if ring)


def signature_stores(option: str, values: Sequence[object], get: HttpGet, problems: Problems) -> tuple[Store, ...]:
    """Return stores for URLs, paths and ConfigMaps (or lists of them). Web servers are asked last."""
    local: list[Store] = []
    remote: list[Store] = []
    for index, value in enumerate(values):
        where = f"{option}[{index}]"
        if isinstance(value, dict):
            local.append(ConfigMapStore(where, tuple(config_maps(value))))
        elif isinstance(value, str) and value:
            stores = remote if value.startswith(_WEB_SERVERS) else local
            stores.append(
                store_of(value, get) if value.startswith((*_WEB_SERVERS, "file://")) else FileStore(absolute(value))
            )
        else:
            found = "empty" if value == "" else type_name(value)
            problems.error("invalid-signature-store", where, f"is {found}, expected a path, a URL or a ConfigMap")
    return (*local, *remote)
