import HTTPTypes
import Hummingbird
import Logging

/// A hub in memory on Hummingbird and SwiftNIO: `HummingbirdHub PORT`. It has the routes that the load generator uses.
@main
struct HummingbirdHub {
    static func main() async throws {
        guard let port = CommandLine.arguments.dropFirst().first.flatMap(Int.init) else {
            fatalError("usage: HummingbirdHub PORT")
        }
        let application = Application(
            router: router(hub: Hub()),
            configuration: .init(address: .hostname("127.0.0.1", port: port), backlog: 4096),
            logger: Logger(label: "hub") { label in
                var handler = StreamLogHandler.standardError(label: label)
                handler.logLevel = .error
                return handler
            }
        )
        try await application.runService()
    }

    static func router(hub: Hub) -> Router<BasicRequestContext> {
        let router = Router()
        router.post("topics/{topic}/events") { request, context in
            let topic = try context.parameters.require("topic")
            let data = try await request.body.collect(upTo: 65_536)
            let answer = "{\"id\":\"\(hub.post(data, to: topic))\"}"
            return Response(
                status: .created,
                headers: [.contentType: "application/json"],
                body: .init(byteBuffer: ByteBuffer(string: answer))
            )
        }
        router.get("topics/{topic}/events") { request, context in
            let topic = try context.parameters.require("topic")
            let body = ResponseBody { writer in
                let outbox = Outbox()
                hub.add(outbox, to: topic)
                defer { hub.remove(outbox, from: topic) }
                try await request.body.consumeWithInboundCloseHandler { _ in
                    try await writer.write(ByteBuffer(string: ":\n\n"))
                    try await outbox.drain { try await writer.write($0) }
                } onInboundClosed: {
                    outbox.close()
                }
                try await writer.finish(nil)
            }
            return Response(
                status: .ok,
                headers: [.contentType: "text/event-stream", .cacheControl: "no-cache"],
                body: body
            )
        }
        router.get("streams") { _, _ in "\nstreams \(hub.streams)\n" }
        return router
    }
}
