import { bodyOf } from "../http/body.js"
import { request } from "../http/request.js"
import { busily } from "../page/busy.js"
import { element } from "../page/element.js"
import { blame, clearBlame } from "../page/field.js"
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
    form.addEventListener("input", () => clearBlame(form))
    form.addEventListener("submit", (event) => {
      event.preventDefault()
      this.#register()
    })
  }

  async #register() {
    const { url, topics } = this.#form.elements
    const registration = { topics: topicsIn(topics.value), url: url.value.trim() }
    clearBlame(this.#form)
    const problem = await busily(this.#form, this.#result, async () => {
      const response = await request("/observers", { method: "POST", json: registration })
      const webhook = await bodyOf(response)
      this.#result.replaceChildren(element("p", { class: "message message-success" }, element("strong", {}, "Registered"), " as ",
        element("a", { href: `#/webhooks/${encodeURIComponent(webhook.id)}` }, webhook.id)))
      if (webhook.secret) secretTray.add(webhook)
      url.value = ""
      this.#onRegister()
    })
    if (problem) blame(this.#form, problem)
  }
}
