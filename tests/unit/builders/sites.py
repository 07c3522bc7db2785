# Copyright: Contributors to the capability.openshift collection
# SPDX-License-Identifier: GPL-3.0-or-later

"""Files of a Git checkout that describe sites."""

from __future__ import annotations

import json
import textwrap
from collections.abc import Sequence
from pathlib import Path
from typing import Any

ANNOTATION = "agent-install.openshift.io/install-config-overrides"
IMAGE_SET = "img4.20.3-x86-64-appsub"


def block(*names: str, baseline: str | None = "None", **others: Any) -> dict[str, Any]:
    """Return overrides with a selection."""
    fields: dict[str, Any] = {} if baseline is None else {"baselineCapabilitySet": baseline}
    if names:
        fields["additionalEnabledCapabilities"] = list(names)
    return {"capabilities": fields, **others}


def overrides(*names: str, **fields: Any) -> str:
    """Return overrides with a selection, as JSON."""
    return json.dumps(block(*names, **fields))


def cluster_instance(
    value: str = "", name: str = "berlin", image_set: str = IMAGE_SET, kind: str = "SNO", more: str = ""
) -> str:
    """Return a ClusterInstance. ``value`` is the YAML of installConfigOverrides, none if empty."""
    line = f"\n  installConfigOverrides: {value}" if value else ""
    return f"""\
apiVersion: siteconfig.open-cluster-management.io/v1alpha1
kind: ClusterInstance
metadata:
  name: {name}  # the cluster
  namespace: {name}
spec:
  clusterName: {name}
  clusterType: {kind}
  clusterImageSetNameRef: {image_set}{line}
  baseDomain: "example.com"
{more}"""


def quoted(text: str) -> str:
    """Return ``text`` in single quotes."""
    return "'" + text.replace("'", "''") + "'"


def site_config(*clusters: tuple[str, str, str]) -> str:
    """Return a SiteConfig of 4.20 with clusters: name, own ClusterImageSet or none, overrides."""
    lines = ["apiVersion: ran.openshift.io/v1", "kind: SiteConfig", "metadata: {name: lab}", "spec:"]
    lines += [f"  clusterImageSetNameRef: {IMAGE_SET}", "  clusters:"]
    for name, image_set, value in clusters:
        lines += [f"  - clusterName: {name}", "    clusterType: sno"]
        lines += [f"    clusterImageSetNameRef: {image_set}"] if image_set else []
        lines += [f"    installConfigOverrides: {quoted(value)}"]
    return "\n".join([*lines, ""])


def agent_cluster_install(value: str, name: str = "paris", spec: str = "") -> str:
    """Return an AgentClusterInstall with overrides."""
    return f"""\
apiVersion: extensions.hive.openshift.io/v1beta1
kind: AgentClusterInstall
metadata:
  name: {name}
  namespace: {name}
  annotations:
    {ANNOTATION}: {quoted(value)}
spec:
  clusterDeploymentRef: {{name: {name}}}
  provisionRequirements: {{controlPlaneAgents: 1}}
{textwrap.indent(spec, "  ")}"""


def image_set(name: str, release_image: str) -> str:
    """Return a ClusterImageSet."""
    return (
        f"apiVersion: hive.openshift.io/v1\nkind: ClusterImageSet\nmetadata: {{name: {name}}}\n"
        f"spec: {{releaseImage: {release_image}}}\n"
    )


def cluster_version(
    *names: str, baseline: str = "None", version: str = "4.20.3", enabled: list[str] | None = None
) -> str:
    """Return a ClusterVersion. A comment follows each name. ``enabled``: the names in its status."""
    status = f"status: {{capabilities: {{enabledCapabilities: {enabled}}}}}\n" if enabled is not None else ""
    lines = [f"      - {name}  # {name} is needed" for name in names]
    return "\n".join(
        [
            "apiVersion: config.openshift.io/v1",
            "kind: ClusterVersion",
            "metadata: {name: version}",
            "spec:",
            f"  desiredUpdate: {{version: {version}}}",
            "  capabilities:",
            f"    baselineCapabilitySet: {baseline}",
            "    additionalEnabledCapabilities:",
            *lines,
            status,
        ]
    )


def policy(*objects: str) -> str:
    """Return an ACM Policy, with a ConfigurationPolicy in a ConfigurationPolicy that contains ``objects``."""
    templates = ["object-templates:"]
    for text in objects:
        templates += ["- complianceType: musthave", "  objectDefinition:", textwrap.indent(text, "    ").rstrip()]
    spec = textwrap.indent("\n".join(templates), "  ")
    inner = f"kind: ConfigurationPolicy\napiVersion: policy.open-cluster-management.io/v1\nspec:\n{spec}"
    outer = ["apiVersion: policy.open-cluster-management.io/v1", "kind: Policy", "metadata: {name: upgrade}"]
    return "\n".join(
        [*outer, "spec:", "  policy-templates:", "  - objectDefinition:", textwrap.indent(inner, "      "), ""]
    )


def hosted_cluster(stanza: str, version: str = "4.20.3") -> str:
    """Return a HostedCluster. ``stanza`` is the YAML of its capabilities."""
    return f"""\
apiVersion: hypershift.openshift.io/v1beta1
kind: HostedCluster
metadata: {{name: tokyo, namespace: clusters}}
spec:
  release: {{image: "quay.io/openshift-release-dev/ocp-release:{version}-x86_64"}}
  platform: {{type: Agent}}
  capabilities: {stanza}
"""


INSTALL_CONFIG = """\
apiVersion: v1
baseDomain: example.com
metadata: {name: rome}
platform: {none: {}}
capabilities:
  baselineCapabilitySet: None  # small
  additionalEnabledCapabilities: [Console]
"""


def write_checkout(folder: Path, files: dict[str, str | bytes]) -> Path:
    """Write a checkout. Keys are paths."""
    for name, content in files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content if isinstance(content, bytes) else content.encode())
    return folder


def documents(*texts: str) -> str:
    """Return several documents as one file."""
    return "---\n" + "---\n".join(texts)


def rules_of(findings: Sequence[dict[str, Any]], severity: str = "error") -> list[tuple[str, str]]:
    """Rule and path of each finding of a severity."""
    return [(item["rule"], item["path"]) for item in findings if item["severity"] == severity]
