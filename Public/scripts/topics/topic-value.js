import { bodyOf } from "../http/body.js"
import { textType } from "../http/curl.js"
import { request } from "../http/request.js"
import { dataView } from "../json/json-view.js"
import { announce } from "../page/announcer.js"
import { busily } from "../page/busy.js"
import { element, setText } from "../page/element.js"
import { blame, clearBlame, field } from "../page/field.js"
import { count } from "../page/format.js"

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
  #type = ""
  /** What was put into each field: exactly, and as the field has it, which changes line breaks. */
  #filled = {}
  #isEdited = false
  #setting = element("button", { type: "submit", class: "button button-primary" }, "Set the value")
  /** Why the current data is not in the field. */
  #absence = element("p", { class: "hint field-wide", id: "value-absence" })

  /** @param {string} topic */
  constructor(topic) {
    this.#path = `/topics/${encodeURIComponent(topic)}/value`
    this.#form = element("form", { class: "form", autocomplete: "off", novalidate: true, "aria-label": "Set the value" },
      field("data", "New value", { kind: "textarea", isWide: true, rows: "5" }), this.#absence,
      field("contentType", "Content type", { placeholder: "application/json" }), field("type", "Type", { placeholder: "none" }),
      element("div", { class: "form-actions field-wide" }, this.#setting,
        element("button", { type: "button", class: "button button-quiet", onclick: () => this.#takeCurrent() }, "Start from the current one")),
      this.#result)
    this.#form.elements.data.setAttribute("aria-describedby", this.#absence.id)
    this.#form.addEventListener("input", ({ target }) => {
      clearBlame(this.#form)
      this.#isEdited = true
      if (target === this.#form.elements.data) this.#setting.disabled = false
    })
    this.#form.addEventListener("submit", (event) => {
      event.preventDefault()
      // From now on it is what somebody wants to set.
      this.#isEdited = true
      this.#set(this.#basis)
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
      const bytes = await bodyOf(response, "arrayBuffer")
      this.#show(response.headers.get("ETag"), { contentType: type, type: typeIn(response), data: textOf(bytes) })
    } catch (problem) {
      if (problem.status !== 404) throw problem
      this.#show(null, { contentType: "", type: "", data: "" })
    }
  }

  /** @param {string | null} value.data Null if it is binary. */
  #show(tag, { contentType, type, data }) {
    this.#shownTag = tag
    this.#data = data
    this.#contentType = contentType
    this.#type = type
    this.#current.replaceChildren(tag === null
      ? element("p", { class: "hint" }, "There is no value yet: nothing was posted to this topic.")
      : data === null ? element("p", { class: "hint" }, "Binary data.")
        : element("pre", { class: "event-body", tabindex: "0", "aria-label": "The value" },
          dataView(data.replace(/^\ufeff/, ""))))
    setText(this.#tag, tag === null ? "" : `${contentType || "no content type"}, event ${tag.replaceAll('"', "")}`)
    // What is not edited is always the current one: set as it stands it must not bring back a former one.
    if (!this.#isEdited) this.#fill()
    else if (this.#basis !== tag) this.#warn()
  }

  #warn() {
    this.#result.replaceChildren(element("p", { class: "message" },
      element("strong", {}, "The value has changed since you began to write."), " Setting yours will be refused, unless you say that it is to go over it."))
  }

  #takeCurrent() {
    this.#fill()
    this.#result.replaceChildren()
  }

  /** Puts the current value into the form. */
  #fill() {
    const { elements } = this.#form
    const isBinary = this.#data === null
    // What was written here and set stays, however long.
    const isHeld = !isBinary && (this.#data.length <= mostEdited || this.#data === elements.data.value)
    const values = { data: isHeld ? this.#data : "", contentType: this.#contentType, type: this.#type }
    for (const [name, exact] of Object.entries(values)) {
      elements[name].value = exact
      this.#filled[name] = { exact, held: elements[name].value }
    }
    const why = isBinary ? "is binary" : `has more than ${count(mostEdited)} characters`
    setText(this.#absence, isHeld ? ""
      : `The current data is not in this field: it ${why}. It can be set when you have written other data.`)
    // An empty field would empty the value.
    this.#setting.disabled = !isHeld
    this.#isEdited = false
    this.#basis = this.#shownTag
  }

  /**
   * What a field says: exactly what was put there if it is untouched, otherwise what was written, with the line breaks
   * of the former data.
   */
  #written(name) {
    const { exact, held } = this.#filled[name]
    const { value } = this.#form.elements[name]
    if (value === held) return exact
    if (name !== "data") return value.trim()
    const hasReturns = exact.includes("\r\n") && !/\r(?!\n)|(?<!\r)\n/.test(exact)
    return hasReturns ? value.replaceAll("\n", "\r\n") : value
  }

  async #set(basis) {
    const data = this.#written("data")
    const type = this.#written("type")
    const contentType = this.#written("contentType") || textType
    const condition = basis ? { "If-Match": basis } : { "If-None-Match": "*" }
    const problem = await busily(this.#form, this.#result, async () => {
      // In the query, since a header holds Latin-1 only.
      const path = type ? `${this.#path}?type=${encodeURIComponent(type)}` : this.#path
      const headers = { "Content-Type": contentType, ...condition }
      const response = await request(path, { method: "PUT", headers, body: data })
      this.#isEdited = false
      this.#show(response.headers.get("ETag"), { contentType, type, data })
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
      " Yours was not stored. What it is now stands above; what you wrote is still here. If it is the same, a proxy in between may compress answers.",
      element("div", { class: "form-actions" }, over, theirs)))
    over.focus()
  }
}

/**
 * The type in the header of an answer: bytes of UTF-8, which a header shows one by one, and percent-encoded control
 * characters.
 */
function typeIn(response) {
  const encoded = (byte) => (byte > "~" ? `%${byte.charCodeAt(0).toString(16)}` : byte)
  return decodeURIComponent([...response.headers.get("Event-Type") ?? ""].map(encoded).join(""))
}

/** Text, or null if the bytes are not UTF-8. */
function textOf(bytes) {
  try {
    return new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes)
  } catch {
    return null
  }
}
