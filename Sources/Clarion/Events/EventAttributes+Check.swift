import EventLog
import JSON
import MicroHTTP
import Webhooks

extension EventAttributes {
    /// Reads what a program gives an event, most likely those of another event. No request has its attributes stored as it
    /// wrote them, so nothing that is read later expects ones that were not checked.
    ///
    /// - Throws: `parameter-invalid`, `cloudevent-invalid`.
    init(posted: [UInt8], with draft: EventDraft) throws(Problem) {
        guard let document = try? JSONValue(document: posted), case .object = document else { throw Self.invalid }
        self.init(posted)
        // What is no trace context is passed over, as that of a request is.
        traceparent = traceparent.flatMap(Traceparent.init)?.description
        guard (0...DueDelivery.mostHops).contains(hops) else { throw Self.invalid }
        guard let context = cloudEvent else { return }
        let type = draft.type ?? CloudEvent.defaultType
        let members = context.attributes.merging(["specversion": "1.0", "type": .string(type)]) { $1 }
        let checked = try CloudEventAttributes(members, at: .headers)
        guard context.dataForm.holds(draft.data) else {
            throw CloudEventAttributes.Place.headers.problem("data", "The data is not what the attributes say it is.")
        }
        cloudEvent = CloudEventContext(attributes: checked.others, dataForm: context.dataForm)
    }

    private static var invalid: Problem {
        Problem(.badRequest, code: "parameter-invalid", detail: "The attributes are not those of an event of a hub.")
    }
}

extension CloudEventContext.DataForm {
    /// Whether data can stand so in JSON: it is written there as it is.
    fileprivate func holds(_ data: [UInt8]) -> Bool {
        switch self {
        case .none: data.isEmpty
        case .json: JSONDocument.isValid(data)
        case .text: UTF8Check.isValid(data)
        case .base64: true
        }
    }
}
