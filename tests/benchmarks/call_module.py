# Copyright: Contributors to the capability.openshift collection
# SPDX-License-Identifier: GPL-3.0-or-later

"""Run one module as Ansible's wrapper does, without that wrapper: call_module.py FQCN JSON-OPTIONS."""

from __future__ import annotations

import importlib
import json
import sys

from ansible.module_utils.testing import patch_module_args


def main() -> None:
    """Run the module that the command line names, and end as it ends."""
    fqcn, options = sys.argv[1:]
    namespace, collection, name = fqcn.split(".")
    module = importlib.import_module(f"ansible_collections.{namespace}.{collection}.plugins.modules.{name}")
    with patch_module_args(json.loads(options)):
        module.main()


if __name__ == "__main__":
    main()
