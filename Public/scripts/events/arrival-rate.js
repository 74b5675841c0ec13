import { count, counted } from "../page/format.js"
import { setText } from "../page/element.js"

const seconds = 60

/** Events per second over the last minute, as a number and a small curve. */
export class ArrivalRate {
  #curve
  #label
  #current = 0
  #history = Array(seconds).fill(0)

  /** @param {{curve: SVGSVGElement, label: HTMLElement}} parts */
  constructor({ curve, label }) {
    this.#curve = curve
    this.#label = label
    setInterval(() => this.#tick(), 1_000)
  }

  add(number = 1) {
    this.#current += number
  }

  #tick() {
    this.#history.push(this.#current)
    this.#history.shift()
    this.#current = 0
    if (document.hidden) return
    const peak = Math.max(...this.#history)
    // A gentle ceiling, so that a single event does not fill the height.
    const ceiling = Math.max(peak, 4)
    const points = this.#history.map((value, index) => `${index * 2} ${(21 - (value / ceiling) * 18).toFixed(1)}`)
    this.#curve.classList.toggle("is-silent", peak === 0)
    this.#curve.firstElementChild.setAttribute("d", peak === 0 ? "M0 21H118" : `M${points.join("L")}`)
    const latest = this.#history.at(-1)
    setText(this.#label, peak === 0 ? "" : `${count(latest)}/s`)
    this.#label.title = peak === 0 ? "" : `${counted(this.#history.reduce((sum, value) => sum + value), "event")} in the last minute`
  }
}
