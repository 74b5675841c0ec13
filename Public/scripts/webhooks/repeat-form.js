import { request } from "../http/request.js"
import { announce } from "../page/announcer.js"
import { busily } from "../page/busy.js"
import { element, setText } from "../page/element.js"
import { field } from "../page/field.js"
import { count, counted } from "../page/format.js"
import { countRecovery, countReplay } from "./repetition.js"

const spans = { "everything": null, "the last hour": 3_600_000, "the last day": 86_400_000, "the last 7 days": 7 * 86_400_000, "a time": 0 }

/** Delivers again: the dead letters, or all of it. Says how many first, and how far it has come then. */
export class RepeatForm {
  #webhook = null
  #form
  #since
  #time
  #counted = element("p", { class: "repeat-count", role: "status" })
  #recovering
  #replaying
  #progress = element("progress", { class: "repeat-progress", max: 1, value: 0, "aria-label": "Delivered again", hidden: true })
  #result = element("div", { class: "result", role: "status" })
  #counting = new AbortController()
  /** What was begun: how many, and how many had arrived or failed for good by then. */
  #begun = null
  #onStart

  /** @param {{onStart: () => void}} handlers */
  constructor({ onStart }) {
    this.#onStart = onStart
    const since = field("since", "Of events since", { kind: "select", choices: Object.keys(spans) })
    const time = field("time", "Since when", { type: "datetime-local", step: "1" })
    this.#since = since.querySelector("select")
    this.#time = time.querySelector("input")
    time.hidden = true
    this.#recovering = element("button", { type: "button", class: "button", onclick: () => this.#ask("recover") }, "Recover dead letters…")
    this.#replaying = element("button", { type: "button", class: "button", onclick: () => this.#ask("replay") }, "Replay everything…")
    this.#form = element("form", { class: "repeat", onsubmit: (event) => event.preventDefault() },
      element("div", { class: "form" }, since, time),
      element("div", { class: "form-actions" }, this.#recovering, this.#replaying),
      this.#counted, this.#progress, this.#result)
    this.#form.addEventListener("input", () => {
      time.hidden = this.#since.value !== "a time"
      this.#forget()
    })
  }

  get element() {
    return this.#form
  }

  show(webhook) {
    this.#webhook = webhook
    this.#recovering.disabled = this.#replaying.disabled = webhook.state === "disabled"
    this.#recovering.title = webhook.state === "disabled" ? "It is disabled: enable it first" : ""
    if (this.#begun) this.#renderProgress()
  }

  get #sinceParameter() {
    const span = spans[this.#since.value]
    if (span === null) return "earliest"
    if (span === 0) return this.#time.value ? new Date(this.#time.value).toISOString() : null
    return new Date(Date.now() - span).toISOString()
  }

  #forget() {
    this.#counting.abort()
    this.#counting = new AbortController()
    this.#counted.replaceChildren()
  }

  async #ask(action) {
    this.#forget()
    const { signal } = this.#counting
    const since = this.#sinceParameter
    this.#result.replaceChildren()
    if (since === null) {
      setText(this.#counted, "Say since when.")
      this.#time.focus()
      return
    }
    setText(this.#counted, "Counting…")
    let number
    await busily(this.#form, this.#result, async () => {
      number = await (action === "replay" ? countReplay : countRecovery)(this.#webhook, since, signal)
    })
    if (signal.aborted) return
    this.#counted.replaceChildren()
    if (number) this.#confirm(action, since, number)
  }

  #confirm(action, since, { number, isMore }) {
    const what = action === "replay" ? "event" : "dead letter"
    if (number === 0) {
      setText(this.#counted, `There is no such ${what}.`)
      return
    }
    const amount = `${isMore ? "more than " : ""}${counted(number, what)}`
    const begin = element("button", { type: "button", class: "button button-primary", onclick: () => this.#begin(action, since) },
      action === "replay" ? `Replay ${amount}` : `Recover ${amount}`)
    this.#counted.replaceChildren(element("span", {}, `${amount} will be delivered again. `), begin, " ",
      element("button", { type: "button", class: "button button-plain", onclick: () => this.#forget() }, "Cancel"))
    begin.focus()
  }

  async #begin(action, since) {
    this.#forget()
    this.#result.replaceChildren(element("p", { class: "message" }, "The hub is lining them up…"))
    const { stats } = this.#webhook
    this.#onStart()
    await busily(this.#form, this.#result, async () => {
      const response = await request(`/observers/${encodeURIComponent(this.#webhook.id)}/${action}`, { method: "POST", json: { since } })
      const { recovered, replayed } = await response.json()
      this.#begun = { number: recovered ?? replayed, settled: stats.delivered + stats.deadLetters - (recovered ?? 0), action }
      announce(`${counted(this.#begun.number, "event")} on the way again`)
      this.#renderProgress()
      this.#onStart()
    })
  }

  #renderProgress() {
    const { number, settled } = this.#begun
    const { delivered, deadLetters, pending } = this.#webhook.stats
    // What was posted meanwhile arrives, too.
    const done = Math.max(0, Math.min(number, delivered + deadLetters - settled))
    const isOver = done >= number || (pending === 0 && done > 0)
    this.#progress.hidden = number === 0
    this.#progress.max = Math.max(1, number)
    this.#progress.value = isOver ? number : done
    const words = isOver ? `All ${counted(number, "event")} delivered again.` : `${count(done)} of ${counted(number, "event")} delivered again, ${count(pending)} pending.`
    this.#result.replaceChildren(element("p", { class: isOver ? "message message-success" : "message" }, words))
    if (isOver) this.#begun = null
  }
}
