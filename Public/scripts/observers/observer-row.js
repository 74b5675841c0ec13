import { routeHref } from "../navigation/route.js"
import { element, icon, setClampedText, setText } from "../page/element.js"
import { age, byteCount, count, counted, duration } from "../page/format.js"
import { StateMark } from "../webhooks/state-mark.js"
import { nameOf, stateOf } from "../webhooks/webhook-state.js"

const kinds = { stream: "Stream", webhook: "Webhook", object: "Object" }

/** An observer in the list of all: who it is, since when, how far behind. */
export class ObserverRow {
  observer
  #mark = new StateMark()
  #name
  #topics = element("span", { class: "row-topics clamped" })
  #since = element("span", { class: "row-last" })
  #behind = element("span", { class: "row-behind" })
  element

  /** @param {object} observer @param {(HTMLElement | null)} end What stands at its end. */
  constructor(observer, end) {
    const { kind, id } = observer
    this.#name = element(kind === "webhook" ? "a" : "span", {
      id: `observer-row-${id}`, class: "row-name clamped", href: kind === "webhook" ? routeHref("webhooks", id) : null,
    })
    this.element = element("li", { class: "row observer-row" },
      element("span", { class: "observer-kind", title: kinds[kind] ?? kind }, icon(kind), element("span", { class: "visually-hidden" }, kinds[kind] ?? kind)),
      element("span", { class: "row-text" }, this.#name, this.#topics),
      this.#mark.element, this.#behind, this.#since, end)
    // Each has the same words.
    end?.setAttribute("aria-describedby", this.#name.id)
  }

  /** @param {number | null} lag Milliseconds between now and the oldest event that it has not got, if that is known. */
  show(observer, { isOwn = false, lag = null } = {}) {
    this.observer = observer
    setClampedText(this.#name, isOwn ? `${titleOf(observer)} (this page)` : titleOf(observer))
    setClampedText(this.#topics, observer.topics?.join("  ") ?? "")
    this.#mark.show(markOf(observer))
    setText(this.#behind, behind(observer, lag))
    const since = observer.connectedAt ?? observer.createdAt
    setText(this.#since, since ? `for ${age(since)}` : "")
    this.#since.title = since ?? ""
  }

  get text() {
    const { kind, id, url, description, topics = [], remoteAddress, type } = this.observer
    return [kind, id, url, description, remoteAddress, type, ...topics].join(" ").toLowerCase()
  }
}

function titleOf(observer) {
  if (observer.kind === "webhook") return nameOf(observer)
  if (observer.kind === "object") return observer.type ?? "A closure of the program"
  return [observer.id, observer.remoteAddress].filter(Boolean).join("  ")
}

function markOf(observer) {
  if (observer.kind === "webhook") return stateOf(observer)
  if (observer.kind === "stream") return observer.queuedBytes > 0 ? { name: "Behind", tone: "waiting" } : { name: "Listening", tone: "good" }
  return { name: "Listening", tone: "good" }
}

function behind({ kind, queuedBytes = 0, stats }, lag) {
  if (kind === "webhook") return stats?.pending > 0 ? `${counted(stats.pending, "event")} behind` : "up to date"
  if (kind === "object") return ""
  if (queuedBytes === 0) return "up to date"
  const time = lag === null ? "" : `${duration(lag)}, `
  return `${time}${byteCount(queuedBytes)} queued`
}

export const kindWords = (observers) => Object.keys(kinds)
  .map((kind) => [observers.filter((observer) => observer.kind === kind).length, kind])
  .filter(([number]) => number > 0).map(([number, kind]) => counted(number, kind)).join(", ") || count(0)
