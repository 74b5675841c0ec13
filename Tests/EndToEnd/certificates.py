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

        self.certificate = folder / "certificate.pem"
        self.key = folder / "key.pem"
        self.issue()

    def issue(self, days=2, passphrase=None, key=None, begins=None):
        """Writes another certificate and key for this machine in place of the last, and returns its serial number.

        :param begins: in how many days its time begins; by default it has begun.
        """
        key = key or ec.generate_private_key(ec.SECP256R1())
        names = [x509.DNSName("localhost"), x509.DNSName("hub.test"), x509.IPAddress(ip_address("127.0.0.1"))]
        certificate = self._sign(x509.Name([]), key.public_key(), [(x509.SubjectAlternativeName(names), True)], days, begins)
        self.certificate.write_bytes(certificate.public_bytes(serialization.Encoding.PEM))
        encryption = serialization.BestAvailableEncryption(passphrase) if passphrase else serialization.NoEncryption()
        self.key.write_bytes(key.private_bytes(
            serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, encryption))
        return certificate.serial_number

    def _sign(self, subject, public_key, extensions, days=2, begins=None):
        """A certificate that began yesterday, or a day before it ended, unless told otherwise."""
        now = datetime.now(timezone.utc)
        end = now + timedelta(days=days)
        begin = min(now, end) - timedelta(days=1) if begins is None else now + timedelta(days=begins)
        builder = x509.CertificateBuilder(
            issuer_name=self._name, subject_name=subject, public_key=public_key,
            serial_number=x509.random_serial_number(),
            not_valid_before=begin, not_valid_after=end)
        for extension, critical in extensions:
            builder = builder.add_extension(extension, critical)
        return builder.sign(self._key, hashes.SHA256())
