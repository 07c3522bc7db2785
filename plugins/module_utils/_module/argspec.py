# Copyright: Contributors to the capability.openshift collection
# SPDX-License-Identifier: GPL-3.0-or-later

"""Options that several modules share. The comment of each documentation fragment names its function here."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, NamedTuple

from .._capability.cluster_options import INCLUSION_OPTIONS, Fragment, InclusionOption
from .._problems import InvalidOptionError, Location, Problem, Problems, empty_option
from .._registry.access_options import AccessOptions
from .._release.release import Release
from .._release_image.opened_release import OpenedRelease
from .._release_image.release_source import DEFAULT_ARCHITECTURE, ReleaseSource, SignatureOptions
from .progress import show_progress

Spec = dict[str, dict[str, Any]]


def chdir_spec() -> Spec:
    """The directory of relative paths (fragment ``_chdir``), which ``enter_directory`` enters."""
    return {"chdir": {"type": "path"}}


def strip_items(spec: Spec, values: dict[str, Any]) -> None:
    """Remove blanks around the texts in lists: Ansible makes a list of ``A, B`` by dividing it at the comma."""
    for name, option in spec.items():
        items = values.get(name)
        if option["type"] != "list" or not isinstance(items, list):
            continue
        values[name] = [item.strip() if isinstance(item, str) else item for item in items]
        for item in items if "options" in option else ():
            strip_items(option["options"], item)


def check_paths(spec: Spec, values: Mapping[str, Any], problems: Problems) -> None:
    """Report paths that are set but empty: they would name the current directory, or count as not set.

    ``chdir`` can be empty: playbooks set it to ``PWD``, which not every environment has.
    """
    for name, option in spec.items():
        paths = values.get(name) if option.get("elements") == "path" else [values.get(name)]
        if "path" in (option["type"], option.get("elements")) and name != "chdir" and "" in (paths or ()):
            problems.append(empty_option(name, required=option.get("required", False)))


def check_rules(
    values: Mapping[str, Any], rules: Mapping[str, Any], place: Callable[[str], Location], problems: Problems
) -> None:
    """Report combinations of options that the ``rules`` of ``AnsibleModule`` forbid.

    ``place`` returns where an option is, by its name.
    """
    given = {name for name, value in values.items() if value is not None}
    for names in rules.get("mutually_exclusive", ()):
        first, *others = [place(name) for name in names if name in given] or [Location()]
        for other in others:
            problems.error("conflicting-options", other, f"cannot be combined with {first}", "Remove one of them")
    for names in rules.get("required_one_of", ()):
        if given.isdisjoint(names):
            places = " or ".join(str(place(name)) for name in names)
            problems.error("missing-option", places, "is required", "Set one of them")
    for name, needed in rules.get("required_by", {}).items():
        if name in given and needed not in given:
            problems.error("missing-option", place(needed), f"is required, because {place(name)} is set", "Set it")


def release_spec() -> Spec:
    """Options that name a release (fragment ``_release``)."""
    return {
        "release": {"type": "path", "required": True},
        "openshift_version": {"type": "str"},
        "release_image": {"type": "str"},
        **release_image_spec(),
    }


class ReleaseOptions(NamedTuple):
    """The options of ``release_spec``, and the cluster profile. ``source``: how a release in an image is read."""

    release: str
    openshift_version: str | None
    release_image: str | None
    cluster_profile: str
    source: ReleaseSource

    @classmethod
    def from_params(cls, params: Mapping[str, Any]) -> ReleaseOptions:
        """The options of a module."""
        return cls(source=release_source(params), **{name: params[name] for name in cls._fields[:-1]})

    def load(self, opened: OpenedRelease, problems: Problems) -> Release:
        """Load the release that was ``opened``; its pull spec is the default of ``release_image``.

        Raises ``ReleaseError``, and ``InvalidOptionError`` if ``release_image`` has the digest of another image.
        """
        digest = (self.release_image or "").partition("@")[2]
        image = opened.image if opened.pull_spec else None
        # The copy of an image in an archive can have another digest.
        if image and digest and digest not in (image.digest, image.manifest_digest):
            message = f"has the digest {digest}, but release is the image {opened.digest}"
            hint = "Remove it, or set the digest of the release"
            raise InvalidOptionError([Problem("error", "conflicting-options", "release_image", message, hint)])
        return opened.load(
            problems,
            openshift_version=self.openshift_version,
            cluster_profile=self.cluster_profile,
            release_image=self.release_image or opened.pull_spec or None,
        )


def acceptances_spec() -> Spec:
    """What is accepted although it is against an update, and for which cluster (fragment ``_acceptances``)."""
    entry: Spec = {
        "name": {"type": "str", "required": True},
        "reason": {"type": "str", "required": True},
        "expires": {"type": "str"},
        "clusters": {"type": "list", "elements": "str"},
    }
    return {
        "acceptances": {"type": "list", "elements": "dict", "options": entry, "default": []},
        "cluster_name": {"type": "str"},
    }


def release_image_spec() -> Spec:
    """Options for releases in images, and for registries (fragment ``_release_image``)."""
    return {
        "architecture": {"type": "str", "default": DEFAULT_ARCHITECTURE},
        "release_cache": {"type": "path"},
        "signature": {"type": "str", "choices": ["required", "warn", "ignore"], "default": "warn"},
        "signature_keys": {"type": "list", "elements": "path", "default": [], "no_log": False},
        "signature_stores": {"type": "list", "elements": "raw", "default": []},
        "pull_secret": {"type": "json", "no_log": True},
        "auth_file": {"type": "path"},
        "ca_path": {"type": "path"},
        "insecure_registries": {"type": "list", "elements": "str", "default": []},
        "mirrors": {"type": "list", "elements": "raw", "default": []},
    }


def release_source(params: Mapping[str, Any]) -> ReleaseSource:
    """The options of ``release_image_spec``."""
    signature = SignatureOptions(params["signature"], params["signature_keys"], params["signature_stores"])
    cache, architecture = params["release_cache"], params["architecture"]
    access = AccessOptions(**{name: params[name] for name in AccessOptions._fields})
    return ReleaseSource(access, cache, architecture, signature, show_progress)


def cluster_options_spec(*, defaults: bool = True) -> Spec:
    """Everything that decides which manifests a cluster includes (all fragments of ``_selection`` for modules).

    Without ``defaults``, an option that is not set is ``None``: it is read from a cluster, or set for all clusters.
    """
    inclusion = {option.name: _spec(option, defaults=defaults) for option in INCLUSION_OPTIONS}
    return {"capabilities": {"type": "dict"}, "solution": {"type": "str"}, **inclusion}


def inclusion_spec(*fragments: Fragment, defaults: bool = True) -> Spec:
    """The options of some ``fragments`` of ``_selection``. ``defaults``: as for ``cluster_options_spec``."""
    return {
        option.name: _spec(option, defaults=defaults) for option in INCLUSION_OPTIONS if option.fragment in fragments
    }


def rollout_spec() -> Spec:
    """Options that default to what the cluster reports (fragments ``_rollout``, ``_selection.inclusion``
    and ``_selection.hosting``).
    """
    shared = inclusion_spec("hosting", "inclusion", "overrides")
    return {**inclusion_spec("cluster_type", defaults=False), **shared}


def _spec(option: InclusionOption, *, defaults: bool) -> dict[str, Any]:
    spec: dict[str, Any] = {"type": "list", "elements": option.items} if option.items else {"type": option.type}
    if defaults and option.default is not None:
        spec["default"] = option.default
    if option.api_name:
        spec["aliases"] = [option.api_name]
    return spec


def check_wait_timeout(seconds: int, problems: Problems, option: str = "wait_timeout") -> None:
    """Report a negative value of ``option``."""
    if seconds < 0:
        problems.error("invalid-timeout", option, f"is {seconds}, expected seconds", "Give 0 or more")
