import { bodyOf } from "../http/body.js"
import { request } from "../http/request.js"
import { announce } from "../page/announcer.js"
import { busily } from "../page/busy.js"
import { element } from "../page/element.js"
import { blame, clearBlame, field } from "../page/field.js"

/** The bounds of a topic: how many events, how old, how many bytes it keeps. */
export class RetentionForm {
  #path
  #form
  #result = element("div", { class: "result field-wide", role: "status" })
  #onSave
  #shown = null
  #isEdited = false

  /**
   * @param {string} topic
   * @param {() => void} onSave
   */
  constructor(topic, onSave) {
    this.#path = `/topics/${encodeURIComponent(topic)}`
    this.#onSave = onSave
    this.#form = element("form", { class: "form", autocomplete: "off", novalidate: true, "aria-label": "Retention" },
      field("events", "Events", { inputmode: "numeric", placeholder: "the hub's default" }),
      field("age", "Age", { placeholder: "the hub's default", hint: "7d, 12h, 1h30m" }),
      field("bytes", "Bytes of data", { placeholder: "the hub's default", hint: "1048576, 10MiB" }),
      element("div", { class: "form-actions field-wide" },
        element("button", { type: "submit", class: "button button-primary" }, "Save"),
        element("button", { type: "button", class: "button button-quiet", onclick: () => this.#save(null) }, "Take all bounds away")),
      this.#result)
    this.#form.addEventListener("input", () => {
      clearBlame(this.#form)
      this.#isEdited = true
    })
    this.#form.addEventListener("submit", (event) => {
      event.preventDefault()
      this.#save(this.#written)
    })
  }

  get element() {
    return this.#form
  }

  /** Shows a topic's own bounds, unless others are being written. */
  show(retention) {
    const key = JSON.stringify(retention)
    if (key === this.#shown || this.#isEdited) return
    this.#shown = key
    const { events, age, bytes } = this.#form.elements
    events.value = retention?.events ?? ""
    age.value = retention?.age ?? ""
    bytes.value = retention?.bytes ?? ""
  }

  get #written() {
    const { events, age, bytes } = this.#form.elements
    const text = (control) => control.value.trim() || null
    const number = (control) => (/^[0-9]+$/.test(text(control) ?? "") ? Number(text(control)) : text(control))
    return { events: number(events), age: text(age), bytes: number(bytes) }
  }

  async #save(retention) {
    const problem = await busily(this.#form, this.#result, async () => {
      const response = await request(this.#path, { method: "PUT", json: { retention } })
      this.#shown = null
      this.#isEdited = false
      this.show((await bodyOf(response)).retention)
      this.#result.replaceChildren(element("p", { class: "message message-success" }, element("strong", {}, "Saved."),
        " What exceeds a bound is removed soon."))
      announce("Retention saved")
      this.#onSave()
    })
    const name = /\/(events|age|bytes)$/.exec(problem?.pointer ?? "")?.[1]
    if (name) blame(this.#form, { pointer: `/${name}` })
  }
}
