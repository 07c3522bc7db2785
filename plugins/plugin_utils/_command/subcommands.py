# Copyright: Contributors to the capability.openshift collection
# SPDX-License-Identifier: GPL-3.0-or-later

"""The subcommands. Each is a module: its options, its documentation and its text. Only one writes to a cluster."""

from __future__ import annotations

from collections.abc import Mapping
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from ...module_utils._module.main import ModuleDefinition

PROGRAM = "openshift-capability"

_MODULES = Path(__file__).parents[2] / "modules"
_ROOT = __package__.rsplit(".", 2)[0]
_GROUPS = {
    "": "options",
    "_release": "options",
    "_acceptances": "options",
    "_selection": "options of the cluster",
    "_findings": "options of findings",
    "_release_image": "options of images and registries",
    "_auth": "options of the connection to a cluster",
}
"""The title of the options that a fragment of the documentation contains, in the order of the help."""


class Subcommand(NamedTuple):
    """A subcommand. Options in ``positional`` need no name.

    ``examples``: words after its name, for files below ``examples/``.
    ``required``: options of which one has to be set, besides the ``rules`` of the module. ``alias``: the name and the
    description of a second subcommand for a module.
    """

    module: str
    positional: tuple[str, ...]
    examples: tuple[str, ...]
    defaults: Mapping[str, str] = {}
    required: tuple[str, ...] = ()
    alias: tuple[str, str] | None = None

    @property
    def name(self) -> str:
        """The name of the module with dashes, or the ``alias``."""
        return self.alias[0] if self.alias else self.module.replace("_", "-")

    def short_description(self) -> str:
        """What it does, without the costs of reading YAML."""
        if self.alias:
            return self.alias[1]
        source = (_MODULES / f"{self.module}.py").read_text(encoding="utf-8")
        return source.partition("\nshort_description: ")[2].partition("\n")[0]

    def definition(self) -> ModuleDefinition:
        """The module, with the options of the subcommand."""
        definition: ModuleDefinition = import_module(f"{_ROOT}.modules.{self.module}").MODULE
        spec = {name: option for name, option in definition.spec.items() if name != "chdir"}
        for name, value in self.defaults.items():
            spec[name] = {**spec[name], "required": False, "default": value}
        rules = dict(definition.rules)
        if self.required:
            rules["required_one_of"] = [*rules.get("required_one_of", ()), self.required]
        return definition._replace(spec=spec, rules=rules)

    def documentation(self) -> dict[str, dict[str, str]]:
        """The first paragraph on each option, by the titles of their groups."""
        # Imported here, because only --help needs YAML.
        from .._documentation import option_texts, read_documentation

        spec = self.definition().spec
        groups: dict[str, dict[str, str]] = {title: {} for title in _GROUPS.values()}
        for name, (fragment, text) in option_texts(read_documentation(self.module)).items():
            if name in spec:
                groups[_GROUPS[fragment]][name] = text
        return groups


_COMPARED = ("previous_release", "previous_capabilities")

SUBCOMMANDS = {
    subcommand.name: subcommand
    for subcommand in (
        Subcommand(
            "release_info",
            ("release",),
            (
                "releases/4.22.0",
                "releases/4.22.0 --capabilities '{baselineCapabilitySet: None}'",
                "releases/4.22.0 --resource-kind Deployment",
            ),
        ),
        Subcommand(
            "release_info",
            ("release",),
            (
                "releases/4.22.0 --previous-release releases/4.21.0",
                "releases/4.22.0 --capabilities '{baselineCapabilitySet: None}' --previous-capabilities '{}'",
            ),
            required=_COMPARED,
            alias=("release-compare", "Compare what two releases, or two selections, bring to a cluster"),
        ),
        Subcommand(
            "release_manifests",
            ("release",),
            (
                "releases/4.22.0 --capabilities '{excluded_capabilities: [Console]}' --dest manifests",
                "releases/4.22.0 --credentials-requests --platform aws",
                "releases/4.22.0 --images",
            ),
        ),
        Subcommand(
            "update_plan",
            ("releases",),
            (
                "releases/4.21.0 releases/4.22.0",
                "releases/4.21.0 releases/4.22.0 --capabilities '{excluded_capabilities: [Console]}' --fail-on risk",
                "releases/4.21.0 releases/4.22.0 --forbidden-capabilities all",
                "releases/4.21.0 releases/4.22.0 --report plan.html",
            ),
        ),
        Subcommand(
            "cluster_update",
            ("version",),
            ("4.20.3 --kubeconfig kubeconfig --check --diff",),
        ),
        Subcommand(
            "install_config",
            ("path",),
            (
                "--solution headless --openshift-version 4.20 --content '{platform: {aws: {region: eu-north-1}}}'",
                "--solution managed_service --openshift-version 4.20 --install-method hosted",
            ),
        ),
        Subcommand(
            "site_check",
            ("checkout",),
            ("sites", "sites --solution ran_du --state fixed --check --diff", "sites --format sarif"),
            defaults={"checkout": "."},
        ),
        Subcommand(
            "release_lint",
            ("release",),
            ("releases/4.22.0 --previous-release releases/4.21.0",),
        ),
        Subcommand(
            "addon_check",
            ("addons",),
            ("sites --release releases/4.22.0 --capabilities '{baselineCapabilitySet: None}'",),
        ),
        Subcommand(
            "mirror_check",
            ("release",),
            (
                "quay.io/openshift-release-dev/ocp-release:4.20.3-x86_64 --mirrors working-dir/cluster-resources",
                "RELEASE --previous-release PREVIOUS --mirrors cluster-resources --signature-stores signatures",
            ),
        ),
    )
}


def is_module(name: str) -> bool:
    """Whether the collection has a module with the name of a subcommand."""
    return (_MODULES / f"{name.replace('-', '_')}.py").is_file()
