# Copyright: Contributors to the capability.openshift collection
# SPDX-License-Identifier: GPL-3.0-or-later

"""A certificate authority of its own for each control plane."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from ipaddress import IPv4Address
from pathlib import Path
from typing import NamedTuple

from cryptography import x509
from cryptography.hazmat.primitives import hashes
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.hazmat.primitives.serialization import Encoding, NoEncryption, PrivateFormat, PublicFormat
from cryptography.x509.oid import ExtendedKeyUsageOID, NameOID

_LIFE = timedelta(days=2)
_EARLIER = timedelta(hours=1)
"""Clocks of a test may run behind."""

_NAMES = ("localhost", "kubernetes", "kubernetes.default", "kubernetes.default.svc")


class Certificate(NamedTuple):
    """A certificate and its key, as PEM."""

    certificate: bytes
    key: bytes


class Authority:
    """A certificate authority whose key is nowhere but in memory."""

    def __init__(self, name: str = "control-plane-tests") -> None:
        self._key = ec.generate_private_key(ec.SECP256R1())
        self._name = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, name)])
        basic = x509.BasicConstraints(ca=True, path_length=None)
        usage = _key_usage(signs=True)
        builder = _builder(self._name, self._name, self._key).add_extension(basic, critical=True)
        signed = builder.add_extension(usage, critical=True).sign(self._key, hashes.SHA256())
        self.certificate = signed.public_bytes(Encoding.PEM)

    def serving(self) -> Certificate:
        """Return a certificate for servers on loopback."""
        alternatives: list[x509.GeneralName] = [x509.DNSName(name) for name in _NAMES]
        alternatives.append(x509.IPAddress(IPv4Address("127.0.0.1")))
        names = x509.SubjectAlternativeName(alternatives)
        subject = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, "localhost")])
        return self._sign(subject, ExtendedKeyUsageOID.SERVER_AUTH, names)

    def client(self, user: str, groups: tuple[str, ...] = ()) -> Certificate:
        """Return a certificate with which the API server knows a client as ``user`` in ``groups``."""
        attributes = [x509.NameAttribute(NameOID.ORGANIZATION_NAME, group) for group in groups]
        attributes.append(x509.NameAttribute(NameOID.COMMON_NAME, user))
        return self._sign(x509.Name(attributes), ExtendedKeyUsageOID.CLIENT_AUTH, None)

    def _sign(
        self, subject: x509.Name, use: x509.ObjectIdentifier, names: x509.SubjectAlternativeName | None
    ) -> Certificate:
        key = ec.generate_private_key(ec.SECP256R1())
        builder = _builder(subject, self._name, key)
        builder = builder.add_extension(x509.BasicConstraints(ca=False, path_length=None), critical=True)
        builder = builder.add_extension(_key_usage(signs=False), critical=True)
        builder = builder.add_extension(x509.ExtendedKeyUsage([use]), critical=False)
        builder = builder.add_extension(
            x509.AuthorityKeyIdentifier.from_issuer_public_key(self._key.public_key()), critical=False
        )
        if names is not None:
            builder = builder.add_extension(names, critical=False)
        signed = builder.sign(self._key, hashes.SHA256())
        return Certificate(signed.public_bytes(Encoding.PEM), private_pem(key))


def _builder(subject: x509.Name, issuer: x509.Name, key: ec.EllipticCurvePrivateKey) -> x509.CertificateBuilder:
    now = datetime.now(UTC)
    builder = x509.CertificateBuilder().subject_name(subject).issuer_name(issuer).public_key(key.public_key())
    builder = builder.serial_number(x509.random_serial_number())
    builder = builder.not_valid_before(now - _EARLIER).not_valid_after(now + _LIFE)
    return builder.add_extension(x509.SubjectKeyIdentifier.from_public_key(key.public_key()), critical=False)


def _key_usage(*, signs: bool) -> x509.KeyUsage:
    return x509.KeyUsage(
        digital_signature=True,
        content_commitment=False,
        key_encipherment=False,
        data_encipherment=False,
        key_agreement=False,
        key_cert_sign=signs,
        crl_sign=signs,
        encipher_only=False,
        decipher_only=False,
    )


def private_pem(key: ec.EllipticCurvePrivateKey) -> bytes:
    """Return a private key as the programs of Kubernetes read it."""
    return key.private_bytes(Encoding.PEM, PrivateFormat.TraditionalOpenSSL, NoEncryption())


def public_pem(key: ec.EllipticCurvePrivateKey) -> bytes:
    """Return the public part of a key."""
    return key.public_key().public_bytes(Encoding.PEM, PublicFormat.SubjectPublicKeyInfo)


def write_secret(path: Path, data: bytes) -> Path:
    """Write a file that only its owner can read."""
    path.touch(mode=0o600)
    path.write_bytes(data)
    return path
