import { element, icon } from "../page/element.js"
import { timeOfDay } from "../page/format.js"
import { eventDetail } from "./event-detail.js"

/** As much of the data as a row can show on the widest screen. */
const previewLength = 280

/** One event as a line of the list, which opens into its details. */
export class EventRow {
  #event
  #button
  #detail = null

  /** @param {import("../stream/hub-event.js").HubEvent} event */
  constructor(event) {
    this.#event = event
    this.#button = element("button", {
      type: "button", class: "event-row", "aria-expanded": "false", tabindex: "-1", onclick: () => this.#toggle(),
    },
      element("span", { class: "event-time" }, timeOfDay(event.arrivedAt)),
      element("span", { class: "event-name" },
        event.topic === null ? null : element("span", { class: "event-topic" }, event.topic),
        event.type === null ? null : element("span", { class: "event-type" }, event.type)),
      preview(event),
      element("span", { class: "event-id", title: event.id }, event.id),
      icon("chevron"))
    this.element = element("li", { class: "event" }, this.#button)
  }

  get isOpen() {
    return this.#detail !== null
  }

  focus() {
    this.#button.focus({ preventScroll: false })
  }

  #toggle() {
    if (this.#detail) {
      this.#detail.remove()
      this.#detail = null
    } else {
      this.#detail = eventDetail(this.#event)
      this.element.append(this.#detail)
    }
    this.#button.setAttribute("aria-expanded", String(this.isOpen))
    this.element.classList.toggle("is-open", this.isOpen)
  }
}

function preview({ data, isBinary }) {
  if (isBinary) return element("span", { class: "event-data is-absent" }, "binary data")
  if (data === "") return element("span", { class: "event-data is-absent" }, "no data")
  return element("span", { class: "event-data" }, data.slice(0, previewLength).replace(/\s+/g, " "))
}
