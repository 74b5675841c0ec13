import EventLog
import MicroHTTP
import Webhooks
import Testing

@testable import Clarion

@Suite struct URIReferenceTests {
    /// The examples of RFC 3986, sections 1.1.2 and 5.4, and an IRI.
    @Test(arguments: [
        "ftp://ftp.is.co.za/rfc/rfc1808.txt", "ldap://[2001:db8::7]/c=GB?objectClass?one",
        "mailto:John.Doe@example.com",
        "tel:+1-816-555-1212", "urn:oasis:names:specification:docbook:dtd:xml:4.1.2", "g;x=1/../y", "//g", "?y", "#s",
        "../..", "", "a%2Fb%ff", "/käse", "$&'()*,;=!~",
    ])
    func referencesAreTaken(text: String) {
        #expect(URIReference.isValid(text))
    }

    @Test(arguments: [
        "a b", " ", "a\t", "<a>", "\"", "{a}", "a|b", "a\\b", "a^b", "`", "%", "%4", "%g0", "%4g", "a%", "\u{7F}",
        "\u{0}",
    ])
    func whatIsNoneIsRefused(text: String) {
        #expect(!URIReference.isValid(text))
    }

    @Test func whatBeginsWithASchemeIsAbsolute() {
        for text in ["https://a", "a+b-c.1:", "urn:x"] { #expect(URIReference.hasScheme(text)) }
        for text in ["", "a", "/a:b", ":a", "1a:b", "a b:c", "//a:1", "é:a"] { #expect(!URIReference.hasScheme(text)) }
    }
}
