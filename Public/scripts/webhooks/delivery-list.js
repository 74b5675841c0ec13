import { problemMessage } from "../http/problem.js"
import { requestJSON } from "../http/request.js"
import { element } from "../page/element.js"
import { Poll } from "../page/poll.js"
import { DeliveryRow } from "./delivery-row.js"

const interval = 2_000
const pageLength = 100
/** Rows in the document; whoever looks for older ones chooses by state. */
const mostRows = 1_000
const states = [["", "All"], ["pending", "Pending"], ["delivered", "Delivered"], ["dead", "Dead letters"]]

/** The deliveries of a webhook, those of the newest events first; the newest page is asked for anew all the time. */
export class DeliveryList {
  #path
  #id
  #state = ""
  #rows = new Map()
  /** Those that were asked for beyond the newest page. */
  #older = new Set()
  #list = element("ol", { class: "deliveries", "aria-label": "Deliveries, newest first" })
  #message = element("div", { class: "result", role: "status" })
  #empty = element("p", { class: "hint" })
  #more = element("button", { type: "button", class: "button button-plain older", hidden: true, onclick: () => this.#loadMore() }, "Show older ones")
  #next = null
  #onNewest
  #poll

  /** @param {(deliveries: object[]) => void} onNewest Told the newest, of all states. */
  constructor(id, onNewest) {
    this.#id = id
    this.#path = `/observers/${encodeURIComponent(id)}/deliveries`
    this.#onNewest = onNewest
    const choice = element("div", { class: "choice", role: "group", "aria-label": "Which deliveries" }, ...states.map(([state, label]) =>
      element("button", { type: "button", "aria-pressed": String(state === ""), onclick: ({ currentTarget }) => this.#choose(state, currentTarget) }, label)))
    this.element = element("div", {}, choice, this.#message, this.#list, this.#empty, this.#more)
    this.#poll = new Poll((signal) => this.#load(signal), { interval, onProblem: (problem) => this.#message.replaceChildren(problemMessage(problem)) })
  }

  refresh() {
    return this.#poll.now()
  }

  close() {
    this.#poll.close()
  }

  #choose(state, button) {
    for (const other of button.parentElement.children) other.setAttribute("aria-pressed", String(other === button))
    this.#state = state
    this.#rows.clear()
    this.#older.clear()
    this.#list.replaceChildren()
    this.#next = null
    this.refresh()
  }

  async #load(signal) {
    const state = this.#state
    const { deliveries, next } = await requestJSON(this.#page(null), { signal })
    // Meanwhile others may have been chosen.
    if (state !== this.#state) {
      setTimeout(() => this.refresh())
      return
    }
    this.#message.replaceChildren()
    this.#merge(deliveries, next === null)
    if (this.#older.size === 0 || next === null) this.#next = next
    this.#render()
    if (state === "") this.#onNewest(deliveries)
  }

  /**
   * Puts the newest page at the top. What stands below stays if it is older, or open; of a page that no longer meets what is
   * there, or that is all there is, nothing is known below.
   */
  #merge(deliveries, isWhole) {
    const present = new Set(deliveries.map(({ event }) => event))
    const meets = deliveries.some(({ event }) => this.#rows.has(event))
    for (const [event, row] of this.#rows) {
      const isOlder = this.#state === "" || this.#older.has(event)
      if (present.has(event) || row.isOpen || (meets && !isWhole && isOlder)) continue
      this.#drop(event)
    }
    if (!meets) this.#older.clear()
    let place = this.#list.firstElementChild
    for (const delivery of deliveries) {
      const row = this.#rowOf(delivery)
      if (row.element === place) place = place.nextElementSibling
      else this.#list.insertBefore(row.element, place)
    }
    for (const row of [...this.#list.children].slice(mostRows)) this.#drop(row.dataset.event)
  }

  #drop(event) {
    this.#rows.get(event).element.remove()
    this.#rows.delete(event)
  }

  #rowOf(delivery) {
    const known = this.#rows.get(delivery.event)
    if (known) {
      known.show(delivery)
      return known
    }
    const row = new DeliveryRow(this.#id, delivery, () => this.refresh())
    this.#rows.set(delivery.event, row)
    return row
  }

  async #loadMore() {
    const state = this.#state
    try {
      const { deliveries, next } = await requestJSON(this.#page(this.#next))
      if (state !== this.#state) return
      for (const delivery of deliveries) {
        this.#older.add(delivery.event)
        if (!this.#rows.has(delivery.event)) this.#list.append(this.#rowOf(delivery).element)
      }
      this.#next = next
      this.#render()
    } catch (problem) {
      this.#message.replaceChildren(problemMessage(problem))
    }
  }

  #page(cursor) {
    const query = new URLSearchParams({ limit: pageLength })
    if (this.#state) query.set("state", this.#state)
    if (cursor) query.set("cursor", cursor)
    return `${this.#path}?${query}`
  }

  #render() {
    this.#more.hidden = this.#next === null || this.#rows.size >= mostRows
    this.#empty.textContent = this.#rows.size > 0 ? "" : this.#state ? "There are none such." : "Nothing was posted yet that it wants."
  }
}
