import { bodyOf } from "../http/body.js"
import { Problem } from "../http/problem.js"
import { request, requestJSON } from "../http/request.js"
import { announce } from "../page/announcer.js"
import { busily } from "../page/busy.js"
import { element } from "../page/element.js"
import { blame, clearBlame, field, tick } from "../page/field.js"
import { go, routeHref } from "../navigation/route.js"
import { topicsIn } from "../topics/topic-pattern.js"
import { secretTray } from "./secret-tray.js"

const formats = ["raw", "cloudevents-binary", "cloudevents-structured"]
const signatures = ["hmac-sha256", "ed25519"]

/** The form of everything a webhook is registered with: for a new one, or to change one. */
export class WebhookEditor {
  #form
  #result = element("div", { class: "result field-wide", role: "status" })
  #onSave
  /** The webhook that is changed and its tag; null for a new one. */
  #webhook = null
  #tag = null
  /** What its fields had when it was put there. */
  #filled = {}

  /** @param {{onSave: (webhook: object) => void, onCancel?: () => void}} handlers */
  constructor({ onSave, onCancel = null }) {
    this.#onSave = onSave
    const isNew = onCancel === null
    this.#form = element("form", { class: "form", autocomplete: "off", novalidate: true, "aria-label": isNew ? "A new webhook" : "Edit the webhook" },
      field("url", "URL", { isWide: true, type: "url", placeholder: "https://example.com/hook", hint: "Private addresses such as 127.0.0.1 need --allow-egress." }),
      field("topics", "Topics and patterns", { placeholder: "orders.*", hint: "Spaces between several." }),
      field("types", "Only of these types", { placeholder: "all", hint: "Commas between several." }),
      field("description", "Description", { isWide: true }),
      field("format", "Format", { kind: "select", choices: formats }),
      field("signature", "Signature", { kind: "select", choices: signatures }),
      field("headers", "Headers of your own", { kind: "textarea", isWide: true, rows: "2", placeholder: "X-Team: blue", hint: "One a line." }),
      field("maxInFlight", "At a time, at most", { inputmode: "numeric", placeholder: "16" }),
      field("ratePerSecond", "A second, at most", { inputmode: "decimal", placeholder: "any number" }),
      element("div", { class: "ticks field-wide" }, tick("ordered", "in order, one at a time"),
        tick("handshake", "ask the endpoint for its consent")),
      element("div", { class: "form-actions field-wide" },
        element("button", { type: "submit", class: "button button-primary" }, isNew ? "Register webhook" : "Save"),
        isNew ? null : element("button", { type: "button", class: "button button-quiet", onclick: onCancel }, "Cancel")),
      this.#result)
    this.#form.addEventListener("input", () => clearBlame(this.#form))
    this.#form.addEventListener("submit", (event) => {
      event.preventDefault()
      this.#save()
    })
  }

  get element() {
    return this.#form
  }

  /** Fills the form with a webhook to be changed. */
  edit(webhook, tag) {
    this.#webhook = webhook
    this.#tag = tag
    const { elements } = this.#form
    for (const name of ["url", "description", "format", "signature", "maxInFlight", "ratePerSecond"]) elements[name].value = webhook[name] ?? ""
    elements.topics.value = webhook.topics.join(" ")
    elements.types.value = (webhook.types ?? []).join(",")
    elements.headers.value = Object.entries(webhook.headers ?? {}).map(([name, value]) => `${name}: ${value}`).join("\n")
    for (const name of ["ordered", "handshake"]) elements[name].checked = webhook[name]
    this.#filled = this.#written
    this.#result.replaceChildren()
    elements.url.focus()
  }

  async #save() {
    const problem = await busily(this.#form, this.#result, async () => {
      const webhook = this.#webhook ? await this.#change() : await this.#register()
      this.#result.replaceChildren()
      this.#onSave(webhook)
    })
    if (problem) blame(this.#form, problem)
  }

  async #register() {
    const members = Object.fromEntries(Object.entries(this.#members()).filter(([, value]) => value !== null))
    const webhook = await requestJSON("/observers", { method: "POST", json: members })
    announce("Webhook registered")
    this.#form.reset()
    if (webhook.secret) secretTray.add(webhook)
    go(routeHref("webhooks", webhook.id))
    return webhook
  }

  async #change() {
    const written = this.#written
    // A field does not hold all that a value may have, such as a comma in a topic: what is untouched is not sent.
    const edited = Object.entries(this.#members()).filter(([name]) => written[name] !== this.#filled[name])
    const members = Object.fromEntries(edited)
    // In a merge patch what is not named stays, and null takes away (RFC 7396).
    if (members.headers) for (const name of Object.keys(this.#webhook.headers ?? {})) members.headers[name] ??= null
    try {
      const response = await request(`/observers/${encodeURIComponent(this.#webhook.id)}`, {
        method: "PATCH", json: members, headers: { "Content-Type": "application/merge-patch+json", "If-Match": this.#tag },
      })
      const webhook = await bodyOf(response)
      announce("Webhook changed")
      if (webhook.secret) secretTray.add(webhook)
      return webhook
    } catch (problem) {
      if (problem.status !== 412) throw problem
      throw new Problem({ ...problem.members, title: "Somebody else has changed this webhook meanwhile",
        detail: "Nothing of yours was saved. Cancel to see what it is now, and edit that. If nobody has, a proxy in between may compress answers." })
    }
  }

  /** What each field has, by the name of the member that it is for. */
  get #written() {
    const controls = [...this.#form.elements].filter(({ name }) => name)
    return Object.fromEntries(controls.map((control) => [
      control.name, control.type === "checkbox" ? control.checked : control.value]))
  }

  #members() {
    const { elements } = this.#form
    const text = (name) => elements[name].value.trim()
    const number = (name) => (text(name) === "" ? null : Number.isNaN(Number(text(name))) ? text(name) : Number(text(name)))
    const headers = {}
    for (const line of elements.headers.value.split("\n").filter((one) => one.trim())) {
      const colon = line.indexOf(":")
      const name = (colon < 0 ? line : line.slice(0, colon)).trim()
      headers[name] = colon < 0 ? "" : line.slice(colon + 1).trim()
    }
    return {
      url: text("url"), topics: topicsIn(text("topics")),
      types: text("types").split(",").map((type) => type.trim()).filter(Boolean), description: text("description") || null,
      format: text("format"), signature: text("signature"), headers, maxInFlight: number("maxInFlight") ?? 16,
      ratePerSecond: number("ratePerSecond"), ordered: elements.ordered.checked, handshake: elements.handshake.checked,
    }
  }
}
