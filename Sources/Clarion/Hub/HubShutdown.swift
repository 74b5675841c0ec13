import EventLog
import Logging
import MicroHTTP
import Webhooks

/// The parts of a hub that are to be stopped, and their order. It holds them, not the hub: what is left of a hub that was
/// released is stopped in the same way.
struct HubShutdown: Sendable {
    let server: HTTPServer?
    let directory: ObserverDirectory
    let readerMemory: ReaderMemory
    let webhooks: WebhookRegistry
    let dispatcher: WebhookDispatcher
    let bindings: TopicBindings
    let inbox: WebhookInbox
    let work: BackgroundWork
    let log: any CompleteLog
    let logger: Logger

    /// Stops all of it.
    ///
    /// - Parameter grace: how long attempts under way may take.
    func run(grace: Duration) async {
        let deadline = ContinuousClock.now + grace
        server?.quiesce()
        directory.close()
        readerMemory.stopWaiting()
        webhooks.stop()
        // Who tries an endpoint out waits for the attempt's answer.
        let requestGrace = dispatcher.isProbing ? grace : .seconds(2)
        async let attempts: Void = dispatcher.shutdown(grace: grace)
        let isStopped = await server?.stop(grace: requestGrace) ?? true
        if !isStopped { logger.error("requests were still waiting for their answer at shutdown") }
        await attempts
        inbox.finish()
        if await !work.stop(within: max(.milliseconds(500), deadline - .now)) {
            logger.error("background work was still going on at shutdown")
        }
        bindings.removeAll()
        await log.close()
        // Last: until then a client's attempt to connect is dropped, and its next one may reach another hub.
        server?.leavePort()
    }
}
