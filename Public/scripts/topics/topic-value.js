import { Problem } from "../http/problem.js"
import { request } from "../http/request.js"
import { dataView } from "../json/json-view.js"
import { announce } from "../page/announcer.js"
import { busily } from "../page/busy.js"
import { element, setText } from "../page/element.js"
import { blame, clearBlame, field } from "../page/field.js"

/** Data beyond this many characters is not put into the field that edits it. */
const mostEdited = 100_000

/**
 * The newest event of a topic as a value: what it is, and setting it only if it is still what one has seen (compare-and-set by
 * `If-Match`).
 */
export class TopicValue {
  #path
  #current = element("div", { class: "value-current" })
  #tag = element("p", { class: "hint" })
  #form
  #result = element("div", { class: "result field-wide", role: "status" })
  /** The tag of the value that is shown as the current one; null while there is none. */
  #shownTag = undefined
  /** The tag of the value on which what is being written rests. */
  #basis = null
  #data = ""
  #contentType = ""
  #isEdited = false

  /** @param {string} topic */
  constructor(topic) {
    this.#path = `/topics/${encodeURIComponent(topic)}/value`
    this.#form = element("form", { class: "form", autocomplete: "off", novalidate: true, "aria-label": "Set the value" },
      field("data", "New value", { kind: "textarea", isWide: true, rows: "5" }),
      field("contentType", "Content type", { placeholder: "application/json" }), field("type", "Type", { placeholder: "none" }),
      element("div", { class: "form-actions field-wide" },
        element("button", { type: "submit", class: "button button-primary" }, "Set the value"),
        element("button", { type: "button", class: "button button-quiet", onclick: () => this.#takeCurrent() }, "Start from the current one")),
      this.#result)
    this.#form.addEventListener("input", () => {
      clearBlame(this.#form)
      if (!this.#isEdited) this.#basis = this.#shownTag
      this.#isEdited = true
    })
    this.#form.addEventListener("submit", (event) => {
      event.preventDefault()
      this.#set(this.#isEdited ? this.#basis : this.#shownTag)
    })
    this.element = element("div", { class: "value" }, this.#current, this.#tag, this.#form)
  }

  /** Asks what the value is now; costs next to nothing while it stays the same. */
  async refresh(signal) {
    const headers = this.#shownTag ? { "If-None-Match": this.#shownTag } : {}
    try {
      const response = await request(this.#path, { headers, signal })
      if (response.status === 304) return
      const type = response.headers.get("Content-Type") ?? ""
      const bytes = await response.arrayBuffer()
      this.#show(response.headers.get("ETag"), type, textOf(bytes))
    } catch (problem) {
      if (problem.status !== 404) throw problem
      this.#show(null, "", null)
    }
  }

  #show(tag, contentType, text) {
    const isFirst = this.#shownTag === undefined
    this.#shownTag = tag
    this.#data = text ?? ""
    this.#contentType = contentType
    this.#current.replaceChildren(tag === null
      ? element("p", { class: "hint" }, "There is no value yet: nothing was posted to this topic.")
      : text === null ? element("p", { class: "hint" }, "Binary data.")
        : element("pre", { class: "event-body", tabindex: "0", "aria-label": "The value" }, dataView(text)))
    setText(this.#tag, tag === null ? "" : `${contentType || "no content type"}, event ${tag.replaceAll('"', "")}`)
    if (isFirst) this.#takeCurrent()
    else if (this.#isEdited && this.#basis !== tag) this.#warn()
  }

  #warn() {
    this.#result.replaceChildren(element("p", { class: "message" },
      element("strong", {}, "The value has changed since you began to write."), " Setting yours will be refused, unless you say that it is to go over it."))
  }

  #takeCurrent() {
    const { elements } = this.#form
    elements.data.value = this.#data.length > mostEdited ? "" : this.#data
    elements.contentType.value = this.#contentType
    this.#isEdited = false
    this.#basis = this.#shownTag
    this.#result.replaceChildren()
  }

  async #set(basis) {
    const { data, contentType, type } = this.#form.elements
    const condition = basis ? { "If-Match": basis } : { "If-None-Match": "*" }
    const headers = { "Content-Type": contentType.value.trim() || "text/plain; charset=utf-8", ...condition }
    if (type.value.trim()) headers["Event-Type"] = type.value.trim()
    const problem = await busily(this.#form, this.#result, async () => {
      let response
      try {
        response = await request(this.#path, { method: "PUT", headers, body: data.value })
      } catch (failure) {
        if (failure instanceof Problem) throw failure
        throw new Problem({ title: "This cannot be sent", detail: "A type and a content type are of Latin letters and signs.", parameter: "type" })
      }
      this.#isEdited = false
      this.#show(response.headers.get("ETag"), headers["Content-Type"], data.value)
      this.#basis = this.#shownTag
      this.#result.replaceChildren(element("p", { class: "message message-success" }, element("strong", {}, "Set.")))
      announce("The value is set")
    })
    if (problem?.status === 412) await this.#explainConflict()
    else if (problem) blame(this.#form, problem)
  }

  async #explainConflict() {
    await this.refresh().catch(() => {})
    const over = element("button", { type: "button", class: "button", onclick: () => this.#set(this.#shownTag) }, "Set mine over it")
    const theirs = element("button", { type: "button", class: "button button-quiet", onclick: () => this.#takeCurrent() }, "Take theirs")
    this.#result.replaceChildren(element("div", { class: "message message-problem", role: "alert" },
      element("strong", {}, "Somebody else has set the value meanwhile"),
      " Yours was not stored. What it is now stands above; what you wrote is still here.",
      element("div", { class: "form-actions" }, over, theirs)))
    over.focus()
  }
}

/** Text, or null if the bytes are not UTF-8. */
function textOf(bytes) {
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(bytes)
  } catch {
    return null
  }
}
