import { element } from "./element.js"

let number = 0

/**
 * A field of a form with its label.
 *
 * @param {string} name Of the field.
 * @param {string} label
 * @param {object} options
 * @param {"input" | "textarea" | "select"} options.kind
 * @param {boolean} options.isWide Over the whole width of the form.
 * @param {string[]} options.choices Of a `select`.
 * @param {string} options.hint
 */
export function field(name, label, { kind = "input", isWide = false, choices = [], hint = "", ...attributes } = {}) {
  number += 1
  const id = `field-${number}`
  const control = element(kind, {
    id, name, type: kind === "input" ? "text" : null, spellcheck: "false", autocapitalize: "off",
    "aria-describedby": hint ? `${id}-hint` : null, ...attributes,
  }, ...choices.map((choice) => element("option", {}, choice)))
  return element("div", { class: isWide ? "field field-wide" : "field" },
    element("label", { for: id }, label), control, hint ? element("p", { class: "hint", id: `${id}-hint` }, hint) : null)
}

/** A box to be ticked. */
export function tick(name, label) {
  return element("label", { class: "tick" }, element("input", { type: "checkbox", name }), ` ${label}`)
}

/** Marks the field that a problem blames (its JSON Pointer's first step, a parameter or a header), and goes there. */
export function blame(form, problem) {
  const name = /^\/(\w+)/.exec(problem.pointer ?? "")?.[1] ?? memberName(problem.parameter)
  const control = name ? form.elements[name] : null
  control?.setAttribute("aria-invalid", "true")
  control?.focus()
}

/** `Content-Type` is `contentType` in a form. */
const memberName = (parameter) => parameter?.replaceAll("-", "").replace(/^[A-Z]/, (letter) => letter.toLowerCase())

export function clearBlame(form) {
  for (const control of form.elements) control.removeAttribute("aria-invalid")
}
