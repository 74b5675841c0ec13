import { element, setText } from "../page/element.js"

/** The state of a webhook as a word with a colour and a shape. */
export class StateMark {
  #word = element("span")
  element = element("span", { class: "state" }, element("span", { class: "state-lamp", "aria-hidden": "true" }), this.#word)

  /** @param {{name: string, tone: string}} state */
  show({ name, tone }) {
    setText(this.#word, name)
    this.element.dataset.tone = tone
  }
}
