# Copyright: Contributors to the capability.openshift collection
# SPDX-License-Identifier: GPL-3.0-or-later

"""Commands that copy to a mirror what it lacks.

Source: openshift/openshift-docs:modules/nodes-sigstore-prepare-for-4.21.adoc;
openshift/oc:pkg/cli/image/mirror/mirror.go
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from .._registry.pull_spec import PullSpec
from .._release_image.signature_stores import SIGNATURE_LABEL, SIGNATURE_NAMESPACE, key_prefix
from .attachments import signature_tag

_SHORT_HEX = 16


def copy_image(spec: PullSpec, mirror: PullSpec, *, in_part: bool, insecure: bool) -> str:
    """The command that copies an image, all architectures included, and keeps its digest.

    The tag protects it: some registries delete manifests without one. oc-mirror uses the same. ``in_part``: the mirror
    has the manifest. Without ``--force``, the command would copy nothing then.
    """
    options = f"{_access(insecure=insecure)} --keep-manifest-list=true{' --force' if in_part else ''}"
    tag = key_prefix(spec.digest or "", "-")
    return f"oc image mirror{options} {spec.name}@{spec.digest} {mirror.name}:{tag}"


def copy_sigstore(spec: PullSpec, mirror: PullSpec, digests: Iterable[str], *, insecure: bool) -> Iterator[str]:
    """The commands that copy the sigstore signatures of the images ``digests``."""
    for digest in digests:
        tag = signature_tag(digest)
        yield f"oc image mirror{_access(insecure=insecure)} {spec.name}:{tag} {mirror.name}:{tag}"


def _access(*, insecure: bool) -> str:
    return " --insecure=true" if insecure else ""


def add_openpgp(digest: str, store: str) -> Iterator[str]:
    """The commands that read a signature from the web server ``store`` and add it to a cluster."""
    value = digest.partition(":")[2]
    name = f"signature-{key_prefix(digest, '-')[: len('sha256-') + _SHORT_HEX]}"
    yield f"curl --fail --location --output signature-1 {store.rstrip('/')}/{key_prefix(digest, '=')}/signature-1"
    yield (
        f"oc create configmap {name} --namespace {SIGNATURE_NAMESPACE} --from-file=sha256-{value}-1=signature-1 && "
        f"oc label configmap {name} --namespace {SIGNATURE_NAMESPACE} {SIGNATURE_LABEL}="
    )
