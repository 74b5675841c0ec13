import { element, setClampedText, setText } from "../page/element.js"
import { age, count } from "../page/format.js"
import { StateMark } from "./state-mark.js"
import { nameOf, stateOf } from "./webhook-state.js"

/** A webhook in the list of all. */
export class WebhookRow {
  #mark = new StateMark()
  #name = element("a", { class: "row-name clamped" })
  #words = element("span", { class: "row-words clamped" })
  #topics = element("span", { class: "row-topics clamped" })
  #numbers = Object.fromEntries(["delivered", "pending", "dead"].map((name) => [name, element("span", { class: "row-number" })]))
  #last = element("span", { class: "row-last" })
  element = element("li", { class: "row webhook-row" }, this.#mark.element,
    element("span", { class: "row-text" }, this.#name, this.#topics, this.#words),
    this.#numbers.delivered, this.#numbers.pending, this.#numbers.dead, this.#last)

  /** The worse, the further up. */
  rank = 0
  text = ""

  show(webhook) {
    const state = stateOf(webhook)
    const { stats = {} } = webhook
    this.#mark.show(state)
    setClampedText(this.#name, nameOf(webhook))
    this.#name.href = `#/webhooks/${encodeURIComponent(webhook.id)}`
    setClampedText(this.#topics, webhook.topics?.join("  ") ?? "")
    setClampedText(this.#words, state.tone === "good" || state.tone === "quiet" ? "" : state.words)
    this.#number("delivered", stats.delivered)
    this.#number("pending", stats.pending)
    this.#number("dead", stats.deadLetters)
    setText(this.#last, stats.lastAttemptAt ? `${stats.lastStatus ?? webhook.lastFailure ?? ""} ${age(stats.lastAttemptAt)} ago`.trim() : "")
    this.rank = ["bad", "waiting", "good", "quiet"].indexOf(state.tone)
    this.text = [webhook.id, webhook.url, webhook.description, state.name, ...(webhook.topics ?? [])].join(" ").toLowerCase()
    this.name = nameOf(webhook)
    this.tone = state.tone
  }

  #number(name, value = 0) {
    setText(this.#numbers[name], `${count(value)} ${name}`)
    this.#numbers[name].classList.toggle("is-none", value === 0)
  }
}
