import Testing

@testable import Webhooks

@Suite("EgressProxy")
struct EgressProxyTests {
    @Test(
        "takes proxies of three kinds",
        arguments: ["http://10.0.0.1:3128", "https://proxy.example", "socks5h://[::1]:1080", "http://u:p@proxy:3128"]
    )
    func kinds(text: String) throws {
        #expect(try EgressProxy(text).url == text)
    }

    @Test("shows no credentials wherever it is printed")
    func redacted() throws {
        var configuration = WebhookConfiguration()
        configuration.proxy = try EgressProxy("http://carol:pa@ss@proxy:3128")
        var dumped = ""
        dump(configuration, to: &dumped)
        for printed in ["\(configuration)", String(reflecting: configuration), dumped] {
            #expect(!printed.contains("carol") && !printed.contains("ss@"))
        }
        #expect(configuration.proxy?.description == "http://proxy:3128")
    }

    @Test(
        "refuses everything else",
        arguments: [
            "", "proxy:3128", "ftp://proxy", "socks5://proxy", "http://", "http://a b", "http://a:99999", "://",
        ]
    )
    func others(text: String) {
        let error = #expect(throws: WebhookError.self) { try EgressProxy(text) }
        #expect(error?.code == .proxyInvalid)
    }
}
