# Copyright: Contributors to the capability.openshift collection
# SPDX-License-Identifier: GPL-3.0-or-later

"""Signatures of releases: known keys, and the gate of an administrator about sigstore.

A release brings key rings for other releases. For its own signature, they prove something only if their keys are known.
Source of the keys: openshift/cluster-update-keys:keys, https://access.redhat.com/security/team/key
"""

from __future__ import annotations

from .version import Minor

RED_HAT_KEYS = frozenset(
    {
        # Red Hat, Inc. (release key 2)
        "567E347AD0044ADE55BA8A5F199E2F91FD431D51",
        # Red Hat, Inc. (beta key 2)
        "B08B659EE86AF623BC90E8DB938A80CAF21541EB",
    }
)
"""Fingerprints. A fingerprint contains the key: another key cannot have it."""

SIGSTORE_GATE = "ack-4.20-sigstore-in-4.21"
"""The machine-config operator adds it to a cluster that has an ImageDigestMirrorSet or an ImageContentSourcePolicy,
whatever they mirror.
"""

SIGSTORE_GATE_TEXT = (
    "Nodes of 4.21 pull release images only with a sigstore signature, which has to be in the mirror next to the image"
)
SIGSTORE_GATE_SOURCE = "openshift/machine-config-operator:pkg/controller/container-runtime-config"
SIGSTORE_GATE_UPDATES = (Minor(4, 20), Minor(4, 21))
