import { element } from "./element.js"

let number = 0

/** A part of a page with a heading, named by it. */
export function panel(title, ...children) {
  number += 1
  const id = `panel-${number}`
  return element("section", { class: "panel", "aria-labelledby": id }, element("h3", { id }, title), ...children)
}

/** Names and values; pairs whose value is null or empty are left out. */
export function facts(pairs) {
  return element("dl", { class: "facts" }, ...pairs.filter(([, value]) => value !== null && value !== undefined && value !== "")
    .map(([name, value]) => element("div", {}, element("dt", {}, name), element("dd", {}, value instanceof Node ? value : String(value)))))
}

/** A number with its name. */
export function tile(name) {
  const value = element("dd", { class: "tile-value" }, "–")
  const note = element("dd", { class: "tile-note" })
  const tile = element("div", { class: "tile" }, element("dt", {}, name), value, note)
  return Object.assign(tile, { value, note })
}

/** The way back to the page that lists such things. */
export function wayBack(href, label) {
  return element("a", { class: "way-back", href }, label)
}
