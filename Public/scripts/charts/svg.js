import { moment } from "../page/format.js"

const namespace = "http://www.w3.org/2000/svg"

/**
 * Makes an element of a drawing.
 *
 * @param {string} name
 * @param {Record<string, string | number>} attributes
 * @param {...(Node | string)} children
 */
export function svg(name, attributes = {}, ...children) {
  const made = document.createElementNS(namespace, name)
  for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, String(value))
  made.append(...children)
  return made
}

/** A drawing that says in words what it shows. */
export function drawing(width, height, label) {
  return svg("svg", { class: "chart", viewBox: `0 0 ${width} ${height}`, role: "img", "aria-label": label })
}

/** When the time of a drawing begins and ends, below it. */
export function timeMarks(begin, end, left, right, height) {
  const mark = (x, anchor, at) => svg("text", { class: "chart-mark", x, y: height - 4, "text-anchor": anchor }, moment(at).replace(/\.[0-9]{3}$/, ""))
  return [mark(left, "start", begin), mark(right, "end", end)]
}
