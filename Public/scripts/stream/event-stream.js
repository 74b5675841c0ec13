import { askAs } from "../http/asking.js"
import { Problem } from "../http/problem.js"
import { EventStreamParser } from "./event-stream-parser.js"

const defaultRetry = 3_000
const longestRetry = 30_000
/** The hub breaks silence every 15 s; four times that without a byte means that the connection is dead. */
const silenceLimit = 60_000

/**
 * A server-sent-events stream read with `fetch`.
 *
 * An `EventSource` delivers only those event types that were asked for by name, and the types that will come are not
 * known here. This reads them all, and keeps the promises of an `EventSource`: it reconnects by itself after the time
 * the server asked for, says where it stopped in `Last-Event-ID`, and stops for good at a 204.
 *
 * States passed to `onState`:
 * - `connecting`: the first attempt is under way.
 * - `live`: the head of the answer has arrived; `observerID` is the name the hub gave this stream, or null.
 * - `reconnecting`: the connection was lost or could not be made; `at` is the time of the next attempt (ms since 1970).
 * - `ended`: the hub answered 204, somebody unregistered this stream.
 * - `refused`: the hub will not serve this request; `problem` says why. Trying again would not help.
 */
export class EventStream {
  #path
  #token
  #onItems
  #onState
  #goOn
  #ending = new AbortController()
  #wake = () => {}
  #lastEventID
  #retry = defaultRetry
  #failures = 0

  /**
   * @param {string} path Of the hub.
   * @param {{token: string | null, onItems: (items: object[]) => void, onState: (state: {name: string}) => void,
   *   goOn?: (id: string) => Promise<string>}} options `goOn` finds a later event to go on after, before the first attempt.
   * @param {string} lastEventID The event to go on after; empty for what comes from now on.
   */
  constructor(path, { token, onItems, onState, goOn = async (id) => id }, lastEventID = "") {
    this.#path = path
    this.#token = token
    this.#lastEventID = lastEventID
    this.#onItems = onItems
    this.#onState = onState
    this.#goOn = goOn
    this.#run()
  }

  /** The id of the newest event that has arrived, or after which the stream began; empty before it is known. */
  get lastEventID() {
    return this.#lastEventID
  }

  /** Ends the stream; no handler is called afterwards. */
  close() {
    this.#ending.abort()
    this.#wake()
  }

  /** Cuts a waiting time short. */
  retryNow() {
    this.#wake()
  }

  async #run() {
    const retryNow = () => this.retryNow()
    addEventListener("online", retryNow)
    this.#report({ name: "connecting" })
    if (this.#lastEventID) this.#lastEventID = await this.#goOn(this.#lastEventID)
    while (!this.#ending.signal.aborted) {
      const outcome = await this.#connect()
      if (outcome.final) {
        this.#report(outcome.final)
        break
      }
      const wait = Math.max(this.#delay(), outcome.retryAfter ?? 0)
      this.#report({ name: "reconnecting", at: Date.now() + wait, problem: outcome.problem ?? null })
      await this.#pause(wait)
    }
    removeEventListener("online", retryNow)
  }

  /** The server's own wish after a healthy connection; doubled, with ±20 % jitter, from failure to failure. */
  #delay() {
    if (this.#failures === 0) return this.#retry
    const doubled = this.#retry * 2 ** Math.min(this.#failures - 1, 10)
    return Math.max(this.#retry, Math.min(doubled, longestRetry)) * (0.8 + 0.4 * Math.random())
  }

  #pause(milliseconds) {
    if (this.#ending.signal.aborted) return Promise.resolve()
    return new Promise((resolve) => {
      const timer = setTimeout(resolve, milliseconds)
      this.#wake = () => {
        clearTimeout(timer)
        resolve()
      }
    })
  }

  async #connect() {
    const connection = new AbortController()
    const abort = () => connection.abort()
    this.#ending.signal.addEventListener("abort", abort)
    let silence = setTimeout(abort, silenceLimit)
    try {
      const headers = { Accept: "text/event-stream" }
      if (this.#lastEventID) headers["Last-Event-ID"] = this.#lastEventID
      const { response, problem } = await askAs(this.#token, this.#path, { headers, signal: connection.signal })
      if (response.status === 204) return { final: { name: "ended" } }
      if (problem) return this.#refusal(problem)
      if (!/^text\/event-stream\b/i.test(response.headers.get("Content-Type") ?? "")) {
        await response.body?.cancel()
        return { final: { name: "refused", problem: new Problem({ title: "The answer is not an event stream" }) } }
      }
      this.#failures = 0
      // Without it, what is posted between a connection that brought nothing and the next one would be missed.
      this.#lastEventID ||= response.headers.get("Clarion-Last-Event-Id") ?? ""
      this.#report({ name: "live", observerID: response.headers.get("Clarion-Observer-Id") })
      const parser = new EventStreamParser(this.#lastEventID)
      const decoder = new TextDecoder()
      const reader = response.body.getReader()
      for (let chunk = await reader.read(); !chunk.done; chunk = await reader.read()) {
        clearTimeout(silence)
        silence = setTimeout(abort, silenceLimit)
        this.#handle(parser.push(decoder.decode(chunk.value, { stream: true })))
      }
      return {}
    } catch {
      // A lost connection, or one that we gave up; `#run` knows which.
      this.#failures += 1
      return {}
    } finally {
      clearTimeout(silence)
      this.#ending.signal.removeEventListener("abort", abort)
    }
  }

  #refusal(problem) {
    // What a proxy answers while the hub restarts passes, too.
    const passes = problem.status >= 500 || problem.status === 429 || problem.status === 408
    if (!passes) return { final: { name: "refused", problem } }
    this.#failures += 1
    return { problem, retryAfter: problem.retryAfter }
  }

  #handle(items) {
    for (const item of items) {
      if (item.kind === "retry") this.#retry = item.milliseconds
      if (item.kind === "event" || item.kind === "position") this.#lastEventID = item.id
    }
    if (items.length > 0 && !this.#ending.signal.aborted) this.#onItems(items)
  }

  #report(state) {
    if (!this.#ending.signal.aborted) this.#onState(state)
  }
}
