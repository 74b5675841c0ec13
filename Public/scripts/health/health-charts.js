import { latest, lineChart } from "../charts/line-chart.js"
import { element } from "../page/element.js"
import { byteCount, count, duration } from "../page/format.js"
import { panel } from "../page/panel.js"
import { quantile } from "./metrics-text.js"
import { span as longestSpan } from "./sampler.js"

/** Milliseconds that are drawn at least: what is watched for a minute would fill the whole width. */
const shortestSpan = 300_000

const perSecond = (value) => `${value < 10 ? Number(value.toFixed(1)) : count(Math.round(value))}/s`
const number = (value) => count(Math.round(value))
const seconds = (value) => duration(value * 1_000)
const percent = (value) => `${Math.round(value)} %`

/** What is drawn: the value of each line by its reading and the one before. */
const charts = [
  { title: "Posts", format: perSecond, lines: [["committed", rate("posts")], ["refused", rate("refused")]] },
  { title: "Deliveries", format: perSecond, lines: [["to webhooks", rate("toWebhooks")], ["to streams", rate("toStreams")], ["to objects", rate("toObjects")]] },
  { title: "Webhook attempts", format: perSecond, lines: [["made", rate("attempts")], ["failed", rate("failures")]] },
  { title: "Streams", format: number, lines: [["open", level("streams")], ["behind", level("behind")]] },
  { title: "Webhook lag", format: number, lines: [["pending", level("pending")], ["dead letters", level("dead")]] },
  { title: "Webhook delay", format: seconds, lines: [["half within", delay(0.5)], ["99 % within", delay(0.99)]] },
  { title: "Waiting for readers", format: byteCount, lines: [["in outboxes", level("outbox")], ["to be committed", level("queueBytes")]] },
  { title: "Log", format: byteCount, lines: [["size", level("logBytes")]] },
  { title: "Events in the log", format: number, lines: [["events", level("logEvents")]] },
  { title: "Memory", format: byteCount, lines: [["resident", level("memory")]] },
  { title: "Processor", format: percent, lines: [["of one core", (now, before) => scaled(rate("processor")(now, before), 100)]] },
]

function level(name) {
  return (now) => now[name] ?? null
}

/** A counter that has fallen began anew, with the hub. */
function rate(name) {
  return (now, before) => {
    if (!before || now[name] === null || before[name] === null || now[name] < before[name]) return null
    return ((now[name] - before[name]) / (now.at - before.at)) * 1_000
  }
}

function delay(part) {
  return (now, before) => (before ? quantile(before.delays, now.delays, part) : null)
}

const scaled = (value, factor) => (value === null ? null : value * factor)

/** The charts of the last hour, each in a panel; those of which nothing is known are left out. */
export class HealthCharts {
  element = element("div", { class: "chart-grid-pair" })
  #places = charts.map((chart) => {
    const place = element("div", { class: "chart-place" })
    return { ...chart, place, panel: panel(chart.title, place) }
  })

  constructor() {
    this.element.append(...this.#places.map((one) => one.panel))
  }

  /** @param {import("./reading.js").Reading[]} readings */
  show(readings) {
    const watched = readings.length > 0 ? Date.now() - readings[0].at : 0
    const span = Math.min(longestSpan, Math.max(shortestSpan, Math.ceil(watched / 60_000) * 60_000))
    for (const { title, format, lines, place, panel } of this.#places) {
      const series = lines.map(([name, value]) => ({ name, points: readings.map((now, index) => [now.at, value(now, readings[index - 1])]) }))
        .filter(({ points }) => points.some(([, value]) => value !== null))
      panel.hidden = series.length === 0
      if (panel.hidden) {
        place.replaceChildren()
        continue
      }
      place.replaceChildren(lineChart({ series, span, format, title }),
        element("ul", { class: "legend" }, ...series.map(({ name, points }, index) =>
          element("li", { "data-kind": String(index) }, `${name} ${latest(points) === null ? "–" : format(latest(points))}`))))
    }
  }
}
