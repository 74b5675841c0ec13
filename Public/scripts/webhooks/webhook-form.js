import { problemMessage } from "../http/problem.js"
import { request } from "../http/request.js"
import { element } from "../page/element.js"
import { topicsIn } from "../topics/topic-pattern.js"
import { secretTray } from "./secret-tray.js"

/** Registers a webhook; its signing secret is put where it stays until it is dismissed. */
export class WebhookForm {
  #form
  #result
  #onRegister

  /** @param {{form: HTMLFormElement, result: HTMLElement, onRegister: () => void}} parts */
  constructor({ form, result, onRegister }) {
    this.#form = form
    this.#result = result
    this.#onRegister = onRegister
    form.addEventListener("input", () => this.#clearFaults())
    form.addEventListener("submit", (event) => {
      event.preventDefault()
      this.#register()
    })
  }

  async #register() {
    const { url, topics } = this.#form.elements
    const registration = { topics: topicsIn(topics.value), url: url.value.trim() }
    this.#clearFaults()
    this.#form.setAttribute("aria-busy", "true")
    try {
      const response = await request("/observers", {
        method: "POST",
        headers: { "Content-Type": "application/json" },
        body: JSON.stringify(registration),
      })
      const webhook = await response.json()
      this.#result.replaceChildren(element("p", { class: "message message-success" }, element("strong", {}, "Registered"), " as ",
        element("a", { href: `#/webhooks/${encodeURIComponent(webhook.id)}` }, webhook.id)))
      if (webhook.secret) secretTray.add(webhook)
      url.value = ""
      this.#onRegister()
    } catch (problem) {
      this.#result.replaceChildren(problemMessage(problem))
      const field = this.#form.elements[/^\/(\w+)/.exec(problem.pointer ?? "")?.[1]]
      field?.setAttribute("aria-invalid", "true")
      field?.focus()
    } finally {
      this.#form.removeAttribute("aria-busy")
    }
  }

  #clearFaults() {
    for (const field of this.#form.elements) field.removeAttribute("aria-invalid")
  }
}
