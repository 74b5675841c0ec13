import { askAs } from "../http/asking.js"
import { streamPath } from "../http/curl.js"
import { isTopic, matches } from "../topics/topic-pattern.js"
import { EventStream } from "./event-stream.js"
import { readEvent } from "./hub-event.js"
import { newStreamName } from "./stream-name.js"

/** As many topics and patterns as the hub takes for one stream. */
const mostPatterns = 100
/** Milliseconds that a new listener and those before it wait for where to go on. */
const longestSearch = 3_000

/**
 * One stream of the hub for the listeners that show one credential: it asks for all that any of them wants, and tells each
 * what that one wants.
 *
 * A listener is `{patterns: string[], tell: (message: object) => void}`.
 */
export class Channel {
  token
  #listeners = new Set()
  #stream = null
  #patterns = []
  #name = newStreamName()
  #state = { name: "connecting" }
  #followsBase64Comment = false

  /** @param {string | null} token */
  constructor(token) {
    this.token = token
  }

  get isEmpty() {
    return this.#listeners.size === 0
  }

  /** Whether the hub would take what is wanted already and this in one stream. */
  takes(patterns) {
    return union([...this.#listeners, { patterns }]).length <= mostPatterns
  }

  join(listener) {
    const isFirst = this.isEmpty
    this.#listeners.add(listener)
    if (!this.#follow({ isNew: isFirst })) listener.tell({ kind: "state", state: this.#state })
  }

  leave(listener) {
    if (this.#listeners.delete(listener)) this.#follow({ isNew: false })
  }

  /** One listener in place of another: what both want is not interrupted. */
  replace(old, listener) {
    this.#listeners.delete(old)
    this.join(listener)
  }

  /** Tries again at once; one that was unregistered comes back under another name. */
  retry() {
    if (this.#state.name === "reconnecting") this.#stream.retryNow()
    else if (this.#state.name !== "live" && this.#state.name !== "connecting") {
      this.#name = newStreamName()
      this.#open("")
    }
  }

  /** Opens the stream anew if something else is wanted by now. Returns whether it did. */
  #follow({ isNew }) {
    const wanted = union(this.#listeners)
    const isOver = this.#state.name === "refused" || this.#state.name === "ended"
    if (wanted.join(" ") === this.#patterns.join(" ") && this.#stream && !isOver) return false
    if (isOver) this.#name = newStreamName()
    const heard = this.#patterns
    this.#patterns = wanted
    if (this.isEmpty) {
      this.#stream?.close()
      this.#stream = null
      return true
    }
    // Whoever is listening already is to miss nothing; the first begins now.
    this.#open(isNew ? "" : this.#stream?.lastEventID ?? "", heard)
    return true
  }

  #open(lastEventID, heard = this.#patterns) {
    this.#stream?.close()
    this.#state = { name: "connecting", problem: null }
    this.#followsBase64Comment = false
    // Named, so that a stream opened anew replaces the one before at once and leaves no ghost among the observers.
    this.#stream = new EventStream(streamPath(this.#patterns, { envelope: "cloudevents", observer: this.#name }), {
      token: this.token,
      onState: (state) => this.#tellState(state),
      onItems: (items) => this.#tellItems(items),
      goOn: (id) => latestAfter(id, heard, { token: this.token, wanted: this.#patterns }),
    }, lastEventID)
  }

  #tellState({ problem, ...state }) {
    if (state.name === "live") state.observerID ??= this.#name
    this.#state = { ...state, problem: problem?.members ?? null }
    if (state.name === "refused" && problem && this.#partsWith(problem.topic)) return
    for (const { tell } of this.#listeners) tell({ kind: "state", state: this.#state })
  }

  /** One listener may want what its credential has no right to; the others go on without it. Returns whether any do. */
  #partsWith(topic) {
    const refused = [...this.#listeners].filter(({ patterns }) => patterns.includes(topic))
    if (refused.length === 0 || refused.length === this.#listeners.size) return false
    for (const listener of refused) {
      this.#listeners.delete(listener)
      listener.tell({ kind: "state", state: this.#state })
    }
    this.#follow({ isNew: false })
    return true
  }

  #tellItems(items) {
    const arrivedAt = Date.now()
    const events = []
    for (const item of items) {
      if (item.kind === "comment" && item.text === "base64") this.#followsBase64Comment = true
      if (item.kind !== "event") continue
      const { id, type, data, hasOwnID } = item
      events.push({ id, type, data, arrivedAt, isGap: type === "gap" && !hasOwnID, isBase64: this.#followsBase64Comment })
      this.#followsBase64Comment = false
    }
    if (events.length === 0) return
    const wantSame = [...this.#listeners].every(({ patterns }) => union([{ patterns }]).length === this.#patterns.length)
    const onlyTopic = this.#patterns.length === 1 && isTopic(this.#patterns[0]) ? this.#patterns[0] : null
    // Read here only where listeners differ: reading has its price at a thousand a second.
    const topics = wantSame ? [] : events.map((event) => (event.isGap ? null : readEvent(event, onlyTopic).topic))
    for (const { patterns, tell } of this.#listeners) {
      const wanted = wantSame ? events : events.filter((event, index) => event.isGap || patterns.some((one) => matches(one, topics[index] ?? "")))
      if (wanted.length > 0) tell({ kind: "events", events: wanted })
    }
  }
}

/**
 * Where to go on for who has heard some patterns up to an event, which may be days old: at the newest event of all, unless one of
 * those patterns came since. Otherwise a listener who has just come would be sent all that others did not want.
 */
async function latestAfter(id, heard, { token, wanted }) {
  const signal = AbortSignal.timeout(longestSearch)
  try {
    const newest = await askAs(token, streamPath(wanted), { method: "HEAD", headers: { Accept: "text/event-stream" }, signal })
    const since = await askAs(token, streamPath(heard, { after: id, limit: 1 }), { headers: { Accept: "application/x-ndjson" }, signal })
    if (newest.problem || since.problem || (await since.response.text()) !== "") return id
    return newest.response.headers.get("Clarion-Last-Event-Id") ?? id
  } catch {
    return id
  }
}

const union = (listeners) => [...new Set([...listeners].flatMap(({ patterns }) => patterns))].sort()
