import ArgumentParser
import ClarionClient
import Glibc
import JSON

struct ObserversAdd: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "add",
        abstract: "Register a webhook.",
        discussion: """
            Shows the webhook, and its secret if the hub has made one: it is not shown again. With --id, a webhook that has \
            the id is replaced.

            EXAMPLE
              clarion observers add https://example.com/hook 'orders.*' \\
                      --type created --header 'X-Team: blue'
            """
    )

    @Argument(help: "Where the events go.")
    var url: String

    @Argument(help: ArgumentHelp("Topics or patterns.", valueName: "pattern"))
    var topics: [String]

    @Option(help: "An id of your own.")
    var id: String?

    @Option(help: "Only events of this type. May be given several times.")
    var type: [String] = []

    @Option(help: "raw, cloudevents-binary or cloudevents-structured. (default: raw)")
    var format: String?

    @Option(
        help: ArgumentHelp(
            "A field of each request, such as 'X-Team: blue'. May be given several times.",
            valueName: "name: value"
        )
    )
    var header: [String] = []

    @Option(help: "Words for people.")
    var description: String?

    @Flag(help: "One delivery at a time, in the order of the log.")
    var ordered = false

    @Option(help: "How many deliveries may be under way. (default: 16)")
    var maxInFlight: Int?

    @Option(help: "How many deliveries there may be a second.")
    var ratePerSecond: Double?

    @Option(help: "hmac-sha256 or ed25519. (default: hmac-sha256)")
    var signature: String?

    @Option(help: "The secret that signs. Other users of this machine can see arguments. (default: the hub makes one)")
    var secret: String?

    @Flag(help: "Ask the endpoint for its consent before.")
    var handshake = false

    @Flag(help: "Deliver nothing until it is enabled.")
    var paused = false

    @OptionGroup var answer: AnswerOptions

    func run() async throws {
        let members = JSONValue.object(try members())
        try ObserverText.print(try await answer.hub.ask { try await $0.register(members, id: id) }, json: answer.json)
    }

    private func members() throws -> [String: JSONValue] {
        if !url.contains("://"), topics.contains(where: { $0.contains("://") }) {
            throw Failure.exit(EX_USAGE, "the URL comes first, then the topics: see clarion observers add --help")
        }
        var members: [String: JSONValue] = [
            "url": .string(url), "topics": .array(topics.map { .string($0) }),
        ]
        if !type.isEmpty { members["types"] = .array(type.map { .string($0) }) }
        members["format"] = format.map { .string($0) }
        members["description"] = description.map { .string($0) }
        members["maxInFlight"] = maxInFlight.map { .number(Double($0)) }
        members["ratePerSecond"] = ratePerSecond.map { .number($0) }
        members["signature"] = signature.map { .string($0) }
        members["secret"] = secret.map { .string($0) }
        if ordered { members["ordered"] = .bool(true) }
        if handshake { members["handshake"] = .bool(true) }
        if paused { members["enabled"] = .bool(false) }
        var headers: [String: JSONValue] = [:]
        for line in header {
            guard let colon = line.firstIndex(of: ":") else {
                throw Failure.exit(EX_USAGE, "--header: \"\(line)\" is not such as 'X-Team: blue'")
            }
            headers[String(line[..<colon])] = .string(String(line[line.index(after: colon)...].drop { $0 == " " }))
        }
        if !headers.isEmpty { members["headers"] = .object(headers) }
        return members
    }
}
