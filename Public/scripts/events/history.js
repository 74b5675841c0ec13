import { bodyOf } from "../http/body.js"
import { eventsPath, streamPath } from "../http/curl.js"
import { hubNow } from "../http/hub-clock.js"
import { request } from "../http/request.js"
import { readEvent, readHistoryLine } from "../stream/hub-event.js"

/** As many events as the hub gives at a time. */
const pageLength = 1_000
/** Pages read forward in one search for what is older; past that it begins later. */
const mostPages = 4
/** Milliseconds between two events of a topic, of which nothing is known yet: few enough that not many lie between. */
const likelyGap = 100

/** @typedef {import("../stream/hub-event.js").HubEvent} HubEvent */

/**
 * What the hub keeps of some topics.
 *
 * The hub reads history forward, from an event or a time. What is older than an event is therefore found by beginning some time
 * before it: the time is widened until there is enough, and narrowed while there is too much.
 */
export class History {
  #patterns
  #types
  #signal

  /**
   * @param {{patterns: string[], types: string}} selection `types` as the hub takes them: `a,b`; empty for all.
   * @param {AbortSignal} signal Ends what is under way.
   */
  constructor({ patterns, types }, signal) {
    this.#patterns = patterns
    this.#types = types
    this.#signal = signal
  }

  /** The newest events, oldest first; `isAll` if there are no others. */
  async newest(number) {
    let { events, hasMore } = await this.#page({ last: number })
    const isAll = events.length < number && !hasMore
    // A page ends early when its events are large. While many come there is always more.
    for (let pages = 0; hasMore && pages < mostPages; pages += 1) {
      const page = await this.#page({ after: events.at(-1).id, limit: number })
      events = [...events, ...page.events].slice(-number)
      hasMore = page.hasMore
    }
    return { events, isAll }
  }

  /** What came after an event; `isAll` if nothing follows. */
  async newer(id, number) {
    const { events, hasMore } = await this.#page({ after: id, limit: number })
    return { events, isAll: !hasMore }
  }

  /**
   * What came before an event, oldest first, and the event itself as history has it; null if it is gone.
   *
   * @param {{id: string, time: string | null}} edge The event. Where it does not tell when it was committed, that was before the event
   *   that follows it.
   * @param {number} number As many as are wanted.
   * @param {number} span Milliseconds before it in which about so many are likely.
   * @returns {Promise<{events: HubEvent[], edge: HubEvent | null, isAll: boolean}>}
   */
  async older(edge, number, span) {
    const next = edge.time === null ? (await this.newer(edge.id, 1)).events[0] : undefined
    const time = edge.time ?? next?.time
    const end = time === undefined ? hubNow() : Date.parse(time)
    let tooShort = 0
    let tooLong = Infinity
    let width = Math.max(1, span)
    for (;;) {
      const isEarliest = width >= end
      const isNarrow = tooLong <= 1 || tooLong <= tooShort * 1.2
      const since = isEarliest ? "earliest" : new Date(end - Math.round(width)).toISOString()
      const found = await this.#between(since, { id: edge.id, next: next?.id }, number, isNarrow ? mostPages * 25 : mostPages)
      // An edge that is not met is gone, or, where its time is not known, before all that was read.
      const isLongEnough = found !== null && (found.edge !== null || edge.time !== null) && found.events.length >= number / 4
      if (found !== null && (isEarliest || isNarrow || isLongEnough)) {
        // An edge that is gone took with it what was older.
        if (found.edge === null) return { events: [], edge: null, isAll: true }
        return { ...found, events: found.events.slice(-number), isAll: isEarliest && found.events.length <= number }
      }
      if (isNarrow) return { events: [], edge: null, isAll: true }
      if (found === null) tooLong = width
      else tooShort = width
      if (tooLong === Infinity) width *= 8
      else if (tooLong <= 1 || tooLong <= tooShort * 1.2) width = tooLong
      else width = tooShort === 0 ? Math.max(1, tooLong / 8) : Math.sqrt(tooShort * tooLong)
    }
  }

  /**
   * The last events from a time to an event, read forward, and that event; null if there are too many to read. Given the event that
   * follows it, what begins there is not read on.
   */
  async #between(since, { id, next }, number, most) {
    let tail = []
    let from = { since }
    for (let pages = 0; pages < most; pages += 1) {
      // The first alone tells whether the time is too late.
      const { events, hasMore } = await this.#page({ ...from, limit: next && pages === 0 ? 1 : pageLength })
      const end = events.findIndex((event) => event.id === id)
      tail = [...tail, ...(end < 0 ? events : events.slice(0, end))].slice(-number - 1)
      if (end >= 0 || !hasMore || events.some((event) => event.id === next)) return { events: tail, edge: events[end] ?? null }
      from = { after: events.at(-1).id }
    }
    return null
  }

  /** One event by its topic and id. */
  async one({ topic, id }) {
    const response = await request(`${eventsPath(topic)}/${encodeURIComponent(id)}`, {
      headers: { Accept: "application/cloudevents+json" }, signal: this.#signal,
    })
    const event = readEvent({ id, type: "message", data: await bodyOf(response, "text"), arrivedAt: null })
    if (event.time !== null) return event
    // The envelope of one that was posted as a CloudEvent has its poster's time; the history of its topic has that of the commit.
    const { edge } = await new History({ patterns: [topic], types: "" }, this.#signal).older(event, 0, likelyGap)
    return edge ?? event
  }

  async #page(parameters) {
    const types = this.#types ? { type: this.#types } : {}
    const response = await request(streamPath(this.#patterns, { ...parameters, ...types }), {
      headers: { Accept: "application/x-ndjson" }, signal: this.#signal,
    })
    const lines = (await bodyOf(response, "text")).split("\n").filter(Boolean)
    return { events: lines.map(readHistoryLine), hasMore: response.headers.has("Link") }
  }
}
