# Copyright: Contributors to the capability.openshift collection
# SPDX-License-Identifier: GPL-3.0-or-later

"""Run one module as Ansible's wrapper does, without that wrapper: call_module.py FQCN JSON-OPTIONS."""

from __future__ import annotations

import importlib
import json
import sys

from ansible.module_utils import basic


def main() -> None:
    """Run the module that the command line names, and end as it ends."""
    fqcn, options = sys.argv[1:]
    namespace, collection, name = fqcn.split(".")
    module = importlib.import_module(f"ansible_collections.{namespace}.{collection}.plugins.modules.{name}")
    # As the wrapper does. ``ansible.module_utils.testing`` imports half of asyncio, which no task does.
    basic._ANSIBLE_ARGS = json.dumps({"ANSIBLE_MODULE_ARGS": json.loads(options)}).encode()
    basic._ANSIBLE_PROFILE = "legacy"
    module.main()


if __name__ == "__main__":
    main()
