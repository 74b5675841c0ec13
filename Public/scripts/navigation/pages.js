import { announce } from "../page/announcer.js"
import { element, shown } from "../page/element.js"
import { readRoute } from "./route.js"

/**
 * Shows the page that the address names. The page of the events stays in the document, since it listens all the time; of the
 * others there is one at a time, made when it is gone to and closed when it is left.
 */
export class Pages {
  #events
  #place
  #links
  #makers
  #onEvents
  #open = null
  #key = null

  /**
   * @param {object} parts
   * @param {HTMLElement} parts.events
   * @param {HTMLElement} parts.place Where the other pages are put.
   * @param {Iterable<HTMLAnchorElement>} parts.links Each names its page in `data-page`.
   * @param {Record<string, (route: import("./route.js").Route) => {title: string, element: HTMLElement, close: () => void}>} parts.makers
   * @param {(route: import("./route.js").Route) => void} parts.onEvents
   */
  constructor({ events, place, links, makers, onEvents }) {
    this.#events = events
    this.#place = place
    this.#links = [...links]
    this.#makers = makers
    this.#onEvents = onEvents
    addEventListener("hashchange", () => this.show())
  }

  show() {
    const route = readRoute()
    if (route === null) return
    const key = `${route.page}/${route.name ?? ""}`
    const maker = this.#makerOf(route)
    const isFirst = this.#key === null
    const isAnother = this.#key !== key
    this.#key = key
    this.#mark(maker || route.page === "events" ? route.page : null)
    if (!isAnother && maker) return
    this.#open?.close()
    this.#open = null
    this.#events.hidden = route.page !== "events"
    this.#place.hidden = route.page === "events"
    if (route.page === "events") {
      this.#place.replaceChildren()
      document.title = "Clarion"
      this.#onEvents(route)
    } else {
      this.#open = maker ? maker(route) : unknownPage()
      this.#place.replaceChildren(this.#open.element)
      document.title = `${shown(this.#open.title)} – Clarion`
      scrollTo({ top: 0 })
    }
    if (isFirst || !isAnother) return
    announce(document.title)
    // The focus was on what led here; it goes on where the page begins.
    if (route.page !== "events") this.#place.focus({ preventScroll: true })
  }

  #makerOf({ page, name }) {
    // A browser takes these out of the paths that it asks for, however they are written.
    if (name === "." || name === "..") return null
    const made = name === null ? page : `${page}/`
    return Object.hasOwn(this.#makers, made) ? this.#makers[made] : null
  }

  #mark(page) {
    for (const link of this.#links) {
      if (link.dataset.page === page) link.setAttribute("aria-current", "page")
      else link.removeAttribute("aria-current")
    }
  }
}

function unknownPage() {
  return {
    title: "No such page",
    element: element("section", { class: "panel" }, element("h2", {}, "There is no such page"),
      element("p", {}, "The address may be of another version. ", element("a", { href: "#/events" }, "Go to the events"), ".")),
    close() {},
  }
}
