import FoundationEssentials
import JSON
import MicroHTTP

/// Structured and batch mode: the whole event is JSON (JSON event format, sections 3 and 4).
extension PostedCloudEvent {
    /// Reads one event.
    ///
    /// - Throws: `body-invalid`, `cloudevent-invalid`.
    static func event(_ body: [UInt8]) throws(Problem) -> PostedCloudEvent {
        try requireJSON(body)
        return try PostedCloudEvent(json: body, at: 0, pointer: "")
    }

    /// Reads a batch.
    ///
    /// - Throws: `body-invalid`, `batch-too-large`, `cloudevent-invalid` with the element in its pointer.
    static func batch(_ body: [UInt8], atMost limit: Int) throws(Problem) -> [PostedCloudEvent] {
        try requireJSON(body)
        let elements: [Range<Int>]?
        do {
            elements = try JSONReader.elements(of: body, atMost: limit)
        } catch {
            throw Problem.batchTooLarge(limit: limit)
        }
        guard let elements else {
            throw Problem(.badRequest, code: "body-invalid", detail: "A batch is a JSON array.", pointer: "")
        }
        var events: [PostedCloudEvent] = []
        events.reserveCapacity(elements.count)
        for (index, element) in elements.enumerated() {
            events.append(try PostedCloudEvent(json: body, at: element.lowerBound, pointer: "/\(index)"))
        }
        return events
    }

    private static func requireJSON(_ body: [UInt8]) throws(Problem) {
        if let fault = JSONSyntax.fault(in: body) { throw Problem(fault) }
    }

    private init(json body: [UInt8], at start: Int, pointer: String) throws(Problem) {
        let place = CloudEventAttributes.Place.members(of: pointer)
        guard var members = JSONReader.members(of: body, at: start) else {
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
        for (name, range) in members {
            guard let value = JSONReader.scalar(of: body, at: range.lowerBound) else {
                throw place.problem(name, "\"\(name)\" must be a string, a whole number or a boolean.")
            }
            // Null is the same as left out (section 2.2).
            posted[name] = value == .null ? nil : value
        }
        let attributes = try CloudEventAttributes(posted, at: place)
        if let base64, JSONReader.scalar(of: body, at: base64.lowerBound) != .null {
            guard data == nil else { throw place.problem("data_base64", "There is \"data\" already.") }
            try self.init(attributes, base64: JSONReader.scalar(of: body, at: base64.lowerBound), place)
        } else {
            try self.init(attributes, data: data.map { (body, $0) }, place)
        }
    }

    private init(
        _ attributes: CloudEventAttributes,
        base64: JSONValue?,
        _ place: CloudEventAttributes.Place
    ) throws(Problem) {
        guard case .string(let text) = base64, let data = Data(base64Encoded: text) else {
            throw place.problem("data_base64", "\"data_base64\" must be a string of base64.")
        }
        self.init(
            attributes,
            dataForm: .base64,
            contentType: attributes.contentType ?? "application/octet-stream",
            data: [UInt8](data)
        )
    }

    private init(
        _ attributes: CloudEventAttributes,
        data: (body: [UInt8], range: Range<Int>)?,
        _ place: CloudEventAttributes.Place
    ) throws(Problem) {
        let contentType = attributes.contentType
        guard let data else {
            self.init(attributes, dataForm: .none, contentType: contentType, data: [])
            return
        }
        guard let contentType, !ContentType.isJSON(contentType) else {
            let bytes = Array(data.body[data.range])
            self.init(attributes, dataForm: .json, contentType: contentType ?? ContentType.json, data: bytes)
            return
        }
        switch JSONReader.scalar(of: data.body, at: data.range.lowerBound) {
        case .string(let text):
            self.init(attributes, dataForm: .text, contentType: contentType, data: Array(text.utf8))
        case .null: self.init(attributes, dataForm: .none, contentType: contentType, data: [])
        default: throw place.problem("data", "\"data\" must be a string: \"datacontenttype\" does not say JSON.")
        }
    }
}

extension CloudEventAttributes {
    /// What the data is, if the event says so.
    fileprivate var contentType: String? {
        guard case .string(let text) = others["datacontenttype"] else { return nil }
        return text
    }
}
