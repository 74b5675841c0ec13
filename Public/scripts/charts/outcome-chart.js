import { drawing, svg, timeMarks } from "./svg.js"

const width = 420
const height = 150
const bottom = 126
const bars = 40
const kinds = ["delivered", "pending", "dead"]
const words = { delivered: "delivered", pending: "pending", dead: "dead letters" }

/**
 * What became of deliveries over the time in which their events were posted, in bars.
 *
 * @param {{state: string, at: number}[]} points
 */
export function outcomeChart(points) {
  if (points.length === 0) return null
  const totals = kinds.map((kind) => `${points.filter(({ state }) => state === kind).length} ${words[kind]}`)
  const chart = drawing(width, height, `Outcomes of deliveries, ${points.length} in all: ${totals.join(", ")}`)
  const begin = Math.min(...points.map(({ at }) => at))
  const span = Math.max(1, Math.max(...points.map(({ at }) => at)) - begin)
  const buckets = Array.from({ length: bars }, () => ({ delivered: 0, pending: 0, dead: 0 }))
  for (const { state, at } of points) buckets[Math.min(bars - 1, Math.floor(((at - begin) / span) * bars))][state] += 1
  const highest = Math.max(...buckets.map((bucket) => kinds.reduce((sum, kind) => sum + bucket[kind], 0)))
  const step = width / bars
  chart.append(...timeMarks(begin, begin + span, 0, width, height))
  chart.append(svg("line", { class: "chart-grid", x1: 0, x2: width, y1: bottom, y2: bottom }))
  for (const [index, bucket] of buckets.entries()) {
    let y = bottom
    for (const kind of kinds) {
      const tall = (bucket[kind] / highest) * (bottom - 8)
      if (tall === 0) continue
      y -= tall
      chart.append(svg("rect", { class: `chart-${kind}`, x: (index * step + 1).toFixed(1), y: y.toFixed(1), width: (step - 2).toFixed(1), height: tall.toFixed(1) }))
    }
  }
  return chart
}
