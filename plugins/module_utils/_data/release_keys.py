# Copyright: Contributors to the capability.openshift collection
# SPDX-License-Identifier: GPL-3.0-or-later

"""The OpenPGP keys that Red Hat signs releases with.

A release brings key rings for other releases. For its own signature, they prove something only if their keys are known.
Source: openshift/cluster-update-keys:keys, https://access.redhat.com/security/team/key
"""

from __future__ import annotations

RED_HAT_KEYS = frozenset(
    {
        # Red Hat, Inc. (release key 2)
        "567E347AD0044ADE55BA8A5F199E2F91FD431D51",
        # Red Hat, Inc. (beta key 2)
        "B08B659EE86AF623BC90E8DB938A80CAF21541EB",
    }
)
"""Fingerprints. A fingerprint contains the key: another key cannot have it."""
