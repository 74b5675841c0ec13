import EventLog
import JSON

extension Grant {
    /// The names of its members, in the credentials file and in the claim `clarion`.
    static let memberNames = Right.allCases.map(\.rawValue)

    /// Reads what members named for rights hold: lists of patterns. An absent one is an empty one.
    init(_ members: Members) throws(MemberFault) {
        self.init(
            publish: try members.patterns(.publish),
            subscribe: try members.patterns(.subscribe),
            manage: try members.patterns(.manage)
        )
    }

    /// The members that ``init(_:)`` reads; rights on nothing are left out.
    var members: [String: JSONValue] {
        var members: [String: JSONValue] = [:]
        for right in Right.allCases where allowsAnything(right) {
            members[right.rawValue] = .array(patterns(right).map { .string($0.text) })
        }
        return members
    }
}

extension Members {
    fileprivate func patterns(_ right: Right) throws(MemberFault) -> [TopicPattern] {
        guard let texts = try texts(right.rawValue) else { return [] }
        var patterns: [TopicPattern] = []
        for (place, text) in texts.enumerated() {
            do throws(TopicError) {
                patterns.append(try TopicPattern(text))
            } catch {
                throw fault("\(right.rawValue)[\(place)]", error.message)
            }
        }
        return patterns
    }
}
