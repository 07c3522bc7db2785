# Copyright: Contributors to the capability.openshift collection
# SPDX-License-Identifier: GPL-3.0-or-later

"""Checks whether a mirror has the images of a release, with the signatures that an update to it needs."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from itertools import count
from typing import Literal, NamedTuple

from .._problems import Problem, Problems, RegistryError
from .._progress import Progress, silent
from .._registry.pull_spec import PullSpec
from .._release_image.signature_stores import SIGNATURE_LABEL, SIGNATURE_NAMESPACE, key_prefix
from .._release_image.unchecked import UNCHECKED
from .._release_image.verifier import Verifier, verify_digest
from .attachments import find_signatures, signature_tag
from .identity import ImageName
from .image_policy import ImagePolicy, policies_of
from .reader import LACKING, MirrorReader, MirrorRepository
from .row import RELEASE, ImageRow, SignatureState
from .sigstore import verify_sigstore

_AT_ONCE = 8

_ANSWERS = (*LACKING, "invalid-manifest", "missing-architecture")
"""What the registry has answered. Other problems, such as of a proxy, leave open whether it has the image."""
_SHORT_HEX = 16


class MirrorRequest(NamedTuple):
    """What to check: images by name, the release image as ``RELEASE``.

    ``policies`` demand sigstore signatures: those of each release. If ``requires_openpgp``, ``verifier`` verifies the
    OpenPGP signature of the release image; ``None`` if its keys or stores are not known, which makes the signature
    ``unknown``. ``store``: URL of a web server that has OpenPGP signatures. ``unread``: why the release cannot be read.
    Its policies and other images are not known then.
    """

    images: Mapping[str, PullSpec]
    policies: tuple[tuple[ImagePolicy, ...], ...]
    requires_openpgp: bool = False
    verifier: Verifier | None = None
    store: str = ""
    unread: tuple[Problem, ...] = ()

    def requires_openpgp_of(self, name: str) -> bool:
        """Whether the OpenPGP signature of an image has to be valid. The CVO looks only at the release image."""
        return self.requires_openpgp and name == RELEASE

    def policies_of(self, spec: PullSpec) -> tuple[ImagePolicy, ...]:
        """The policies for an image, of each release: nodes use the old ones until the new release is applied."""
        image = ImageName(spec.name, spec.tag or "", spec.digest or "")
        return tuple(policy for policies in self.policies for policy in policies_of(image, policies))


def check_images(request: MirrorRequest, reader: MirrorReader, progress: Progress = silent) -> tuple[ImageRow, ...]:
    """Check all images, several at the same time. The rows are in the order of the images.

    The first image is checked on its own. If a registry is down, the others need not wait for it.
    """
    total, done = len(request.images), count(1)

    def check(item: tuple[str, PullSpec]) -> ImageRow:
        row = _check_image(item[0], item[1], request, reader)
        progress(f"mirror: {next(done)} of {total} images")
        return row

    progress(f"mirror: 0 of {total} images")

    first, *others = request.images.items()
    row = check(first)
    with ThreadPoolExecutor(_AT_ONCE) as pool:
        return (row, *pool.map(check, others))


def _check_image(name: str, spec: PullSpec, request: MirrorRequest, reader: MirrorReader) -> ImageRow:
    problems = Problems()
    try:
        mirrors = reader.mirrors_of(spec)
    except RegistryError as error:
        return _absent(name, spec, None, request, error.problems, ())
    if not mirrors:
        message = "is in a repository that has no mirror"
        hint = f"Add a mirror of {spec.name}, and name its mirror set or install-config in mirrors"
        return _absent(name, spec, None, request, [Problem("error", "no-mirror", spec.name, message, hint)], ())
    mirror, manifest = reader.find(mirrors, problems)
    if manifest is not None:
        # A mirror without the image is no error: a node falls back to the next one.
        problems = Problems()
        with problems.collect(RegistryError):
            return _signatures(name, spec, mirror, reader.pulled_digests(mirror, manifest), request, reader)
    is_lacking = any(problem.code in LACKING for problem in problems)
    commands: tuple[str, ...] = ()
    if is_lacking and spec.name != mirror.name:
        insecure = reader.is_insecure(mirror.registry)
        commands = (copy_image(spec, mirror, in_part=manifest is not None, insecure=insecure),)
    is_known = all(problem.code in _ANSWERS for problem in problems)
    return _absent(name, spec, mirror, request, problems, commands, in_mirror=False if is_known else None)


def _absent(
    name: str,
    spec: PullSpec,
    mirror: PullSpec | None,
    request: MirrorRequest,
    problems: Iterable[Problem],
    commands: tuple[str, ...],
    *,
    in_mirror: Literal[False] | None = False,
) -> ImageRow:
    return ImageRow(
        name,
        str(spec),
        mirror.name if mirror else "",
        in_mirror=in_mirror,
        openpgp="unknown" if request.requires_openpgp_of(name) else "not_required",
        sigstore="unknown" if request.unread or request.policies_of(spec) else "not_required",
        problems=tuple(problems),
        commands=commands,
    )


def _signatures(
    name: str,
    spec: PullSpec,
    source: PullSpec,
    digests: tuple[str, ...],
    request: MirrorRequest,
    reader: MirrorReader,
) -> ImageRow:
    problems = Problems()
    commands: list[str] = []
    openpgp: SignatureState = "not_required"
    if request.requires_openpgp_of(name):
        openpgp = _openpgp(spec, request.verifier, problems)
        if openpgp in ("missing", "invalid") and request.store:
            commands += add_openpgp(spec.digest or "", request.store)
    sigstore, lacking = _sigstore(spec, source, digests, request, reader, problems)
    if spec.name != source.name:
        commands += copy_sigstore(spec, source, lacking, insecure=reader.is_insecure(source.registry))
    return ImageRow(
        name,
        str(spec),
        source.name,
        in_mirror=True,
        openpgp=openpgp,
        sigstore=sigstore,
        problems=problems.unique(),
        commands=tuple(commands),
    )


def _openpgp(spec: PullSpec, verifier: Verifier | None, problems: Problems) -> SignatureState:
    if verifier is None:
        return "unknown"
    found = Problems()
    if verify_digest(str(spec), spec.digest or "", verifier, found):
        return "verified"
    problems.extend(found)
    return _unverified(found, "no-signature")


def _unverified(reasons: Iterable[Problem], missing: str) -> SignatureState:
    """The state of a signature that is not verified. ``missing`` is the code of the problem that there is none."""
    codes = {problem.code for problem in reasons}
    if codes & UNCHECKED:
        return "unknown"
    return "missing" if missing in codes else "invalid"


def _sigstore(
    spec: PullSpec,
    source: PullSpec,
    digests: tuple[str, ...],
    request: MirrorRequest,
    reader: MirrorReader,
    problems: Problems,
) -> tuple[SignatureState, tuple[str, ...]]:
    """Return the state, and the digests whose signatures have to be copied again.

    CRI-O verifies the image of its architecture, not the list (containers/image:copy/single.go copySingleImage).
    """
    demanded = request.policies_of(spec)
    if request.unread:
        problems.extend(request.unread)
        return "unknown", ()
    if not demanded:
        return "not_required", ()
    images = (ImageName(spec.name, spec.tag or "", digest) for digest in digests)
    states = {image.digest: _sigstore_of(image, source, demanded, reader, problems) for image in images}
    lacking = tuple(digest for digest, state in states.items() if state in ("missing", "invalid"))
    for state in ("unknown", "invalid", "missing"):
        if state in states.values():
            return state, lacking
    return "verified", ()


def _sigstore_of(
    image: ImageName,
    source: PullSpec,
    policies: tuple[ImagePolicy, ...],
    reader: MirrorReader,
    problems: Problems,
) -> SignatureState:
    where = f"{source.name}@{image.digest}"
    reasons = Problems()
    try:
        signatures = find_signatures(where, image.digest, MirrorRepository(reader, source), reasons)
    except RegistryError as error:
        problems.extend(error.problems)
        return "invalid" if all(problem.code in LACKING for problem in error.problems) else "unknown"
    verified = signatures is not None and verify_sigstore(where, image, signatures, policies, reasons)
    if verified:
        return "verified"
    problems.extend(reasons)
    return _unverified(reasons, "no-sigstore-signature")


def copy_image(spec: PullSpec, mirror: PullSpec, *, in_part: bool, insecure: bool) -> str:
    """The command that copies an image, all architectures included, and keeps its digest.

    Source: openshift/openshift-docs:modules/nodes-sigstore-prepare-for-4.21.adoc; openshift/oc:pkg/cli/image/mirror.

    The tag protects it: some registries delete manifests without one. oc-mirror uses the same. ``in_part``: the mirror
    has the manifest. Without ``--force``, the command would copy nothing then.
    """
    options = f"{_access(insecure=insecure)} --keep-manifest-list=true{' --force' if in_part else ''}"
    tag = key_prefix(spec.digest or "", "-")
    return f"oc image mirror{options} {spec.name}@{spec.digest} {mirror.name}:{tag}"


def copy_sigstore(spec: PullSpec, mirror: PullSpec, digests: Iterable[str], *, insecure: bool) -> Iterator[str]:
    """The commands that copy the sigstore signatures of the images ``digests``, also one without its blob."""
    for digest in digests:
        tag = signature_tag(digest)
        yield f"oc image mirror{_access(insecure=insecure)} --force {spec.name}:{tag} {mirror.name}:{tag}"


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
