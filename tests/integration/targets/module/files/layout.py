# Copyright: Contributors to the capability.openshift collection
# SPDX-License-Identifier: GPL-3.0-or-later

"""Write an OCI layout with one image, whose only layer has the files of a release.

layout.py RELEASE LAYOUT
"""

from __future__ import annotations

import hashlib
import io
import json
import sys
import tarfile
from pathlib import Path
from typing import Any


def main() -> None:
    """Write the layout."""
    release, layout = map(Path, sys.argv[1:])
    blobs = layout / "blobs" / "sha256"
    blobs.mkdir(parents=True)

    def descriptor(data: bytes, kind: str) -> dict[str, Any]:
        digest = hashlib.sha256(data).hexdigest()
        (blobs / digest).write_bytes(data)
        return {"mediaType": f"application/vnd.oci.image.{kind}", "digest": f"sha256:{digest}", "size": len(data)}

    buffer = io.BytesIO()
    with tarfile.open(fileobj=buffer, mode="w") as archive:
        for name in ("release-manifests", "manifests"):
            archive.add(release / name, name)
    config = {"architecture": "amd64", "os": "linux", "config": {}, "rootfs": {"type": "layers", "diff_ids": []}}
    manifest = {
        "schemaVersion": 2,
        "config": descriptor(json.dumps(config).encode(), "config.v1+json"),
        "layers": [descriptor(buffer.getvalue(), "layer.v1.tar")],
    }
    image = descriptor(json.dumps(manifest).encode(), "manifest.v1+json")
    image["annotations"] = {"org.opencontainers.image.ref.name": "4.20.3"}
    (layout / "oci-layout").write_text('{"imageLayoutVersion": "1.0.0"}')
    (layout / "index.json").write_text(json.dumps({"schemaVersion": 2, "manifests": [image]}))


if __name__ == "__main__":
    main()
