import { mostCharacters, mostRows } from "./event-list.js"
import { NoticeRow } from "./notice-row.js"

/** What has come over the stream and is not in the list yet: the newest of it, as much as the list could show. */
export class Arrivals {
  #waiting = []
  #characters = 0
  /** How many were dropped or wait. */
  number = 0
  /** Whether some were dropped: what waits does not follow on the list then. */
  hasGap = false

  get isEmpty() {
    return this.#waiting.length === 0
  }

  /** @param {import("../stream/hub-event.js").HubEvent} event */
  add(event) {
    this.#push({ event, size: event.size })
  }

  addNotice(title, detail) {
    this.#push({ event: null, title, detail, size: title.length + detail.length })
  }

  /** Takes all that waits, as rows, newest first. */
  rows(list) {
    const rows = this.#waiting.map(({ event, title, detail }) => (event ? list.rowFor(event) : new NoticeRow(title, detail)))
    this.clear()
    return rows.reverse()
  }

  /** Drops those up to the last of some events, which are in the list by now; false if none of them is among those that wait. */
  dropThrough(ids) {
    const index = this.#waiting.findLastIndex(({ event }) => event && ids.has(event.id))
    for (const { size } of this.#waiting.splice(0, index + 1)) this.#characters -= size
    this.number = this.#waiting.length
    // What was dropped came before.
    if (index >= 0) this.hasGap = false
    return index >= 0
  }

  clear() {
    this.#waiting = []
    this.#characters = this.number = 0
    this.hasGap = false
  }

  #push(arrival) {
    this.#waiting.push(arrival)
    this.#characters += arrival.size
    this.number += 1
    while (this.#waiting.length > mostRows || (this.#characters > mostCharacters && this.#waiting.length > 1)) {
      this.#characters -= this.#waiting.shift().size
      this.hasGap = true
    }
  }
}

