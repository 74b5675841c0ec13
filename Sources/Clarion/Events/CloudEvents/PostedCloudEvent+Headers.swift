import JSON
import MicroHTTP

/// Binary mode: attributes in header fields, and the body is the data (HTTP protocol binding, section 3.1).
extension PostedCloudEvent {
    /// - Parameters:
    ///   - fields: those that begin with `ce-`, without it.
    ///   - contentType: of the body.
    /// - Throws: `cloudevent-invalid`.
    init(
        fields: [(name: String, value: ArraySlice<UInt8>)],
        contentType: String?,
        body: [UInt8]
    ) throws(Problem) {
        var posted: [String: JSONValue] = [:]
        for (name, value) in fields {
            guard name != "datacontenttype" else {
                throw Problem(
                    .badRequest,
                    code: "cloudevent-invalid",
                    detail: "In binary mode \"Content-Type\" says what the data is.",
                    parameter: "ce-datacontenttype"
                )
            }
            guard posted[name] == nil else { throw CloudEventAttributes.Place.headers.problem(name, "It comes twice.") }
            guard let text = CloudEventHeaderValue.decode(value) else {
                let place = CloudEventAttributes.Place.headers
                throw place.problem(name, "The value is not percent-encoded UTF-8.\(place.escaping)")
            }
            posted[name] = .string(text)
        }
        let claimed = contentType.flatMap { $0.isEmpty ? nil : $0 }
        let type = claimed.map { ContentType.stored($0, data: body) }
        posted["datacontenttype"] = type.map(JSONValue.string)
        let form = Self.form(of: body, type)
        let stored: String? =
            switch (type, form) {
            case (nil, .none): nil
            case (nil, .json): ContentType.json
            default: type ?? ContentType.stored(nil, data: body)
            }
        self.init(try CloudEventAttributes(posted, at: .headers), dataForm: form, contentType: stored, data: body)
    }

    /// How the data stands in JSON. The content type decides, not what the bytes happen to be: bytes of one type come
    /// back as the same kind of value each time. Without one they are JSON, if they can be (JSON event format, section
    /// 3.1.1).
    private static func form(of body: [UInt8], _ contentType: String?) -> CloudEventContext.DataForm {
        if body.isEmpty { return .none }
        guard let contentType, !ContentType.isJSON(contentType) else {
            return JSONDocument.isValid(body) ? .json : .base64
        }
        return ContentType.isText(contentType) && UTF8Check.isValid(body) ? .text : .base64
    }
}
