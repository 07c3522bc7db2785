# Copyright: Contributors to the capability.openshift collection
# SPDX-License-Identifier: GPL-3.0-or-later

"""The subcommands. Each is a module that writes to no cluster: its options, its documentation and its text."""

from __future__ import annotations

from collections.abc import Mapping
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

if TYPE_CHECKING:
    from ...module_utils._module.main import ModuleDefinition

PROGRAM = "openshift-capability"
_ROOT = __package__.rsplit(".", 2)[0]


class Subcommand(NamedTuple):
    """A subcommand. Options in ``positional`` need no name. Those in ``hidden`` make sense only in Ansible."""

    name: str
    module: str
    positional: tuple[str, ...]
    hidden: tuple[str, ...] = ()
    defaults: Mapping[str, str] = {}

    def definition(self) -> ModuleDefinition:
        """The module, with the options of the subcommand."""
        definition: ModuleDefinition = import_module(f"{_ROOT}.modules.{self.module}").MODULE
        spec = {name: option for name, option in definition.spec.items() if name not in ("chdir", *self.hidden)}
        for name, value in self.defaults.items():
            spec[name] = {**spec[name], "required": False, "default": value}
        return definition._replace(spec=spec)

    def short_description(self) -> str:
        """The first sentence of the documentation, without the costs of reading YAML."""
        source = (Path(__file__).parents[2] / "modules" / f"{self.module}.py").read_text(encoding="utf-8")
        return source.partition("\nshort_description: ")[2].partition("\n")[0]

    def documentation(self) -> dict[str, Any]:
        """The ``DOCUMENTATION`` of the module, with the options and notes of its fragments."""
        from ...module_utils._yaml.libyaml import load_body

        own: dict[str, Any] = load_body(import_module(f"{_ROOT}.modules.{self.module}").DOCUMENTATION.encode())
        parts: list[dict[str, Any]] = []
        for name in own["extends_documentation_fragment"]:
            _namespace, _collection, fragment, part = f"{name}.documentation".split(".")[:4]
            # Those on attributes are about Ansible.
            if fragment != "_attributes":
                holder = import_module(f"{_ROOT}.doc_fragments.{fragment}").ModuleDocFragment
                parts.append(load_body(getattr(holder, part.upper()).encode()))
        options = {name: option for each in (*parts, own) for name, option in each.get("options", {}).items()}
        notes = [note for each in (*parts, own) for note in each.get("notes", ())]
        return {"description": own["description"], "options": options, "notes": notes}


SUBCOMMANDS = {
    subcommand.name: subcommand
    for subcommand in (
        Subcommand("inspect", "release_info", ("release",)),
        Subcommand("manifests", "release_manifests", ("release",)),
        Subcommand("plan", "update_plan", ("releases",)),
        Subcommand("select", "install_config", ("path",), ("hosts", "host_variable", "host_error_variable")),
        Subcommand("check-sites", "site_check", ("checkout",), defaults={"checkout": "."}),
        Subcommand("lint", "release_lint", ("release",)),
        Subcommand("addons", "addon_check", ("addons",)),
        Subcommand("mirror", "mirror_check", ("release",)),
        Subcommand("fetch", "release_fetch", ("release", "dest")),
    )
}
