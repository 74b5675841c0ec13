import { problemMessage, request } from "../http/problem.js"
import { copiesOnClick } from "../page/copying.js"
import { element, icon } from "../page/element.js"

/** Registers a webhook, and shows its signing secret the only time it can be seen. */
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
    const registration = { topics: topics.value.split(/\s+/).filter(Boolean), url: url.value.trim() }
    this.#clearFaults()
    this.#form.setAttribute("aria-busy", "true")
    try {
      const response = await request("/observers", {
        method: "POST",
        headers: { "Content-Type": "application/json" },
        body: JSON.stringify(registration),
      })
      this.#showSecret(await response.json())
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

  #showSecret({ id, secret }) {
    const heading = element("p", {}, element("strong", {}, "Registered"), " as ", element("code", {}, id))
    if (!secret) {
      this.#result.replaceChildren(element("div", { class: "message message-success" }, heading))
      return
    }
    const copying = element("button", { type: "button", class: "button" }, icon("copy"), element("span", { class: "label" }, "Copy secret"))
    copiesOnClick(copying, () => secret)
    const done = element("button", { type: "button", class: "button button-quiet", onclick: () => {
      this.#result.replaceChildren()
      this.#form.elements.url.focus()
    } }, "I have kept it")
    this.#result.replaceChildren(element("div", { class: "secret" }, heading,
      element("p", {}, "Its signing secret is shown only now. Your service verifies every delivery with it."),
      element("code", { class: "secret-text" }, secret),
      element("div", { class: "secret-actions" }, copying, done)))
    copying.focus()
  }
}
