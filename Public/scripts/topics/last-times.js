import { eventsPath } from "../http/curl.js"
import { requestJSON } from "../http/request.js"

/** Requests at a time: what is looked at comes soon, and the hub has other work. */
const mostAtATime = 4

/**
 * When the newest event of each topic was committed. The hub lists topics with the id of that event and without its time, so it
 * is asked for, once for each id, and only for topics that are looked at.
 */
export class LastTimes {
  /** By the id of the event. */
  #known = new Map()
  #wanted = new Map()
  #running = 0
  #signal
  #onKnown

  /** @param {(topic: string, time: string) => void} onKnown */
  constructor(signal, onKnown) {
    this.#signal = signal
    this.#onKnown = onKnown
  }

  /** @returns {string | null} The time if it is known; otherwise it is asked for. */
  of({ name, lastId }) {
    if (lastId === null) return null
    const known = this.#known.get(lastId)
    if (known) return known
    this.#wanted.set(name, lastId)
    this.#run()
    return null
  }

  async #run() {
    if (this.#running >= mostAtATime) return
    this.#running += 1
    for (let next = this.#take(); next && !this.#signal.aborted; next = this.#take()) {
      const [name] = next
      try {
        const { events: [event] } = await requestJSON(`${eventsPath(name)}?last=1`, { signal: this.#signal })
        if (!event) continue
        if (this.#known.size > 10_000) this.#known.clear()
        this.#known.set(event.id, event.time)
        this.#onKnown(name, event.time)
      } catch {
        // The next look asks again.
      }
    }
    this.#running -= 1
  }

  #take() {
    const next = this.#wanted.entries().next().value
    if (next) this.#wanted.delete(next[0])
    return next
  }
}
