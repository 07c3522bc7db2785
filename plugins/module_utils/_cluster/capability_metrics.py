# Copyright: Contributors to the capability.openshift collection
# SPDX-License-Identifier: GPL-3.0-or-later

# Note that this module util is **PRIVATE** to the collection. It can have breaking changes at any time.

"""The capabilities of a cluster as the metric that the CVO exports."""

from __future__ import annotations

from collections.abc import Iterable

NAME = "cluster_version_capability"


def capability_metrics(enabled: Iterable[str], known: Iterable[str]) -> str:
    """Return Prometheus' text format: 1 for each name that is on, known or not, 0 for the others that are known.

    Source: openshift/cluster-version-operator:pkg/cvo/metrics.go.
    """
    is_on = frozenset(enabled)
    lines = [
        f"# HELP {NAME} Report currently enabled cluster capabilities.  0 is disabled, and 1 is enabled.",
        f"# TYPE {NAME} gauge",
        *(f'{NAME}{{name="{name}"}} {int(name in is_on)}' for name in sorted({*is_on, *known})),
    ]
    return "\n".join(lines) + "\n"
