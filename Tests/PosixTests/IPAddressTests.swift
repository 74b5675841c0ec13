import Testing

@testable import Posix

@Suite struct IPAddressTests {
    @Test(arguments: [
        ("192.0.2.1", "192.0.2.1"), ("2001:db8:1:2:3:4:5:6", "2001:db8:1:2::"), ("::1", "::"), ("0.0.0.0", "0.0.0.0"),
    ])
    func `a customer has 64 bits of IPv6, and one address of IPv4`(address: String, customer: String) throws {
        #expect(try #require(IPAddress(address)).customer.description == customer)
    }

    @Test func `no customer of IPv4 is one of IPv6`() throws {
        #expect(try #require(IPAddress("0.0.0.0")).customer != #require(IPAddress("::")).customer)
    }
}
