import { element } from "../page/element.js"

/** Milliseconds after the last key before what was written counts. */
const pause = 200

/** The fields that choose among the events by type and text. */
export class EventFilters {
  #form
  #suggestions
  #timer = null

  /**
   * @param {object} parts
   * @param {HTMLFormElement} parts.form With the fields `type` and `text`.
   * @param {HTMLDataListElement} parts.suggestions For the types.
   * @param {() => Iterable<string>} parts.types Those that have been seen.
   * @param {() => void} parts.onChange
   */
  constructor({ form, suggestions, types, onChange }) {
    this.#form = form
    this.#suggestions = suggestions
    form.addEventListener("submit", (event) => event.preventDefault())
    form.addEventListener("input", () => {
      clearTimeout(this.#timer)
      this.#timer = setTimeout(onChange, pause)
    })
    form.elements.type.addEventListener("focus", () => {
      this.#suggestions.replaceChildren(...[...new Set(types())].sort().slice(0, 100).map((type) => element("option", { value: type })))
    })
  }

  get types() {
    return this.#form.elements.type.value.trim()
  }

  get text() {
    return this.#form.elements.text.value.trim()
  }

  show({ types, text }) {
    this.#form.elements.type.value = types
    this.#form.elements.text.value = text
  }
}
