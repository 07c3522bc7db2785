# Copyright: Contributors to the capability.openshift collection
# SPDX-License-Identifier: GPL-3.0-or-later

# Note that this module util is **PRIVATE** to the collection. It can have breaking changes at any time.

"""Rules from registries.conf and its drop-in files, in version 2 of their format.

Sources: containers/image:docs/containers-registries.conf.5.md;
containers/image:pkg/sysregistriesv2/system_registries_v2.go newConfigWrapper, dropInConfigs, postProcessRegistries.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterator, Mapping
from typing import Any

from .._problems import Problems, shown, type_name
from .mirrors import Mirror, PullBy, RegistryRule, is_location

_CONF_VARIABLE = "CONTAINERS_REGISTRIES_CONF"
_CONF, _DROP_INS = "registries.conf", "registries.conf.d"
_SYSTEM = "/etc/containers"
_PULL_BY: tuple[PullBy, ...] = ("all", "digest-only", "tag-only")
_WILDCARD = re.compile(r"\*\.[^/@:*]+")
_HINT = "See man containers-registries.conf"


def read_registries_conf(path: str | None, environ: Mapping[str, str], problems: Problems) -> tuple[RegistryRule, ...]:
    """Read ``path``, else the files that podman and skopeo would read.

    ``path`` is a file, or a directory with ``registries.conf``, ``registries.conf.d`` or both, such as a copy of
    ``/etc/containers``. It must exist, and so must the file that ``CONTAINERS_REGISTRIES_CONF`` names.
    """
    rules: dict[str, RegistryRule] = {}
    for file, required in _files(path, environ, problems):
        content = _load(file, problems, required=required)
        if content is not None:
            rules.update(_parse_rules(content, file, problems))
    return tuple(rules.values())


def _files(path: str | None, environ: Mapping[str, str], problems: Problems) -> Iterator[tuple[str, bool]]:
    """Yield each file to read, and whether it must exist. A rule in a later file replaces that of an earlier one."""
    if path and os.path.isdir(path):
        main, folders = os.path.join(path, _CONF), [os.path.join(path, _DROP_INS)]
        if not os.path.exists(main) and not os.path.isdir(folders[0]):
            message = f"contains neither {_CONF} nor {_DROP_INS}"
            problems.error("missing-file", f"registries_conf ({path})", message, "Set the path of a registries.conf")
        yield main, False
    elif path:
        yield path, True
        return
    else:
        user = os.path.join(environ.get("HOME") or os.path.expanduser("~"), ".config", "containers")
        folders = [os.path.join(_SYSTEM, _DROP_INS), os.path.join(user, _DROP_INS)]
        named = environ.get(_CONF_VARIABLE)
        if named:
            yield named, True
        elif os.path.exists(os.path.join(user, _CONF)):
            folders = folders[1:]
            yield os.path.join(user, _CONF), False
        else:
            yield os.path.join(_SYSTEM, _CONF), False
    for folder in folders:
        names = sorted(os.listdir(folder)) if os.path.isdir(folder) and os.access(folder, os.R_OK | os.X_OK) else []
        yield from ((os.path.join(folder, name), False) for name in names if name.endswith(".conf"))


def _load(path: str, problems: Problems, *, required: bool) -> dict[str, Any] | None:
    import tomllib  # only for those who have such a file

    where = f"registries.conf ({path})"
    try:
        with open(path, "rb") as handle:
            return tomllib.load(handle)
    except (FileNotFoundError, IsADirectoryError) as error:
        if required:
            problems.error("missing-file", where, f"cannot be read: {error.strerror}", "Set registries_conf to a file")
    except ValueError as error:
        problems.error("invalid-toml", where, f"is not TOML: {error}", _HINT)
    except OSError as error:
        problems.error("unreadable-file", where, f"cannot be read: {error.strerror or error}", "Check the permissions")
    return None


def _parse_rules(content: Mapping[str, Any], path: str, problems: Problems) -> dict[str, RegistryRule]:
    """The rules of one file by prefix. The first rule of a prefix counts."""
    where = f"registries.conf ({path})"
    content = _folded(content)
    if "registries" in content:
        message = "has version 1 of the format ([registries.search] and so on), expected [[registry]]"
        problems.error("unsupported-format", where, message, "Convert it to version 2")
        return {}
    entries = content.get("registry", [])
    if not isinstance(entries, list) or not all(isinstance(entry, dict) for entry in entries):
        problems.error("invalid-registry", where, "has registry in another form than [[registry]]", _HINT)
        return {}
    rules: dict[str, RegistryRule] = {}
    by_location: dict[str, RegistryRule] = {}
    for index, entry in enumerate(entries):
        rule = _parse_rule(_folded(entry), f"{where}, registry[{index}]", problems)
        if rule is not None:
            rules.setdefault(rule.prefix, rule)
            _check_conflict(by_location.setdefault(rule.location or rule.prefix, rule), rule, problems)
    return rules


def _check_conflict(one: RegistryRule, other: RegistryRule, problems: Problems) -> None:
    for field in ("insecure", "blocked"):
        if getattr(one, field) != getattr(other, field):
            message = f"differs from that of {one.where}, which has the same location; expected the same value"
            problems.error("conflicting-registry", f"{other.where}.{field}", message, "Set the same value in both")


def _folded(table: Mapping[str, Any]) -> dict[str, Any]:
    """A table with its names in lower case. The case of names has no effect."""
    return {name.lower(): value for name, value in table.items()}


def _parse_rule(entry: Mapping[str, Any], at: str, problems: Problems) -> RegistryRule | None:
    before = len(problems)
    location = _location(entry, "location", at, problems)
    prefix = _location(entry, "prefix", at, problems) or location
    if len(problems) > before:
        return None
    if not prefix:
        problems.error("missing-location", at, "has neither location nor prefix", "Set location")
    elif prefix.startswith("*") and not _WILDCARD.fullmatch(prefix):
        message = f"is {shown(prefix)}, expected *.DOMAIN without a port or path"
        problems.error("invalid-prefix", f"{at}.prefix", message, "Correct it")
    elif not location and not prefix.startswith("*."):
        problems.error("missing-location", at, f"has the prefix {shown(prefix)} and no location", "Set location")
    if "pull-from-mirror" in entry:
        message = "is set for a registry, expected it for a mirror"
        problems.error("invalid-pull-from-mirror", f"{at}.pull-from-mirror", message, "Move it to [[registry.mirror]]")
    digest_only = _flag(entry, "mirror-by-digest-only", at, problems)
    insecure, blocked = _flag(entry, "insecure", at, problems), _flag(entry, "blocked", at, problems)
    mirrors = tuple(_parse_mirrors(entry.get("mirror", []), at, problems, digest_only=digest_only))
    if len(problems) > before:
        return None
    return RegistryRule(prefix, at, "" if location == prefix else location, insecure, blocked, mirrors)


def _parse_mirrors(entries: Any, at: str, problems: Problems, *, digest_only: bool) -> Iterator[Mirror]:
    if not isinstance(entries, list) or not all(isinstance(entry, dict) for entry in entries):
        problems.error("invalid-mirror", f"{at}.mirror", "is not a list of tables", "Write [[registry.mirror]]")
        return
    for index, entry in enumerate(map(_folded, entries)):
        here = f"{at}.mirror[{index}]"
        location = _location(entry, "location", here, problems)
        if entry.get("location", "") == "":
            problems.error("missing-location", here, "has no location", "Set location")
        pull = entry.get("pull-from-mirror", "")
        if pull and digest_only:
            message = "is set, and so is mirror-by-digest-only of its registry; expected one of them"
            problems.error("conflicting-pull-from-mirror", f"{here}.pull-from-mirror", message, "Remove one of them")
        elif pull and pull not in _PULL_BY:
            message = f"is {shown(pull)}, expected one of {', '.join(_PULL_BY)}"
            problems.error("invalid-pull-from-mirror", f"{here}.pull-from-mirror", message, "Correct it")
        known: PullBy = next((item for item in _PULL_BY if item == pull), "all")
        insecure = _flag(entry, "insecure", here, problems)
        yield Mirror(location, insecure, pull="digest-only" if digest_only else known)


def _location(entry: Mapping[str, Any], field: str, at: str, problems: Problems) -> str:
    value = entry.get(field, "")
    location = value.rstrip("/") if isinstance(value, str) else ""
    if value == "" or is_location(location) or (field == "prefix" and location.startswith("*")):
        return location
    message = f"is {shown(value)}, expected HOST[:PORT][/PATH]"
    problems.error("invalid-location", f"{at}.{field}", message, "Write it without a scheme")
    return ""


def _flag(entry: Mapping[str, Any], field: str, at: str, problems: Problems) -> bool:
    value = entry.get(field, False)
    if not isinstance(value, bool):
        message = f"is {type_name(value)}, expected true or false"
        problems.error("not-a-boolean", f"{at}.{field}", message, "Write true or false without quotes")
    return value is True
