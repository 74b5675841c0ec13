import FoundationEssentials
import JSON
import MicroHTTP
import Notation

/// Structured and batch mode: the whole event is JSON (JSON event format, sections 3 and 4).
extension PostedCloudEvent {
    /// Reads one event.
    ///
    /// - Throws: `body-invalid`, `cloudevent-invalid`.
    static func event(_ body: [UInt8]) throws(Problem) -> PostedCloudEvent {
        try PostedCloudEvent(json: document(body), pointer: "")
    }

    /// Reads a batch.
    ///
    /// - Throws: `body-invalid`, `batch-too-large`, `cloudevent-invalid` with the element in its pointer.
    static func batch(_ body: [UInt8], atMost limit: Int) throws(Problem) -> [PostedCloudEvent] {
        guard let elements = try document(body).elements(first: limit + 1) else {
            throw Problem(.badRequest, code: "body-invalid", detail: "A batch is a JSON array.", pointer: "")
        }
        guard elements.count <= limit else { throw Problem.batchTooLarge(limit: limit) }
        return try elements.enumerated().map { index, element throws(Problem) in
            try PostedCloudEvent(json: element, pointer: "/\(index)")
        }
    }

    private static func document(_ body: [UInt8]) throws(Problem) -> JSONView {
        do throws(JSONFault) {
            return try JSONDocument(body).root
        } catch {
            throw Problem(error)
        }
    }

    private init(json: JSONView, pointer: String) throws(Problem) {
        let place = CloudEventAttributes.Place.members(of: pointer)
        // Before any of them is the key of a dictionary.
        let entries = json.entries ?? []
        // Beside them, the data in one form or the other.
        let most = CloudEventAttributes.maximumCount + CloudEventAttributes.added.count + 2
        guard entries.count <= most else { throw place.tooMany }
        guard entries.allSatisfy(\.name.isStreamSafe) else { throw Problem(JSONFault(.marks), pointer: pointer) }
        guard var members = json.members else {
            throw Problem(
                .badRequest,
                code: "cloudevent-invalid",
                detail: "A CloudEvent is a JSON object without two members of one name.",
                pointer: pointer
            )
        }
        let data = members.removeValue(forKey: "data")
        let base64 = members.removeValue(forKey: "data_base64")
        var posted: [String: JSONValue] = [:]
        for (name, view) in members {
            guard let value = view.scalar else {
                throw place.problem(name, "\"\(name)\" must be a string, a whole number or a boolean.")
            }
            // Null is the same as left out (section 2.2).
            posted[name] = value == .null ? nil : value
        }
        let attributes = try CloudEventAttributes(posted, at: place)
        if let base64, base64.kind != .null {
            guard data == nil else { throw place.problem("data_base64", "There is \"data\" already.") }
            try self.init(attributes, base64: base64, place)
        } else {
            try self.init(attributes, data: data, place)
        }
    }

    private init(
        _ attributes: CloudEventAttributes,
        base64: JSONView,
        _ place: CloudEventAttributes.Place
    ) throws(Problem) {
        guard let text = base64.text, let data = Data(base64Encoded: text) else {
            throw place.problem("data_base64", "\"data_base64\" must be a string of base64.")
        }
        let bytes = [UInt8](data)
        let contentType = attributes.contentType ?? ContentType.stored(nil, data: bytes)
        self.init(attributes, dataForm: .base64, contentType: contentType, data: bytes)
    }

    private init(
        _ attributes: CloudEventAttributes,
        data: JSONView?,
        _ place: CloudEventAttributes.Place
    ) throws(Problem) {
        let contentType = attributes.contentType
        guard let data else {
            self.init(attributes, dataForm: .none, contentType: contentType, data: [])
            return
        }
        guard let contentType, !ContentType.isJSON(contentType) else {
            self.init(attributes, dataForm: .json, contentType: contentType ?? ContentType.json, data: data.bytes)
            return
        }
        switch data.scalar {
        case .string(let text):
            self.init(attributes, dataForm: .text, contentType: contentType, data: Array(text.utf8))
        case .null: self.init(attributes, dataForm: .none, contentType: contentType, data: [])
        default: throw place.problem("data", "\"data\" must be a string: \"datacontenttype\" does not say JSON.")
        }
    }
}

extension CloudEventAttributes {
    /// What the data is, if the event says so.
    fileprivate var contentType: String? { others["datacontenttype"]?.text }
}
