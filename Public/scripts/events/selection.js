/**
 * Which events of those listened to are shown: of some types, with some text in them.
 */
export class Selection {
  /** Topics and patterns. */
  patterns
  /** As the hub takes them: `a,b`; empty for all. */
  types
  text
  #types
  #text

  constructor({ patterns, types = "", text = "" }) {
    this.patterns = patterns
    this.#types = types.split(",").map((type) => type.trim()).filter(Boolean)
    this.types = this.#types.join(",")
    this.text = text
    this.#text = text.toLowerCase()
  }

  get isFiltered() {
    return this.#types.length > 0 || this.#text !== ""
  }

  /** @param {import("../stream/hub-event.js").HubEvent} event One that is listened to. */
  takes({ topic, type, id, data }) {
    if (this.#types.length > 0 && !this.#types.includes(type)) return false
    return this.#text === "" || [topic, type, id, data].some((part) => part?.toLowerCase().includes(this.#text))
  }
}
