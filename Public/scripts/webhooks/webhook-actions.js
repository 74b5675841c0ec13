import { request, requestJSON } from "../http/request.js"
import { go } from "../navigation/route.js"
import { announce } from "../page/announcer.js"
import { busily } from "../page/busy.js"
import { confirmedButton } from "../page/confirmed-button.js"
import { element, setText } from "../page/element.js"
import { attemptView } from "./attempts.js"
import { secretTray } from "./secret-tray.js"

/** What can be done with a webhook as a whole. */
export class WebhookActions {
  #path
  #webhook = null
  #onChange
  #test = element("button", { type: "button", class: "button button-primary", onclick: () => this.#try() }, "Send a test")
  #switch = element("button", { type: "button", class: "button", onclick: () => this.#turn() }, "Pause")
  #edit
  #rotate
  #result = element("div", { class: "result", role: "status" })

  /**
   * @param {string} id
   * @param {{onChange: () => void, onEdit: () => void}} handlers
   */
  constructor(id, { onChange, onEdit }) {
    this.#path = `/observers/${encodeURIComponent(id)}`
    this.#onChange = onChange
    this.#edit = element("button", { type: "button", class: "button", onclick: onEdit }, "Edit")
    this.#rotate = confirmedButton({ label: "Rotate the secret", question: "Really rotate?", onConfirm: () => this.#renew() })
    this.element = element("div", { class: "actions" },
      element("div", { class: "action-row" }, this.#test, this.#switch, this.#edit, this.#rotate,
        confirmedButton({ label: "Unregister", question: "Really unregister?", onConfirm: () => this.#remove() })),
      this.#result)
  }

  show(webhook) {
    this.#webhook = webhook
    setText(this.#switch, webhook.state === "active" ? "Pause" : "Enable")
    const isReadable = webhook.reason !== "unreadable"
    for (const button of [this.#test, this.#switch, this.#edit, this.#rotate]) button.disabled = !isReadable
  }

  /** Puts the focus where the editor is opened. */
  focusEdit() {
    this.#edit.focus()
  }

  #do(task) {
    return busily(this.element, this.#result, task)
  }

  #try() {
    this.#result.replaceChildren(element("p", { class: "message" }, "Waiting for the endpoint…"))
    return this.#do(async () => {
      const attempt = await requestJSON(`${this.#path}/test`, { method: "POST" })
      const heading = attempt.failure ? "The test failed" : "The test was delivered."
      announce(heading)
      this.#result.replaceChildren(element("div", { class: `message ${attempt.failure ? "message-problem" : "message-success"}` },
        element("strong", {}, heading), attemptView(attempt)))
    })
  }

  #turn() {
    const enabled = this.#webhook.state !== "active"
    return this.#do(async () => {
      await request(this.#path, { method: "PATCH", json: { enabled }, headers: { "Content-Type": "application/merge-patch+json" } })
      this.#result.replaceChildren()
      announce(enabled ? "Enabled" : "Paused")
      this.#onChange()
    })
  }

  #renew() {
    return this.#do(async () => {
      secretTray.add(await requestJSON(`${this.#path}/secret/rotate`, { method: "POST" }))
      this.#result.replaceChildren(element("p", { class: "message message-success" }, element("strong", {}, "Rotated."),
        " The former secret signs beside the new one for 24 hours."))
      this.#onChange()
    })
  }

  #remove() {
    return this.#do(async () => {
      await request(this.#path, { method: "DELETE" }).catch((problem) => {
        // It went by itself in the meantime, which is what was wanted.
        if (problem.status !== 404) throw problem
      })
      announce("Unregistered")
      go("#/webhooks")
    })
  }
}
