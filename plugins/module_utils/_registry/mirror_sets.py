# Copyright: Contributors to the capability.openshift collection
# SPDX-License-Identifier: GPL-3.0-or-later

# Note that this module util is **PRIVATE** to the collection. It can have breaking changes at any time.

"""Rules from mirror sets: objects of a cluster, and the mirrors in an install-config.

Sources: openshift/api:config/v1/types_image_digest_mirror_set.go, types_image_tag_mirror_set.go,
operator/v1alpha1/types_image_content_source_policy.go; openshift/installer:pkg/types/installconfig.go;
openshift/machine-config-operator:pkg/controller/container-runtime-config/helpers.go validateRegistriesConfScopes.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple

from .._problems import Problems, shown, type_name
from .._unstructured import nested
from .mirrors import Mirror, PullBy, RegistryRule, is_location

MIRRORS_EXPECTED = "an ImageDigestMirrorSet, ImageTagMirrorSet, ImageContentSourcePolicy or install-config"
_NEVER, _ALLOW = "NeverContactSource", "AllowContactingSource"
_WILDCARD = re.compile(r"\*\.[a-zA-Z0-9](?:[a-zA-Z0-9.-]*[a-zA-Z0-9])?")


class _Form(NamedTuple):
    """Where one kind has its list of sources, and which images its mirrors are for."""

    group: str
    path: tuple[str, ...]
    policy: str
    pull: PullBy


_FORMS: Mapping[str, _Form] = {
    "ImageDigestMirrorSet": _Form(
        "config.openshift.io", ("spec", "imageDigestMirrors"), "mirrorSourcePolicy", "digest-only"
    ),
    "ImageTagMirrorSet": _Form("config.openshift.io", ("spec", "imageTagMirrors"), "mirrorSourcePolicy", "tag-only"),
    "ImageContentSourcePolicy": _Form("operator.openshift.io", ("spec", "repositoryDigestMirrors"), "", "digest-only"),
}
_INSTALL_CONFIG_FORMS = (
    _Form("", ("imageDigestSources",), "sourcePolicy", "digest-only"),
    _Form("", ("imageContentSources",), "", "digest-only"),
)


def parse_mirror_sets(value: Any, where: str, problems: Problems) -> list[RegistryRule]:
    """The rules of one document: a mirror set, a List of them, or an install-config.

    Other objects, such as a CatalogSource, have none. ``where`` names the document.
    """
    if not isinstance(value, Mapping):
        hint = f"Set it to {MIRRORS_EXPECTED}"
        problems.error("not-a-map", where, f"is {type_name(value)}, expected an object", hint)
        return []
    items = value.get("items")
    if isinstance(items, list) and str(value.get("kind", "List")).endswith("List"):
        return [
            rule
            for index, item in enumerate(items)
            for rule in parse_mirror_sets(item, f"{where}, items[{index}]", problems)
        ]
    if "kind" not in value:
        return _install_config_rules(value, where, problems)
    form = _FORMS.get(str(value["kind"]))
    if form is None or str(value.get("apiVersion", "")).partition("/")[0] != form.group:
        return []
    name = nested(value, "metadata", "name")
    return list(_rules(value, form, f"{where}, {value['kind']} {name}" if name else where, problems))


def check_policies(rules: list[RegistryRule], problems: Problems) -> None:
    """Report a source that one mirror set allows to contact and another does not. A cluster ignores all sets then."""
    first: dict[str, RegistryRule] = {}
    for rule in rules:
        known = first.setdefault(rule.prefix, rule)
        if known.blocked != rule.blocked:
            never, allows = (known, rule) if known.blocked else (rule, known)
            message = f"has {_NEVER} in {never.where} and {_ALLOW} in {allows.where}, expected the same policy"
            problems.error(
                "conflicting-source-policy", f"source {rule.prefix}", message, "Set one policy for the source"
            )


def _install_config_rules(value: Mapping[str, Any], where: str, problems: Problems) -> list[RegistryRule]:
    given = [form for form in _INSTALL_CONFIG_FORMS if form.path[0] in value]
    if len(given) > 1:
        names = " and ".join(form.path[0] for form in given)
        problems.error("conflicting-mirrors", where, f"has {names}, expected one of them", "Keep imageDigestSources")
    return [rule for form in given for rule in _rules(value, form, where, problems)]


def _rules(value: Mapping[str, Any], form: _Form, where: str, problems: Problems) -> Iterator[RegistryRule]:
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
        rule = _rule(entry, form, at, problems)
        if rule is not None:
            yield rule


def _rule(entry: Mapping[str, Any], form: _Form, at: str, problems: Problems) -> RegistryRule | None:
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
    usable = tuple(Mirror(mirror, pull=form.pull) for mirror in mirrors)
    return RegistryRule(str(source), at, blocked=policy == _NEVER, mirrors=usable)
