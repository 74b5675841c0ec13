import { copiesOnClick } from "./copying.js"

/** A shell command on the page, with a button that copies it. */
export class CommandLine {
  #code

  /** @param {HTMLElement} element Holds a `code` and a `button`. */
  constructor(element) {
    this.#code = element.querySelector("code")
    copiesOnClick(element.querySelector("button"), () => this.#code.textContent)
  }

  set text(command) {
    if (this.#code.textContent === command) return
    // An address that is too long for the line breaks after a slash rather than within a word.
    const pieces = command.split(/(?<=\w[/?&])/)
    this.#code.replaceChildren(...pieces.flatMap((piece) => [piece, document.createElement("wbr")]))
  }
}
