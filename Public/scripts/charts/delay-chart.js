import { duration } from "../page/format.js"
import { drawing, svg, timeMarks } from "./svg.js"

const width = 420
const height = 150
const left = 44
const bottom = 126
const top = 8
/** From a millisecond to a day, each step ten times the one before or a unit of its own. */
const marks = [1, 10, 100, 1_000, 10_000, 60_000, 600_000, 3_600_000, 86_400_000]

/**
 * How long deliveries took from the commit of their event until they arrived: a dot for each, the older on the left. Delays
 * stand on a logarithmic scale, since they differ by orders of magnitude.
 *
 * @param {{delay: number, at: number}[]} points Milliseconds, and since 1970.
 */
export function delayChart(points) {
  if (points.length === 0) return null
  const delays = points.map(({ delay }) => delay).sort((a, b) => a - b)
  const middle = delays[Math.floor(delays.length / 2)]
  const slowest = delays.at(-1)
  const chart = drawing(width, height, `Delays of deliveries, ${points.length} in all: half of them within ${duration(middle)}, the slowest ${duration(slowest)}`)
  const highest = marks.find((mark) => mark >= slowest) ?? slowest
  const height10 = Math.log10(Math.max(highest, 10))
  const y = (delay) => bottom - (Math.log10(Math.max(delay, 1)) / height10) * (bottom - top)
  for (const mark of marks.filter((one) => one <= Math.max(highest, 10))) {
    chart.append(
      svg("line", { class: "chart-grid", x1: left, x2: width, y1: y(mark), y2: y(mark) }),
      svg("text", { class: "chart-mark", x: left - 6, y: y(mark) + 3.5, "text-anchor": "end" }, duration(mark)))
  }
  const begin = Math.min(...points.map(({ at }) => at))
  const span = Math.max(1, Math.max(...points.map(({ at }) => at)) - begin)
  chart.append(...timeMarks(begin, begin + span, left, width, height))
  for (const { delay, at } of points) {
    chart.append(svg("circle", { class: "chart-dot", cx: (left + 6 + ((at - begin) / span) * (width - left - 12)).toFixed(1), cy: y(delay).toFixed(1), r: 2.5 }))
  }
  chart.append(svg("line", { class: "chart-middle", x1: left, x2: width, y1: y(middle), y2: y(middle) }))
  return chart
}
