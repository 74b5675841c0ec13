import { requestJSON } from "../http/request.js"
import { setText } from "../page/element.js"
import { counted } from "../page/format.js"
import { Poll } from "../page/poll.js"
import { missingWords } from "./missing-words.js"
import { ObserverItem } from "./observer-item.js"

const pollInterval = 1_500
const mostShown = 100

/** Who listens to the hub right now, asked anew every second and a half while the page is in view. */
export class ObserverList {
  #list
  #summary
  #message
  #items = new Map()
  #poll
  #ownID = null

  /** @param {{list: HTMLElement, summary: HTMLElement, message: HTMLElement}} parts */
  constructor({ list, summary, message }) {
    this.#list = list
    this.#summary = summary
    this.#message = message
    this.#poll = new Poll(async (signal) => {
      // Another page is shown.
      if (!this.#message.parentElement.checkVisibility()) return
      this.#render(await requestJSON(`/observers?limit=${mostShown}`, { signal }))
    }, { interval: pollInterval, onProblem: (problem) => this.#renderProblem(problem) })
  }

  /** The name of the page's own stream, to be marked in the list. */
  set ownID(id) {
    this.#ownID = id
    this.refresh()
  }

  refresh() {
    return this.#poll.now()
  }

  #render({ observers, next, unreachable }) {
    const present = new Set(observers.map((observer) => observer.id))
    for (const [id, item] of this.#items) {
      if (present.has(id)) continue
      item.leave()
      this.#items.delete(id)
    }
    // Only those that came while somebody watched are lit up.
    const isFirst = this.#items.size === 0
    for (const observer of observers) {
      let item = this.#items.get(observer.id)
      if (!item) {
        item = new ObserverItem(observer, () => this.refresh())
        item.element.classList.toggle("is-fresh", !isFirst)
        this.#items.set(observer.id, item)
        this.#list.append(item.element)
      }
      item.update(observer, observer.id === this.#ownID)
    }
    setText(this.#summary, [summary(observers, next), ...missingWords(unreachable)].filter(Boolean).join(" · "))
    const empty = observers.length === 0 ? "Nobody is listening. Whoever opens a stream or registers a webhook appears here." : ""
    if (this.#message.textContent !== empty) this.#message.replaceChildren(empty)
  }

  #renderProblem(problem) {
    if (problem.status === 0) {
      setText(this.#summary, "")
      setText(this.#message, "The hub does not answer. The list will return with it.")
    } else {
      setText(this.#message, [problem.title, problem.detail].filter(Boolean).join(": "))
    }
  }
}

function summary(observers, next) {
  const kinds = ["stream", "webhook", "object"]
  const words = kinds
    .map((kind) => [observers.filter((observer) => observer.kind === kind).length, kind])
    .filter(([number]) => number > 0)
    .map(([number, kind]) => counted(number, kind))
  return next ? `the first ${observers.length}` : words.join(", ")
}
