import { hubNow } from "../http/hub-clock.js"
import { requestJSON } from "../http/request.js"
import { announce } from "../page/announcer.js"
import { busily } from "../page/busy.js"
import { element, setText } from "../page/element.js"
import { field } from "../page/field.js"
import { count, counted } from "../page/format.js"
import { countRecovery, countReplay } from "./repetition.js"

const everything = "everything"
const atTime = "a time"
/** By how the hub takes it, since its clock counts, and in milliseconds. */
const spans = {
  "the last hour": ["1h", 3_600_000], "the last day": ["1d", 86_400_000], "the last 7 days": ["7d", 7 * 86_400_000],
}

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
  /** What was begun: how many, how many had arrived before, and the fewest dead letters that were seen since. */
  #begun = null
  #onStart

  /** @param {{onStart: () => void}} handlers */
  constructor({ onStart }) {
    this.#onStart = onStart
    const choices = [everything, ...Object.keys(spans), atTime]
    const since = field("since", "Of events since", { kind: "select", choices })
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
      time.hidden = this.#since.value !== atTime
      this.#forget()
    })
  }

  get element() {
    return this.#form
  }

  /** What is under way. Only what the hub was asked later tells how far it has come. */
  get begun() {
    return this.#begun
  }

  /** @param {object | null} begun What was under way when the hub was asked for the webhook. */
  show(webhook, begun) {
    this.#webhook = webhook
    this.#recovering.disabled = this.#replaying.disabled = webhook.state === "disabled"
    this.#recovering.title = webhook.state === "disabled" ? "It is disabled: enable it first" : ""
    if (begun !== null && begun === this.#begun) this.#renderProgress()
  }

  /** Since when: as the hub takes it, and in milliseconds. Null while no time is given. */
  get #chosen() {
    if (this.#since.value === everything) return { since: "earliest", begin: null }
    if (this.#since.value === atTime) {
      const begin = new Date(this.#time.value)
      return this.#time.value ? { since: begin.toISOString(), begin: begin.getTime() } : null
    }
    const [since, length] = spans[this.#since.value]
    return { since, begin: hubNow() - length }
  }

  #forget() {
    this.#counting.abort()
    this.#counting = new AbortController()
    this.#counted.replaceChildren()
  }

  async #ask(action) {
    this.#forget()
    const { signal } = this.#counting
    const chosen = this.#chosen
    this.#result.replaceChildren()
    if (chosen === null) {
      setText(this.#counted, "Say since when.")
      this.#time.focus()
      return
    }
    setText(this.#counted, "Counting…")
    let number
    await busily(this.#form, this.#result, async () => {
      number = await (action === "replay" ? countReplay : countRecovery)(this.#webhook, chosen, signal)
    })
    if (signal.aborted) return
    this.#counted.replaceChildren()
    if (number) this.#confirm(action, chosen.since, number)
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
    this.#begun = null
    this.#progress.hidden = true
    await busily(this.#form, this.#result, async () => {
      const path = `/observers/${encodeURIComponent(this.#webhook.id)}`
      const { stats } = await requestJSON(path)
      const { recovered, replayed } = await requestJSON(`${path}/${action}`, { method: "POST", json: { since } })
      const number = recovered ?? replayed
      this.#begun = { number, delivered: stats.delivered, fewestDead: stats.deadLetters - (recovered ?? 0) }
      const words = `${counted(number, "event")} on the way again`
      announce(words)
      this.#result.replaceChildren(element("p", { class: "message" }, `${words}…`))
      this.#onStart()
    })
  }

  #renderProgress() {
    const { number, delivered } = this.#begun
    const { delivered: deliveredNow, deadLetters, pending } = this.#webhook.stats
    // A replay takes dead letters, too, and does not say how many: what comes back is counted from the fewest seen.
    const fewestDead = this.#begun.fewestDead = Math.min(this.#begun.fewestDead, deadLetters)
    const dead = Math.min(number, deadLetters - fewestDead)
    // What was posted meanwhile arrives, too.
    const arrived = Math.min(number - dead, deliveredNow - delivered)
    // With nothing pending, what has not arrived has failed.
    const isOver = pending === 0
    const failed = isOver ? number - arrived : dead
    this.#progress.hidden = number === 0
    this.#progress.max = Math.max(1, number)
    this.#progress.value = arrived + failed
    const failing = failed > 0 ? `${count(failed)} failed again, ` : ""
    const words = isOver ? outcome(number, arrived)
      : `${count(arrived)} of ${counted(number, "event")} delivered again, ${failing}${count(pending)} pending.`
    const tone = !isOver ? "" : failed > 0 ? "message-problem" : "message-success"
    this.#result.replaceChildren(element("p", { class: `message ${tone}`.trim() }, words))
    if (isOver) this.#begun = null
  }
}

function outcome(number, arrived) {
  if (arrived === number) return `All ${counted(number, "event")} delivered again.`
  const failed = `${count(number - arrived)} failed again: see the dead letters.`
  return `${arrived === 0 ? `None of ${counted(number, "event")}` : count(arrived)} delivered, ${failed}`
}
