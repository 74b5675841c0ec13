import MicroHTTP
import Webhooks
import JSON
import EventLog
import Testing

@testable import Clarion

/// Posts to a bound topic that are not what its notification carries.
@Suite(.serialized) struct InfoMismatchTests {
    struct Case: CustomTestStringConvertible {
        let body: String
        let pointer: String
        let detail: String
        var testDescription: String { body.isEmpty ? "nothing" : body }
    }

    private static let cases = [
        Case(body: "", pointer: "", detail: "Expected JSON"),
        Case(body: "total=12", pointer: "", detail: "Expected JSON"),
        Case(body: #"{"items": [], "currency": "euro",}"#, pointer: "", detail: "Expected JSON"),
        Case(
            body: String(repeating: "[", count: 40) + String(repeating: "]", count: 40),
            pointer: "",
            detail: "nested deeper than 32 levels"
        ),
        Case(body: "null", pointer: "", detail: "Expected an object, found null."),
        Case(body: "[1]", pointer: "", detail: "Expected an object, found an array."),
        Case(body: "{}", pointer: "/items", detail: #"Expected a member "items", found none of that name."#),
        Case(
            body: #"{"items": {}, "currency": "euro"}"#,
            pointer: "/items",
            detail: "Expected an array, found an object."
        ),
        Case(
            body: #"{"items": [{"sku": "a", "price": 1}, {"sku": "b"}], "currency": "euro"}"#,
            pointer: "/items/1/price",
            detail: #"Expected a member "price", found none of that name."#
        ),
        Case(
            body: #"{"items": [{"sku": "a", "price": 1}, {"sku": 7, "price": 1}], "currency": "euro"}"#,
            pointer: "/items/1/sku",
            detail: "Expected a string, found the number 7."
        ),
        Case(
            body: #"{"items": [{"sku": "a", "price": "1"}], "currency": "euro"}"#,
            pointer: "/items/0/price",
            detail: "Expected a whole number (Int), found a string."
        ),
        Case(
            body: #"{"items": [{"sku": null, "price": 1}], "currency": "euro"}"#,
            pointer: "/items/0/sku",
            detail: "Expected a string, found null."
        ),
        Case(
            body: #"{"items": [{"sku": "a", "price": 1.5}], "currency": "euro"}"#,
            pointer: "/items/0/price",
            detail: "Expected a whole number (Int), found the number 1.5."
        ),
        Case(
            body: #"{"items": [{"sku": "a", "price": 1}, {"sku": "a", "price": 1e30}], "currency": "euro"}"#,
            pointer: "/items/1/price",
            detail: "Expected a whole number (Int), found the number 1e+30."
        ),
        Case(body: #"{"items": [], "currency": "pound"}"#, pointer: "/currency", detail: "pound"),
        Case(
            body: #"{"items": [], "currency": "euro", "weights": {"a/b~c": true}}"#,
            pointer: "/weights/a~1b~0c",
            detail: "Expected a number, found a boolean."
        ),
        Case(
            body: #"{"items": [], "currency": "euro", "paid": "yes"}"#,
            pointer: "/paid",
            detail: "Expected a boolean, found a string."
        ),
    ]

    @Test(arguments: cases)
    func isAnsweredWithThePlaceAndNotStored(_ sample: Case) async throws {
        try await withHub { hub in
            try hub.bind(OrderPlaced.self, to: "orders", in: TypedNotificationCenter())
            let answer = try await TestAnswer.to("POST", "/topics/orders/events", of: hub, body: sample.body)
            #expect(answer.status == 422)
            #expect(answer.json["code"] == .string("info-mismatch"))
            #expect(answer.json["type"] == .string("/errors#info-mismatch"))
            #expect(answer.json["pointer"] == .string(sample.pointer))
            #expect(answer.json["detail"]?.text?.contains(sample.detail) == true, "\(answer.body)")
            #expect(hub.log.tail == .start)

            let good = try await TestAnswer.to(
                "POST",
                "/topics/orders/events",
                of: hub,
                body: #"{"items": [], "currency": "euro"}"#
            )
            #expect(good.status == 201)
            #expect(try await TestAnswer.to("POST", "/topics/other/events", of: hub, body: sample.body).status == 201)
        }
    }

    @Test func isRefusedInTheProcessWithTheSameCode() async throws {
        try await withHub { hub in
            try hub.bind(OrderPlaced.self, to: "orders", in: TypedNotificationCenter())
            let error = await #expect(throws: HubError.self) { try await hub.post("{}", to: "orders") }
            #expect(error?.code == HubError.infoMismatch)
            #expect(error?.pointer == "/items")
            #expect(hub.log.tail == .start)
        }
    }

    @Test func whatTheLogRefusesKeepsItsCode() async throws {
        try await withHub { hub in
            await hub.log.close()
            let error = await #expect(throws: HubError.self) { try await hub.post("", to: "a") }
            #expect(error?.code == EventLogError.Code.closed.rawValue)
            #expect(error?.cause is EventLogError)
        }
    }
}
