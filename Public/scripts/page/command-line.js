import { copiesOnClick } from "./copying.js"
import { setText } from "./element.js"

/** A shell command on the page, with a button that copies it. */
export class CommandLine {
  #code

  /** @param {HTMLElement} element Holds a `code` and a `button`. */
  constructor(element) {
    this.#code = element.querySelector("code")
    copiesOnClick(element.querySelector("button"), () => this.#code.textContent)
  }

  set text(command) {
    setText(this.#code, command)
  }
}
