import { element, setText } from "./element.js"
import { count } from "./format.js"

/** Elements in the document; whoever has more searches among them. */
const mostShown = 1_000

/** A list of those that were searched for, with a word on what it does not show. */
export class FoundList {
  #words = element("p", { class: "hint", role: "status" })
  #list

  /** @param {string} label */
  constructor(label) {
    this.#list = element("ul", { class: "rows", "aria-label": label })
    this.elements = [this.#list, this.#words]
  }

  /**
   * Shows elements in their order. Nothing is moved that stands where it should: the focus may be in it.
   *
   * @param {HTMLElement[]} found
   * @param {object} among
   * @param {number} among.number Of how many they were found.
   * @param {boolean} among.isCut Whether there are more than these.
   * @param {boolean} among.isSearch Whether some may have been left out.
   */
  show(found, { number, isCut, isSearch }) {
    const visible = found.slice(0, mostShown)
    const keep = new Set(visible)
    for (const item of [...this.#list.children]) if (!keep.has(item)) item.remove()
    let place = this.#list.firstElementChild
    for (const item of visible) {
      if (item === place) place = place.nextElementSibling
      else this.#list.insertBefore(item, place)
    }
    const among = isCut ? ` among the first ${count(number)}` : ""
    const words = []
    if (isSearch && number > 0 && found.length === 0) words.push(`There is none like that${among}.`)
    else if (isSearch && isCut) words.push(`Found${among}.`)
    if (found.length > visible.length) words.push(`The first ${count(visible.length)} are shown.`)
    setText(this.#words, words.join(" "))
  }
}
