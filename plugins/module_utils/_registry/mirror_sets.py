# Copyright: Contributors to the capability.openshift collection
# SPDX-License-Identifier: GPL-3.0-or-later

"""Reads mirror sets: objects of a cluster, and the mirrors in an install-config.

Sources: openshift/api:config/v1/types_image_digest_mirror_set.go, types_image_tag_mirror_set.go,
operator/v1alpha1/types_image_content_source_policy.go; openshift/installer:pkg/types/installconfig.go;
openshift/machine-config-operator:pkg/controller/container-runtime-config/helpers.go validateRegistriesConfScopes.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from typing import Any, Literal, NamedTuple

from .._problems import Problems, shown, type_name
from .._resources import nested
from .mirrors import MirrorSource, is_location

MIRRORS_EXPECTED = "an ImageDigestMirrorSet, ImageTagMirrorSet, ImageContentSourcePolicy or install-config"
_NEVER, _ALLOW = "NeverContactSource", "AllowContactingSource"
_INSTALL_CONFIG = "InstallConfig"
"""The kind of an install-config, which need not name it."""

_WILDCARD = re.compile(r"\*\.[a-zA-Z0-9](?:[a-zA-Z0-9.-]*[a-zA-Z0-9])?")


class _Form(NamedTuple):
    """Where one kind has its list of sources, and which images its mirrors are for."""

    group: str
    path: tuple[str, ...]
    policy: str
    named_by: Literal["digest", "tag"]


_FORMS: Mapping[str, _Form] = {
    "ImageDigestMirrorSet": _Form(
        "config.openshift.io", ("spec", "imageDigestMirrors"), "mirrorSourcePolicy", "digest"
    ),
    "ImageTagMirrorSet": _Form("config.openshift.io", ("spec", "imageTagMirrors"), "mirrorSourcePolicy", "tag"),
    "ImageContentSourcePolicy": _Form("operator.openshift.io", ("spec", "repositoryDigestMirrors"), "", "digest"),
}
_INSTALL_CONFIG_FORMS = (
    _Form("", ("imageDigestSources",), "sourcePolicy", "digest"),
    _Form("", ("imageContentSources",), "", "digest"),
)


def parse_mirror_sets(value: Any, where: str, problems: Problems) -> list[MirrorSource]:
    """The entries of one document: a mirror set, a List of them, or an install-config.

    Other objects, such as a CatalogSource, have none. ``where`` names the document.
    """
    if not isinstance(value, Mapping):
        hint = f"Set it to {MIRRORS_EXPECTED}"
        problems.error("not-a-map", where, f"is {type_name(value)}, expected an object", hint)
        return []
    items = value.get("items")
    if isinstance(items, list) and str(value.get("kind", "List")).endswith("List"):
        return [
            entry
            for index, item in enumerate(items)
            for entry in parse_mirror_sets(item, f"{where}, items[{index}]", problems)
        ]
    if value.get("kind", _INSTALL_CONFIG) == _INSTALL_CONFIG:
        return _install_config_sources(value, where, problems)
    form = _FORMS.get(str(value["kind"]))
    if form is None or str(value.get("apiVersion", "")).partition("/")[0] != form.group:
        return []
    name = nested(value, "metadata", "name")
    return list(_sources(value, form, f"{where}, {value['kind']} {name}" if name else where, problems))


def check_policies(entries: Iterable[MirrorSource], problems: Problems) -> None:
    """Report a source that one mirror set allows to contact and another does not. A cluster ignores all sets then."""
    first: dict[str, MirrorSource] = {}
    for entry in entries:
        known = first.setdefault(entry.source, entry)
        if known.never != entry.never:
            never, allows = (known, entry) if known.never else (entry, known)
            message = f"has {_NEVER} in {never.where} and {_ALLOW} in {allows.where}, expected the same policy"
            problems.error(
                "conflicting-source-policy", f"source {entry.source}", message, "Set one policy for the source"
            )


def _install_config_sources(value: Mapping[str, Any], where: str, problems: Problems) -> list[MirrorSource]:
    given = [form for form in _INSTALL_CONFIG_FORMS if value.get(form.path[0]) is not None]
    if len(given) > 1:
        names = " and ".join(form.path[0] for form in given)
        problems.error("conflicting-mirrors", where, f"has {names}, expected one of them", "Keep imageDigestSources")
    return [entry for form in given for entry in _sources(value, form, where, problems)]


def _sources(value: Mapping[str, Any], form: _Form, where: str, problems: Problems) -> Iterator[MirrorSource]:
    entries = nested(value, *form.path)
    # An install-config as a value has no name.
    field = ", ".join(filter(None, (where, ".".join(form.path))))
    if entries is None:
        return
    if not isinstance(entries, list):
        problems.error("not-a-list", field, f"is {type_name(entries)}, expected a list", "Write a list")
        return
    for index, entry in enumerate(entries):
        at = f"{field}[{index}]"
        if not isinstance(entry, Mapping):
            problems.error("not-a-map", at, f"is {type_name(entry)}, expected a map", "Write source and mirrors")
            continue
        found = _source(entry, form, at, problems)
        if found is not None:
            yield found


def _source(entry: Mapping[str, Any], form: _Form, at: str, problems: Problems) -> MirrorSource | None:
    before = len(problems)
    source = entry.get("source")
    if not isinstance(source, str) or not (is_location(source) or _WILDCARD.fullmatch(source)):
        problems.error(
            "invalid-source", f"{at}.source", f"is {shown(source)}, expected HOST[:PORT][/PATH]", "Correct it"
        )
    mirrors = entry.get("mirrors") or []
    if not isinstance(mirrors, list):
        problems.error("not-a-list", f"{at}.mirrors", f"is {type_name(mirrors)}, expected a list", "Write a list")
        mirrors = []
    for index, mirror in enumerate(mirrors):
        if not isinstance(mirror, str) or not is_location(mirror):
            message = f"is {shown(mirror)}, expected HOST[:PORT][/PATH]"
            problems.error("invalid-mirror", f"{at}.mirrors[{index}]", message, "Correct it")
    policy = (entry.get(form.policy) if form.policy else None) or _ALLOW
    if policy not in (_NEVER, _ALLOW):
        message = f"is {shown(policy)}, expected {_NEVER} or {_ALLOW}"
        problems.error("invalid-source-policy", f"{at}.{form.policy}", message, "Correct it")
    if policy == _NEVER and source in mirrors:
        message = f"is {_NEVER}, but the source {shown(source)} is one of its mirrors"
        problems.error("invalid-source-policy", f"{at}.{form.policy}", message, "Remove the source from mirrors")
    if len(problems) > before:
        return None
    return MirrorSource(str(source), tuple(mirrors), form.named_by, never=policy == _NEVER, where=at)
