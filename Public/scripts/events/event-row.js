import { element, icon, setText } from "../page/element.js"
import { moment } from "../page/format.js"
import { eventDetail } from "./event-detail.js"

/** As much of the data as a row can show on the widest screen. */
const previewLength = 280

/** One event as a line of the list, which opens into its details. */
export class EventRow {
  #event
  #button
  #time
  #detail = null
  #onToggle

  /**
   * @param {import("../stream/hub-event.js").HubEvent} event
   * @param {(row: EventRow) => void} onToggle It was opened or closed.
   */
  constructor(event, onToggle) {
    this.#event = event
    this.#onToggle = onToggle
    this.#time = element("span", { class: "event-time" })
    this.#button = element("button", {
      type: "button", class: "event-row", "aria-expanded": "false", tabindex: "-1", onclick: () => this.toggle(),
    },
      this.#time,
      element("span", { class: "event-name" },
        event.topic === null ? null : element("span", { class: "event-topic" }, event.topic),
        event.type === null ? null : element("span", { class: "event-type" }, event.type)),
      preview(event),
      element("span", { class: "event-id", title: event.id }, event.id),
      icon("chevron"))
    this.element = element("li", { class: "event" }, this.#button)
    this.#renderTime()
  }

  get event() {
    return this.#event
  }

  get size() {
    return this.#event.size
  }

  get isOpen() {
    return this.#detail !== null
  }

  /** Milliseconds since 1970, by the hub's clock where it is known; null if nothing tells. */
  get at() {
    return this.#event.time === null ? this.#event.arrivedAt : Date.parse(this.#event.time)
  }

  focus() {
    this.#button.focus({ preventScroll: false })
  }

  toggle() {
    if (this.#detail) {
      this.#detail.remove()
      this.#detail = null
    } else {
      this.#detail = eventDetail(this.#event)
      this.element.append(this.#detail)
    }
    this.#button.setAttribute("aria-expanded", String(this.isOpen))
    this.element.classList.toggle("is-open", this.isOpen)
    this.#onToggle(this)
  }

  #renderTime() {
    // One that went while it was asked for.
    if (this.at === null) return
    setText(this.#time, moment(this.at))
    this.#time.title = new Date(this.at).toISOString()
  }
}

function preview({ data, isBinary }) {
  if (isBinary) return element("span", { class: "event-data is-absent" }, "binary data")
  if (data === "") return element("span", { class: "event-data is-absent" }, "no data")
  return element("span", { class: "event-data" }, data.slice(0, previewLength).replace(/\s+/g, " "))
}
