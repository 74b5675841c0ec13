/**
 * Says something to those who use a screen reader, without moving the focus.
 *
 * @param {string} text
 */
export function announce(text) {
  const region = document.getElementById("announcer")
  // The same text twice in a row would not be read out; a node of its own is.
  region.replaceChildren(Object.assign(document.createElement("p"), { textContent: text }))
}

/** Announces how many things of one kind came, at most once per `interval` milliseconds. */
export class CountAnnouncer {
  #pending = 0
  #timer = null

  constructor(interval, describe) {
    this.interval = interval
    this.describe = describe
  }

  add(number) {
    this.#pending += number
    this.#timer ??= setTimeout(() => {
      this.#timer = null
      announce(this.describe(this.#pending))
      this.#pending = 0
    }, this.interval)
  }
}
