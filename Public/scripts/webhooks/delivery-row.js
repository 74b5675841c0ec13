import { hubNow } from "../http/hub-clock.js"
import { request, requestJSON } from "../http/request.js"
import { announce } from "../page/announcer.js"
import { busily } from "../page/busy.js"
import { element, icon, setText } from "../page/element.js"
import { age, counted, duration, moment } from "../page/format.js"
import { eventHref } from "../events/event-route.js"
import { attemptView } from "./attempts.js"

const words = { delivered: "Delivered", pending: "Pending", dead: "Dead letter" }
const tones = { delivered: "good", pending: "waiting", dead: "bad" }

/** One delivery: a line, which opens into its attempts. */
export class DeliveryRow {
  #path
  #delivery
  #onChange
  #lamp = element("span", { class: "state-lamp", "aria-hidden": "true" })
  #state = element("span")
  #mark = element("span", { class: "state" }, this.#lamp, this.#state)
  #outcome = element("span", { class: "delivery-outcome" })
  #time = element("span", { class: "delivery-time" })
  #button = element("button", { type: "button", class: "delivery-line", "aria-expanded": "false", onclick: () => this.#toggle() })
  #detail = element("div", { class: "delivery-detail" })
  element = element("li", { class: "delivery" }, this.#button)

  /**
   * @param {string} webhook Its id.
   * @param {() => void} onChange It was delivered again.
   */
  constructor(webhook, delivery, onChange) {
    this.#path = `/observers/${encodeURIComponent(webhook)}/deliveries/${encodeURIComponent(delivery.event)}`
    this.#onChange = onChange
    this.#button.append(this.#mark,
      element("span", { class: "delivery-name" },
        element("span", { class: "event-topic" }, delivery.topic), delivery.type ? element("span", { class: "event-type" }, delivery.type) : null),
      this.#outcome, this.#time, icon("chevron"))
    this.element.dataset.event = delivery.event
    this.show(delivery)
  }

  get isOpen() {
    return this.#detail.parentElement !== null
  }

  show(delivery) {
    const former = this.#delivery
    this.#delivery = delivery
    this.#mark.dataset.tone = tones[delivery.state]
    setText(this.#state, words[delivery.state] ?? delivery.state)
    setText(this.#outcome, outcome(delivery))
    setText(this.#time, moment(Date.parse(delivery.createdAt)))
    if (this.isOpen && (former.attempts !== delivery.attempts || former.state !== delivery.state)) this.#load()
  }

  #toggle() {
    if (this.isOpen) {
      this.#detail.remove()
    } else {
      this.element.append(this.#detail)
      this.#load()
    }
    this.#button.setAttribute("aria-expanded", String(this.isOpen))
    this.element.classList.toggle("is-open", this.isOpen)
  }

  /** Also what was asked for before it was closed and opened again fills what is open now: there is one place. */
  async #load() {
    const result = element("div", { class: "result", role: "status" })
    await busily(this.element, this.#detail, async () => {
      const { attemptLog, ...delivery } = await requestJSON(this.#path)
      const again = element("button", { type: "button", class: "button button-quiet", onclick: () => this.#redeliver(result) }, "Deliver again")
      this.#detail.replaceChildren(
        element("div", { class: "event-actions" }, again,
          element("a", { href: eventHref({ topic: delivery.topic, id: delivery.event }) }, "The event"),
          element("code", { class: "delivery-event" }, delivery.event)),
        result,
        ...(attemptLog.length > 0 ? attemptLog.toReversed().map(attemptView) : [element("p", { class: "hint" }, "No attempt was made.")]))
    })
  }

  #redeliver(result) {
    return busily(this.element, result, async () => {
      await request(`${this.#path}/redeliver`, { method: "POST" })
      result.replaceChildren(element("p", { class: "message message-success" }, element("strong", {}, "On its way again.")))
      announce("On its way again")
      this.#onChange()
    })
  }
}

function outcome({ state, attempts, status, failure, nextAttemptAt, createdAt, attemptedAt }) {
  const tries = counted(attempts, "attempt")
  if (state === "delivered") return `${status ?? ""} after ${duration(Date.parse(attemptedAt) - Date.parse(createdAt))}${attempts > 1 ? `, ${tries}` : ""}`
  const last = status ?? failure ?? ""
  if (state === "dead") return `${last}, ${tries}`.replace(/^, /, "")
  const wait = nextAttemptAt ? Date.parse(nextAttemptAt) - hubNow() : 0
  const next = wait > 0 ? `next in ${duration(wait)}` : `waiting for ${age(createdAt)}`
  return [last, attempts > 0 ? tries : "", next].filter(Boolean).join(", ")
}
