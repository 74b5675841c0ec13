import JSON
import EventLog
import Foundation
import MicroHTTP
import Randomness
import Testing

@testable import Access
@testable import Clarion
@testable import Webhooks

/// Whatever is accepted of a webhook can be read again, and is the same.
@Suite struct StoredWebhookPropertyTests {
    private static let key = try? MasterKey(base64: Data(repeating: 7, count: 32).base64EncodedString())

    @Test func whatIsAcceptedIsReadBackEqual() throws {
        let id = try ObserverID("whk_1")
        search(cases: 5000) { random in
            guard let webhook = random.webhook() else { return nil }
            let key = random.chance(2) ? Self.key : nil
            do {
                let document = try webhook.document(of: id, sealedWith: key)
                return Self.difference(webhook, try StoredWebhook(document: document, of: id, key: key))
            } catch {
                return "\(webhook.patchable) cannot be read: \(error)"
            }
        }
    }

    @Test func whatIsAcceptedIsThereWhenTheHubIsOpenedAgain() async throws {
        let folder = FileManager.default.temporaryDirectory.appending(path: UUID().uuidString)
        defer { try? FileManager.default.removeItem(at: folder) }
        var webhooks: [ObserverID: StoredWebhook] = [:]
        var random = SeededGenerator(seed: 1)
        while webhooks.count < 300 {
            guard let webhook = random.webhook() else { continue }
            webhooks[try ObserverID("w\(webhooks.count)")] = webhook
        }
        var tags: [ObserverID: EntityTag] = [:]
        try await withHub(in: folder) { hub in
            for (id, webhook) in webhooks {
                let saved = try await hub.webhooks.save(id) { _ throws(Problem) in webhook }.observer
                // The tag is made anew.
                (webhooks[id], tags[id]) = (saved.webhook, saved.tag)
            }
        }
        // Twice: what is taken up again is not written otherwise than it was.
        for _ in 0..<2 {
            try await withHub(in: folder) { hub in
                #expect(hub.directory.all().count == webhooks.count)
                for (id, webhook) in webhooks {
                    let found = try #require(hub.webhooks.find(id), "\(webhook.patchable)")
                    #expect(Self.difference(webhook, found.webhook) == nil)
                    #expect(found.tag == tags[id])
                }
            }
        }
    }

    @Test func `turns are of who registered it, not of a name that two may have`() throws {
        let members: JSONValue = .object(["topics": .array([.string("a")]), "url": .string("https://a.example")])
        let specification = try WebhookSpecification(members, httpsOnly: true)
        let ids = [PrincipalID.subject("a", issuer: "x"), .subject("a", issuer: "y"), .anonymous]
        let owners = ids.map { id -> String? in
            var webhook = StoredWebhook(specification: specification, replacing: nil, at: .now())
            webhook.register(
                by: Principal(name: "a", id: id, grant: .everything, expires: nil, evidence: .anonymous)
            )
            #expect(webhook.createdBy == "a")
            return webhook.endpoint(of: ObserverID(rawValue: "w")).owner
        }
        #expect(Set(owners).count == 3 && !owners.contains(nil))
    }

    /// A document that is cut, changed, or of another version.
    @Test func whateverIsStoredTheHubStartsAndShowsIt() async throws {
        let folder = FileManager.default.temporaryDirectory.appending(path: UUID().uuidString)
        defer { try? FileManager.default.removeItem(at: folder) }
        var random = SeededGenerator(seed: 2)
        let count = 200
        try await withHub(in: folder) { hub in
            var number = 0
            while number < count {
                guard let webhook = random.webhook() else { continue }
                number += 1
                let id = try ObserverID("w\(number)")
                let observer = try await hub.webhooks.save(id) { _ throws(Problem) in webhook }.observer
                let document = String(decoding: try webhook.document(of: id, sealedWith: nil), as: UTF8.self)
                _ = try await hub.webhooks.store.saveObserver(
                    ObserverRecord(
                        id: id,
                        topics: observer.topics,
                        document: random.damaged(document),
                        createdAt: .now()
                    ),
                    expecting: nil,
                    resettingFailures: false
                )
            }
        }
        try await withHub(in: folder) { hub in
            // Only what cannot be read might collect something; nothing is dialled.
            for id in Self.ids(in: hub) where hub.webhooks.find(id) != nil {
                _ = try await hub.webhooks.remove(id) { _ throws(Never) in true }
            }
            let unreadable = Self.ids(in: hub)
            #expect(unreadable.count > count / 4)
            try await hub.post("x", to: "a")
            for id in unreadable {
                let document = try await #require(hub.directory.find(id)).document()
                #expect(document["state"]?.text == "disabled" && document["reason"]?.text == "unreadable")
                #expect(try await hub.log.deliveryStats(of: id).pending == 0)
                let isRemoved = try await hub.webhooks.remove(id) { _ throws(Never) in true }
                #expect(isRemoved && hub.directory.find(id) == nil)
            }
            #expect(try await hub.webhooks.store.observers().count == hub.directory.all().count)
        }
    }

    private static func ids(in hub: Hub) -> [ObserverID] { hub.directory.all().map(\.id) }

    private static func difference(_ one: StoredWebhook, _ other: StoredWebhook) -> String? {
        let isEqual =
            one.patchable == other.patchable && one.patchable.bytes == other.patchable.bytes
            && one.specification.url == other.specification.url
            && one.specification.headers == other.specification.headers && one.secrets == other.secrets
            && one.disabledReason == other.disabledReason && one.consent == other.consent
            && (one.createdBy, one.owner, one.tag) == (other.createdBy, other.owner, other.tag)
        return isEqual ? nil : "\(one.patchable) is read as \(other.patchable)"
    }
}

extension SeededGenerator {
    /// A webhook that is accepted; nil if what was drawn is not.
    fileprivate mutating func webhook() -> StoredWebhook? {
        let signature = chance(3) ? "ed25519" : "hmac-sha256"
        var members: [String: JSONValue] = [
            "topics": .array(["a", "orders.*", oddText(upTo: 3)].prefix(number(1...3)).map(JSONValue.string)),
            "url": .string(url()),
            "signature": .string(signature),
            "maxInFlight": .number(Double(one(of: [1, 16, 1024]))),
            "ordered": .bool(chance(2)),
            "enabled": .bool(chance(2)),
            "handshake": .bool(true),
            "format": .string(one(of: Endpoint.Format.allCases).rawValue),
        ]
        if chance(2) { members["types"] = .array([.string(oddText(upTo: 4)), .string("created")]) }
        if chance(2) { members["description"] = .string(oddText(upTo: 20)) }
        if chance(2) {
            let rates = [0.001, 0.1, 1.0 / 3, 1e-3.nextUp, 1, 2.5, 123_456.789, 1e6, 1e6.nextDown]
            members["ratePerSecond"] = .number(one(of: rates))
        }
        if chance(2) {
            members["headers"] = .object([
                one(of: ["Authorization", "authorization", "Cookie", "X-~!#$"]): .string(
                    "Bearer \(number(0...9))~\"\\/"
                ),
                "X-\(oddText(upTo: 1))": .string(oddText(upTo: 2)),
            ])
        }
        if chance(3) {
            let length = signature == "ed25519" ? 32 : number(20...70)
            let bytes = Data((0..<length).map { _ in UInt8(number(0...255)) })
            members["secret"] = .string(
                (length == 32 && signature == "ed25519" ? "whsk_" : "whsec_") + bytes.base64EncodedString()
            )
        }
        guard let specification = try? WebhookSpecification(.object(members), httpsOnly: false) else { return nil }
        var webhook = StoredWebhook(specification: specification, replacing: nil, at: .now())
        if chance(2) {
            let until: Int64 = one(of: [0, 1, 1_700_000_000_123, 253_402_300_799_999])
            webhook.secrets = webhook.secrets.rotated(to: .generate(specification.signature), at: until)
        }
        if chance(4) { webhook.disabledReason = one(of: ["gone", "failing"]) }
        if chance(2) { (webhook.createdBy, webhook.owner) = (oddText(upTo: 5), "key 1-2") }
        if chance(2) { webhook.renewTag() }
        if chance(2) {
            let rate = one(of: ["1", "60", "9007199254740991", "9007199254740992", "9223372036854775807", "*", "0"])
            let answer = AttemptAnswer(status: 200, allowedOrigin: "*", allowedRate: rate)
            guard let consent = try? DeliveryConsent(answer, origin: "hub.example.com") else { return nil }
            webhook.consent = StoredWebhook.Consent(url: specification.url, given: consent)
        }
        return webhook
    }

    private mutating func url() -> String {
        let hosts = [
            "a.example", "A.Example.", "127.1", "127%2e1", "%61.example", "a%252fb.example", "a%25b", "[::1]", "0x7f.1",
            "1.2",
            "a.1", "[fe80::1%25eth0]", "xn--bcher-kva.example",
        ]
        let path = chance(20) ? String(repeating: "é", count: number(1000...4100)) : oddText(upTo: 5)
        return "\(one(of: ["http", "https"]))://\(one(of: hosts))\(one(of: ["", ":8500"]))/\(path)"
    }

    /// A document that was cut, or in which a number, a text or a name is another.
    fileprivate mutating func damaged(_ document: String) -> [UInt8] {
        switch number(0...5) {
        case 0: Array(document.utf8.prefix(number(0...document.utf8.count)))
        case 1: Array(document.replacing(/\"until\":[0-9]+/, with: "\"until\":1e300").utf8)
        case 2: Array(document.replacing(/\"perMinute\":[0-9a-z]+/, with: "\"perMinute\":9223372036854775807").utf8)
        case 3: Array(document.replacing("http", with: one(of: ["ftp", "", "http://http"])).utf8)
        case 4: Array(document.replacing("wh", with: "\\u0000").utf8)
        default: mutated(document)
        }
    }
}
