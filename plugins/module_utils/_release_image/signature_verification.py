# Copyright: Contributors to the capability.openshift collection
# SPDX-License-Identifier: GPL-3.0-or-later

"""Verifies the OpenPGP signature of a release that was read from an image: with given or trusted key rings."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import suppress

from .._data.signatures import RED_HAT_KEYS
from .._problems import Problems
from .._registry.configured_access import read_http_client
from .._resources import Object
from .._yaml.libyaml import load_body
from .._yaml.values import YamlError
from .http_store import http_get
from .opened_release import OpenedRelease, Signer
from .release_source import SignatureOptions
from .verification_config import VerificationConfig, read_config, read_key_rings, signature_stores
from .verification_documents import verification_documents
from .verifier import Verifier, verify_digest


def verify_release(
    name: str, found: OpenedRelease, options: SignatureOptions, ca_path: str | None, problems: Problems
) -> tuple[Signer, ...]:
    """Return who signed the release, empty after a reported problem. ``name`` is its name for messages."""
    get = http_get(read_http_client(ca_path, os.environ, problems))
    rings = read_key_rings("signature_keys", options.keys, problems)
    stores = signature_stores("signature_stores", options.stores, get, problems)
    verifier = Verifier(rings, stores)
    if not options.keys or not options.stores:
        config = config_of_release(*(options.previous or (name, found.directory)), problems)
        if config is not None:
            verifier = config.verifier(get, rings, stores, None if options.previous else RED_HAT_KEYS)
    if problems.has_errors:
        return ()
    return verify_digest(name, found.digest, verifier, problems)


def config_of_release(name: str, directory: str, problems: Problems) -> VerificationConfig | None:
    """Read how the release in ``directory`` verifies other releases; ``None`` after a reported problem."""
    return read_config(name, _config_manifests(name, directory), problems)


def _config_manifests(name: str, directory: str) -> Iterator[tuple[str, Object]]:
    for path, document in verification_documents(directory):
        # What is no manifest is reported when the release is loaded.
        with suppress(YamlError):
            body = load_body(document)
            if isinstance(body, dict):
                yield f"{name}: {path}", body
