import { Channel } from "./channel.js"
import { hearOfEnd } from "./port-end.js"

/** Messages with events that a tab may leave unread: a browser may freeze a tab, and would keep what it is sent. */
const mostUnread = 100

/**
 * Gives the tabs of a browser their events over as few streams as can be: one for each credential. Browsers allow six connections
 * to a host over HTTP/1.1, so a stream for each tab would leave the sixth without an answer.
 *
 * A tab is at the other end of a `MessagePort` and says
 * - `{kind: "listen", number, token, patterns}`: in place of what it listened to before; `number` comes back with every answer to it,
 * - `{kind: "read"}` for each message with events, `{kind: "retry"}`, `{kind: "leave"}`;
 * and is told `{kind: "state", number, state}`, `{kind: "events", number, events}`, and `{kind: "missed", number}` when it has read
 * all that it was sent, and some was left out because it did not read for so long. It hears nothing of what was opened by
 * another credential than its own, and is told no credential.
 */
export class StreamShare {
  #channels = []

  /** @param {MessagePort} port */
  attach(port) {
    let listener = null
    let channel = null
    let unread = 0
    let hasMissed = false
    const tell = (message) => {
      if (message.kind === "events") {
        hasMissed ||= unread >= mostUnread
        if (hasMissed) return
        unread += 1
      }
      port.postMessage(message)
    }
    const leave = () => {
      channel?.leave(listener)
      this.#channels = this.#channels.filter((one) => !one.isEmpty)
      channel = listener = null
    }
    port.addEventListener("message", ({ data: message }) => {
      if (message.kind === "read") {
        unread -= 1
        if (!hasMissed || unread > 0) return
        hasMissed = false
        tell({ kind: "missed", number: listener?.number })
      }
      if (message.kind === "retry") channel?.retry()
      if (message.kind === "leave") leave()
      if (message.kind !== "listen") return
      const { number, token, patterns } = message
      const next = { number, patterns, tell: (told) => tell({ ...told, number }) }
      if (channel?.token === token && channel.takes(patterns)) {
        channel.replace(listener, next)
        listener = next
        return
      }
      leave()
      listener = next
      channel = this.#channelFor(token, patterns)
      channel.join(listener)
    })
    // The tab has gone without a word.
    port.addEventListener("close", leave)
    hearOfEnd(port, leave)
    port.start()
  }

  #channelFor(token, patterns) {
    let channel = this.#channels.find((one) => one.token === token && one.takes(patterns))
    if (!channel) {
      channel = new Channel(token)
      this.#channels.push(channel)
    }
    return channel
  }
}
