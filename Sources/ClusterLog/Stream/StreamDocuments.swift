import FoundationEssentials

/// What the servers' interface for streams is asked and answers, in JSON: only the members that are used
/// (<https://docs.nats.io/reference/reference-protocols/nats_api_reference>).
struct StreamConfig: Encodable {
    var name: String
    var description: String
    var subjects: [String]
    var retention = "limits"
    var storage = "file"
    /// Refuse what is beyond the limits that an operator may set, rather than remove what was acknowledged.
    var discard = "new"
    var numReplicas: Int
}

struct ConsumerRequest: Encodable {
    struct Config: Encodable {
        var deliverSubject: String
        var deliverPolicy = "by_start_sequence"
        var optStartSeq: UInt64
        var ackPolicy = "none"
        var replayPolicy = "instant"
        var flowControl = true
        /// In nanoseconds.
        var idleHeartbeat: Int64
        var memStorage = true
        var numReplicas = 1
    }

    var streamName: String
    var config: Config
}

struct MessageRequest: Encodable {
    /// The first to look at.
    var seq: UInt64
    var nextBySubj = ">"
}

struct InfoRequest: Encodable {
    var deletedDetails: Bool
}

struct NewestRequest: Encodable {
    var lastBySubj: String
}

struct RemovalRequest: Encodable {
    var seq: UInt64
    /// Not to be overwritten on the disk.
    var noErase = true
}

struct StreamAnswer: Decodable {
    struct Fault: Decodable {
        var errCode: Int?
        var description: String?

        /// Whether there is no message in the place that was to be removed: as one server says it, and as the leader of several. By
        /// the same number servers refuse to remove any (`deny_delete`).
        var isNoSuchMessage: Bool {
            [10_057, 10_043].contains(errCode) && !(description?.contains("not permitted") ?? false)
        }
    }

    struct State: Decodable {
        var messages: UInt64
        var bytes: UInt64
        var lastSeq: UInt64
        /// How many were removed between these; absent if none were.
        var numDeleted: Int?
        /// Which ones, if that was asked for.
        var deleted: [UInt64]?
    }

    /// Of a stream, or of a consumer.
    struct Config: Decodable {
        var description: String?
        var numReplicas: Int?
        /// In nanoseconds; 0 is none. Of the others, -1 is none.
        var maxAge: Int64?
        var maxMsgs: Int64?
        var maxBytes: Int64?
        var maxMsgsPerSubject: Int64?
        var discard: String?
        var retention: String?

        /// What has the servers remove messages by themselves, in words; nil if nothing does. The settings are an operator's:
        /// the log is made with none of them, and with `discard: new` those that bound it refuse what is beyond.
        var lossySettings: String? {
            let drops = discard == "old"
            let all: [(isSet: Bool, words: String)] = [
                ((maxAge ?? 0) > 0, "max_age"),
                (drops && (maxMsgs ?? -1) > 0, "max_msgs with discard: old"),
                (drops && (maxBytes ?? -1) > 0, "max_bytes with discard: old"),
                ((maxMsgsPerSubject ?? -1) > 0, "max_msgs_per_subject"),
                ((retention ?? "limits") != "limits", "retention: \(retention ?? "")"),
            ]
            let set = all.filter(\.isSet).map(\.words)
            return set.isEmpty ? nil : set.joined(separator: ", ")
        }
    }

    /// Of an account.
    struct Limits: Decodable {
        var maxStorage: Int64?
    }

    /// Of servers that are a cluster.
    struct Cluster: Decodable {
        struct Server: Decodable {
            var name: String
            var current: Bool
            var offline: Bool?
        }

        var leader: String?
        var replicas: [Server]?
    }

    /// A message that was asked for.
    struct Message: Decodable {
        var subject: String
        var seq: UInt64
        /// None if it has none.
        var data: Data?
        var time: String
    }

    var error: Fault?
    var config: Config?
    var cluster: Cluster?
    var message: Message?
    var state: State?
    var limits: Limits?
    /// What an account has stored, on all servers together.
    var storage: Int64?
    /// Of a message that was stored.
    var seq: UInt64?
    /// When a stream or a consumer was made.
    var created: String?
}
