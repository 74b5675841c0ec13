import { credential } from "../http/credential.js"
import { request } from "../http/problem.js"
import { setText } from "../page/element.js"
import { counted } from "../page/format.js"
import { ObserverItem } from "./observer-item.js"

const pollInterval = 1_500
const mostShown = 100

/** Who listens to the hub right now, asked anew every second and a half while the page is in view. */
export class ObserverList {
  #list
  #summary
  #message
  #items = new Map()
  #timer = null
  #isAsking = false
  #isRefused = false
  #ownID = null

  /** @param {{list: HTMLElement, summary: HTMLElement, message: HTMLElement}} parts */
  constructor({ list, summary, message }) {
    this.#list = list
    this.#summary = summary
    this.#message = message
    document.addEventListener("visibilitychange", () => this.refresh())
    credential.listen({
      changed: () => {
        this.#isRefused = false
        this.refresh()
      },
    })
    this.refresh()
  }

  /** The name of the page's own stream, to be marked in the list. */
  set ownID(id) {
    this.#ownID = id
    this.refresh()
  }

  async refresh() {
    clearTimeout(this.#timer)
    if (document.hidden || this.#isAsking || this.#isRefused) return
    this.#isAsking = true
    try {
      const response = await request(`/observers?limit=${mostShown}`)
      this.#render(await response.json())
    } catch (problem) {
      // Until there is another credential the answer would be the same.
      this.#isRefused = problem.status === 401 || problem.status === 403
      this.#renderProblem(problem)
    } finally {
      this.#isAsking = false
      if (!document.hidden) this.#timer = setTimeout(() => this.refresh(), pollInterval)
    }
  }

  #render({ observers, next }) {
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
    setText(this.#summary, summary(observers, next))
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
