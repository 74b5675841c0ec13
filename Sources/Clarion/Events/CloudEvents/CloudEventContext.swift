import JSON

/// What an event that was posted as a CloudEvent has beside its type and its data: kept with it, so that it is given
/// back equal (CloudEvents 1.0.2, "Context Attributes").
struct CloudEventContext: Hashable, Sendable {
    /// How the data stands in JSON (JSON event format, section 3.1).
    enum DataForm: String, Sendable {
        /// There is none.
        case none
        /// As JSON, in `data`.
        case json
        /// As a string, in `data`.
        case text
        /// In `data_base64`.
        case base64
    }

    /// Every attribute but `specversion`, which is 1.0, and `type`, which is the event's own: strings, whole numbers and
    /// booleans.
    let attributes: [String: JSONValue]

    let dataForm: DataForm

    init(attributes: [String: JSONValue], dataForm: DataForm) {
        self.attributes = attributes
        self.dataForm = dataForm
    }

    /// Reads what was stored.
    init?(_ stored: JSONValue?) {
        guard case .object(let attributes) = stored?["attributes"],
            let dataForm = stored?["data"]?.text.flatMap(DataForm.init)
        else { return nil }
        self.init(attributes: attributes, dataForm: dataForm)
    }

    /// What is stored.
    var json: JSONValue {
        ["attributes": .object(attributes), "data": .string(dataForm.rawValue)]
    }

    /// An attribute whose value is text; nil if it is not set.
    func text(_ name: String) -> String? { attributes[name]?.text }
}
