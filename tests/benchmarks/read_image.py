# Copyright: Contributors to the capability.openshift collection
# SPDX-License-Identifier: GPL-3.0-or-later

"""Read a release from its image into a cache, as the modules do: read_image.py PULL-SPEC CA CACHE"""

from __future__ import annotations

import sys

from ansible_collections.capability.openshift.plugins.module_utils._problems import Problems
from ansible_collections.capability.openshift.plugins.module_utils._registry.access_options import AccessOptions
from ansible_collections.capability.openshift.plugins.module_utils._release_image.open_release import open_release
from ansible_collections.capability.openshift.plugins.module_utils._release_image.release_source import ReleaseSource


def main() -> None:
    """Read the release that the command line names."""
    pull_spec, ca, cache = sys.argv[1:]
    open_release(pull_spec, ReleaseSource(AccessOptions(ca_path=ca), cache), Problems())


if __name__ == "__main__":
    main()
