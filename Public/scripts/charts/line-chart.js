import { drawing, svg } from "./svg.js"

const width = 370
const height = 140
const left = 60
const top = 8
const bottom = 116
/** Readings farther apart than this (ms) are not joined: nobody looked between. */
const longestStep = 90_000

/**
 * Values over a span of time that ends now.
 *
 * @param {object} options
 * @param {{name: string, points: [number, number | null][]}[]} options.series Up to three; times in milliseconds since 1970.
 * @param {number} options.span Milliseconds.
 * @param {(value: number) => string} options.format
 * @param {string} options.title
 */
export function lineChart({ series, span, format, title, now = Date.now() }) {
  const values = series.flatMap(({ points }) => points.map(([, value]) => value)).filter((value) => value !== null)
  const highest = niceCeiling(Math.max(0, ...values))
  const words = series.map(({ name, points }) => `${name} ${latest(points) === null ? "unknown" : format(latest(points))}`)
  const chart = drawing(width, height, `${title}: ${words.join(", ")} now; at most ${format(Math.max(0, ...values))} in the last hour`)
  const x = (at) => left + Math.max(0, 1 - (now - at) / span) * (width - left)
  const y = (value) => bottom - (value / highest) * (bottom - top)
  for (const mark of [0, highest / 2, highest]) {
    // Half of one is none, where things are counted.
    if (mark > 0 && mark < highest && format(mark) === format(highest)) continue
    chart.append(
      svg("line", { class: "chart-grid", x1: left, x2: width, y1: y(mark), y2: y(mark) }),
      svg("text", { class: "chart-mark", x: left - 6, y: y(mark) + 3.5, "text-anchor": "end" }, format(mark)))
  }
  for (const [place, anchor, text] of [[left, "start", `${span / 60_000} min ago`], [width, "end", "now"]]) {
    chart.append(svg("text", { class: "chart-mark", x: place, y: height - 6, "text-anchor": anchor }, text))
  }
  for (const [index, { points }] of series.entries()) {
    const path = pathOf(points, x, y)
    if (path) chart.append(svg("path", { class: "chart-line", "data-kind": index, d: path }))
  }
  return chart
}

export const latest = (points) => points.at(-1)?.[1] ?? null

function pathOf(points, x, y) {
  let path = ""
  let former = null
  for (const [at, value] of points) {
    if (value === null) {
      former = null
      continue
    }
    const isJoined = former !== null && at - former <= longestStep
    // A point that stands alone is seen as a short stroke.
    path += `${isJoined ? "L" : "M"}${x(at).toFixed(1)} ${y(value).toFixed(1)}${isJoined ? "" : "h.5"}`
    former = at
  }
  return path
}

/** The next number up of 1, 2, 5, 10, 20, 50 and so on; at least 1. */
function niceCeiling(value) {
  if (value <= 1) return 1
  const power = 10 ** Math.floor(Math.log10(value))
  return [1, 2, 5, 10].find((step) => step * power >= value) * power
}
