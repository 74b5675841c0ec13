"""Certificates for receivers: an authority that lives as long as the tests."""

from datetime import datetime, timedelta, timezone
from ipaddress import ip_address

from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.x509.oid import NameOID


class Authority:
    """Writes its own certificate, and one for this machine with its key, as PEM files into a folder."""

    def __init__(self, folder):
        self._key = ec.generate_private_key(ec.SECP256R1())
        self._name = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, "Authority of the tests")])
        certificate = self._sign(self._name, self._key.public_key(), [
            (x509.BasicConstraints(ca=True, path_length=0), True),
            (x509.KeyUsage(
                digital_signature=False, content_commitment=False, key_encipherment=False, data_encipherment=False,
                key_agreement=False, key_cert_sign=True, crl_sign=True, encipher_only=False, decipher_only=False), True)])
        self.file = folder / "authority.pem"
        self.file.write_bytes(certificate.public_bytes(serialization.Encoding.PEM))

        key = ec.generate_private_key(ec.SECP256R1())
        names = [x509.DNSName("localhost"), x509.IPAddress(ip_address("127.0.0.1"))]
        certificate = self._sign(x509.Name([]), key.public_key(), [(x509.SubjectAlternativeName(names), True)])
        self.certificate = folder / "certificate.pem"
        self.certificate.write_bytes(certificate.public_bytes(serialization.Encoding.PEM))
        self.key = folder / "key.pem"
        self.key.write_bytes(key.private_bytes(
            serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption()))

    def _sign(self, subject, public_key, extensions):
        now = datetime.now(timezone.utc)
        builder = x509.CertificateBuilder(
            issuer_name=self._name, subject_name=subject, public_key=public_key,
            serial_number=x509.random_serial_number(), not_valid_before=now - timedelta(days=1),
            not_valid_after=now + timedelta(days=2))
        for extension, critical in extensions:
            builder = builder.add_extension(extension, critical)
        return builder.sign(self._key, hashes.SHA256())
