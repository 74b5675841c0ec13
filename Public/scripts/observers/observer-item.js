import { problemMessage } from "../http/problem.js"
import { request } from "../http/request.js"
import { announce } from "../page/announcer.js"
import { confirmedButton } from "../page/confirmed-button.js"
import { element, icon, setClampedText, setText } from "../page/element.js"
import { age, byteCount, count } from "../page/format.js"

const names = { stream: "Stream", webhook: "Webhook", object: "Object in the process" }
const icons = { stream: "stream", webhook: "webhook", object: "object" }

/** One observer in the list. */
export class ObserverItem {
  #id
  #kind
  #topics = element("span", { class: "observer-topics clamped" })
  #mark = element("span", { class: "tag", hidden: true })
  #target = element("a", { class: "observer-target clamped" })
  #facts = element("span", { class: "observer-facts" })
  #button
  #problem = element("div", { role: "status" })
  #onChange

  /** @param {{id: string, kind: string}} observer */
  constructor(observer, onChange) {
    this.#id = observer.id
    this.#kind = observer.kind
    this.#onChange = onChange
    const kind = names[observer.kind] ?? observer.kind
    this.#button = confirmedButton({
      label: "Unregister", question: "Really unregister?", class: "observer-unregister", onConfirm: () => this.#unregister(),
    })
    this.#button.setAttribute("aria-describedby", `observer-${observer.id}`)
    this.element = element("li", { class: "observer", title: `${kind} ${observer.id}` },
      element("span", { class: "observer-kind" }, icon(icons[observer.kind] ?? "object"),
        element("span", { class: "visually-hidden" }, kind)),
      element("div", { class: "observer-text" },
        element("p", { class: "observer-name", id: `observer-${observer.id}` }, this.#topics, this.#mark),
        this.#target, this.#facts, this.#problem),
      // An object's registration is its life; only the program can end it.
      observer.kind === "object" ? null : this.#button)
  }

  update(observer, isOwn) {
    setClampedText(this.#topics, observer.topics?.join("  ") ?? "")
    const mark = isOwn ? "this page" : observer.state && observer.state !== "active" ? stateWords(observer) : ""
    setText(this.#mark, mark)
    this.#mark.hidden = mark === ""
    this.#mark.classList.toggle("tag-warning", !isOwn)
    setClampedText(this.#target, observer.url ?? "")
    this.#target.href = `#/webhooks/${encodeURIComponent(observer.id)}`
    this.#target.hidden = !observer.url
    setText(this.#facts, facts(observer).join(" · "))
  }

  /** Shows that the observer has gone, then goes too. */
  leave() {
    this.element.classList.add("is-leaving")
    this.#button.disabled = true
    setText(this.#facts, "gone")
    setTimeout(() => this.element.remove(), 1_200)
  }

  async #unregister() {
    try {
      await request(`/observers/${encodeURIComponent(this.#id)}`, { method: "DELETE" })
      announce(`${names[this.#kind] ?? "Observer"} unregistered`)
    } catch (problem) {
      // 404: it went by itself in the meantime, which is what was wanted.
      if (problem.status !== 404) this.#problem.replaceChildren(problemMessage(problem))
    }
    this.#onChange()
  }
}

function stateWords({ state, reason }) {
  return reason ? `${state}: ${reason}` : state
}

function facts({ kind, remoteAddress, connectedAt, queuedBytes, createdAt, stats }) {
  const words = []
  if (kind === "webhook") {
    words.push(`${count(stats?.delivered ?? 0)} delivered`)
    if (stats?.pending) words.push(`${count(stats.pending)} pending`)
    if (stats?.failed) words.push(`${count(stats.failed)} failed`)
    if (stats?.deadLetters) words.push(`${count(stats.deadLetters)} dead`)
    if (stats?.lastStatus) words.push(`last answer ${stats.lastStatus}`)
    return words
  }
  if (remoteAddress) words.push(remoteAddress)
  const since = connectedAt ?? createdAt
  if (since) words.push(`for ${age(since)}`)
  if (queuedBytes !== undefined && queuedBytes !== null) words.push(`${byteCount(queuedBytes)} queued`)
  return words
}
