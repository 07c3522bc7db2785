# Copyright: Contributors to the capability.openshift collection
# SPDX-License-Identifier: GPL-3.0-or-later

"""Repositories of operators, with the shape of manifests in which mistakes were made."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Mapping
from pathlib import Path

from ansible_collections.capability.openshift.tests.unit.builders.releases import (
    PROFILE,
    documents,
    manifest,
    write_files,
)

RBAC = "rbac.authorization.k8s.io/v1"
HOSTED = "ibm-cloud-managed"
_IDENTITY = {f"GIT_{who}_{field}": "a@b.example" for who in ("AUTHOR", "COMMITTER") for field in ("NAME", "EMAIL")}


def git(path: Path, *arguments: str) -> str:
    """Run git in ``path``, without the configuration of the user, and return its output."""
    env = {**os.environ, **_IDENTITY, "GIT_CONFIG_GLOBAL": os.devnull, "GIT_CONFIG_SYSTEM": os.devnull}
    done = subprocess.run(["git", "-C", str(path), *arguments], env=env, capture_output=True, text=True, check=True)
    return done.stdout.strip()


def write_operator(path: Path, files: Mapping[str, str], *, folder: str = "manifests") -> Path:
    """Write ``files`` to ``folder`` of the repository ``path``, and return ``path``."""
    write_files(path / folder, files)
    return path


def write_repository(path: Path, files: Mapping[str, str], branch: str = "main") -> Path:
    """Make a repository with one commit of ``files`` on ``branch``, and change to the new branch ``work``."""
    path.mkdir(parents=True)
    git(path, "init", "-q", "-b", branch)
    write_operator(path, files)
    commit(path)
    git(path, "switch", "-q", "-c", "work")
    return path


def commit(path: Path) -> None:
    """Commit everything in ``path``."""
    git(path, "add", "-A")
    git(path, "commit", "-q", "-m", "A change")


def deployment(name: str, capability: str = "", *, profile: str = PROFILE) -> str:
    """Return a Deployment in the Namespace ns."""
    more = "spec: {template: {spec: {containers: [{name: one, image: one}]}}}\n"
    return manifest(name, capability, kind="Deployment", api="apps/v1", namespace="ns", more=more, profile=profile)


def marketplace() -> dict[str, str]:
    """Return the shape of operator-framework/operator-marketplace before #465.

    The metrics Service, and the Deployment for another profile, lack the capability that all other manifests have.
    """
    named = ("ConfigMap", "ServiceAccount", "Secret")
    return {
        **{f"0{at}_{kind.lower()}.yaml": manifest("one", "marketplace", kind=kind) for at, kind in enumerate(named)},
        **{f"1{at}_config.yaml": manifest(f"config-{at}", "marketplace") for at in range(4)},
        "20_service.yaml": manifest("metrics", kind="Service"),
        "21_operator-ibm-cloud-managed.yaml": deployment("operator", profile=HOSTED),
        "22_operator.yaml": deployment("operator", "marketplace"),
        "23_clusteroperator.yaml": manifest(
            "marketplace", "marketplace", kind="ClusterOperator", api="config.openshift.io/v1"
        ),
    }


def cluster_api() -> dict[str, str]:
    """Return the shape of openshift/cluster-capi-operator during #588: two operators use one role.

    The role needs the capability of one of them, and the binding of the other needs another capability.
    """
    role = "roleRef: {apiGroup: rbac.authorization.k8s.io, kind: ClusterRole, name: read-tls}\n"
    account = "subjects: [{kind: ServiceAccount, name: other, namespace: kube-system}]\n"
    binding = manifest("of-the-other", "Insights", kind="ClusterRoleBinding", api=RBAC, more=role + account)
    return {
        "0000_20_cluster-api-tls_role.yaml": manifest("read-tls", "Console", kind="ClusterRole", api=RBAC),
        "0000_21_checker_bindings.yaml": documents(manifest("kept"), binding),
    }
