# Copyright: Contributors to the capability.openshift collection
# SPDX-License-Identifier: GPL-3.0-or-later

"""The yardstick: every document of a release through PyYAML's fastest loader."""

from __future__ import annotations

import sys
import time
from pathlib import Path

import yaml


class Loader(yaml.CSafeLoader):
    """Without the resolver of a bare ``=``, over which PyYAML stumbles."""

    yaml_implicit_resolvers = {
        first: [(tag, how) for tag, how in resolvers if tag != "tag:yaml.org,2002:value"]
        for first, resolvers in yaml.CSafeLoader.yaml_implicit_resolvers.items()
    }


def main() -> None:
    """Load and count."""
    start = time.process_time()
    documents = 0
    for directory in ("manifests", "release-manifests"):
        for path in sorted((Path(sys.argv[1]) / directory).iterdir()):
            if path.suffix not in (".yaml", ".yml", ".json"):
                continue
            data = path.read_bytes()
            if directory == "manifests":
                data = data.replace(b"{{.ReleaseImage}}", b"image").replace(b"{{ .ClusterProfile }}", b"profile")
            documents += sum(1 for document in yaml.load_all(data, Loader=Loader) if document is not None)
    print(documents, time.process_time() - start)


if __name__ == "__main__":
    main()
