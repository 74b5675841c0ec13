import { delayChart } from "../charts/delay-chart.js"
import { outcomeChart } from "../charts/outcome-chart.js"
import { element } from "../page/element.js"
import { count, duration, moment } from "../page/format.js"
import { panel } from "../page/panel.js"

const legend = [["delivered", "delivered"], ["pending", "pending"], ["dead", "dead letters"]]

/** How long the newest deliveries took, and what became of them. */
export class DeliveryCharts {
  #delay = element("div", { class: "chart-place" })
  #outcome = element("div", { class: "chart-place" })
  element = element("div", { class: "chart-pair" }, panel("Delay", this.#delay), panel("Outcomes", this.#outcome))
  #shown = ""

  /** @param {object[]} deliveries */
  show(deliveries) {
    const key = JSON.stringify(deliveries.map(({ event, state, attempts }) => [event, state, attempts]))
    if (key === this.#shown) return
    this.#shown = key
    const points = deliveries.map(({ state, createdAt, attemptedAt }) => (
      { state, at: Date.parse(createdAt), delay: Math.max(0, Date.parse(attemptedAt) - Date.parse(createdAt)) }))
    const arrived = points.filter(({ state }) => state === "delivered")
    const none = () => element("p", { class: "hint" }, "Nothing was delivered yet.")
    this.#delay.replaceChildren(delayChart(arrived) ?? none(), caption(arrived))
    this.#outcome.replaceChildren(outcomeChart(points) ?? none(),
      element("ul", { class: "legend" }, ...legend.map(([state, word]) => element("li", { "data-kind": state },
        `${count(points.filter((point) => point.state === state).length)} ${word}`))))
  }
}

function caption(arrived) {
  if (arrived.length === 0) return ""
  const delays = arrived.map(({ delay }) => delay).sort((a, b) => a - b)
  const at = (part) => duration(delays[Math.min(delays.length - 1, Math.floor(delays.length * part))])
  return element("p", { class: "hint" }, `Half within ${at(0.5)}, 99 % within ${at(0.99)}; of the newest ${count(delays.length)} delivered, since ${moment(Math.min(...arrived.map((point) => point.at)))}.`)
}
