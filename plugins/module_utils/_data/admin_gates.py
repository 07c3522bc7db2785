# Copyright: Contributors to the capability.openshift collection
# SPDX-License-Identifier: GPL-3.0-or-later

"""Gates that operators add while a cluster runs, so they are in no release."""

from __future__ import annotations

from .._version import Minor

SIGSTORE_GATE = "ack-4.20-sigstore-in-4.21"
"""The machine-config operator adds it to a cluster that has an ImageDigestMirrorSet or an ImageContentSourcePolicy,
whatever they mirror.
"""

SIGSTORE_GATE_TEXT = (
    "Nodes of 4.21 pull release images only with a sigstore signature, which has to be in the mirror next to the image"
)
SIGSTORE_GATE_SOURCE = "openshift/machine-config-operator:pkg/controller/container-runtime-config"
SIGSTORE_GATE_UPDATES = (Minor(4, 20), Minor(4, 21))
