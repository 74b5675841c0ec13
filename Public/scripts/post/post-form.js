import { credential } from "../http/credential.js"
import { eventLink } from "../events/event-link.js"
import { eventsPath, postCommand, textType } from "../http/curl.js"
import { problemMessage } from "../http/problem.js"
import { request } from "../http/request.js"
import { CommandLine } from "../page/command-line.js"
import { element } from "../page/element.js"

/** Posts an event, and shows the command that would do the same. */
export class PostForm {
  #form
  #result
  #hint
  #command
  #isSending = false
  /** What was sent and not answered, with its idempotency key: sent again, it is stored once. */
  #unanswered = null

  /** @param {{form: HTMLFormElement, result: HTMLElement, hint: HTMLElement, command: HTMLElement}} parts */
  constructor({ form, result, hint, command }) {
    this.#form = form
    this.#result = result
    this.#hint = hint
    this.#command = new CommandLine(command)
    form.addEventListener("input", () => this.#render())
    credential.listen({ changed: () => this.#render(), refused: () => this.#render() })
    form.addEventListener("submit", (event) => {
      event.preventDefault()
      this.#send()
    })
    form.addEventListener("keydown", (event) => {
      if (event.key !== "Enter" || !(event.ctrlKey || event.metaKey)) return
      event.preventDefault()
      this.#send()
    })
    this.#render()
  }

  get #event() {
    const { topic, type, contentType, body } = this.#form.elements
    return {
      topic: topic.value.trim(),
      type: type.value.trim(),
      contentType: sentContentType(contentType.value.trim() || guessedContentType(body.value)),
      body: body.value,
    }
  }

  #render() {
    const event = this.#event
    const { topic, contentType } = this.#form.elements
    topic.removeAttribute("aria-invalid")
    contentType.placeholder = guessedContentType(event.body)
    this.#command.text = postCommand({ ...event, topic: event.topic || "greetings" })
    const claimsJSON = /[/+]json\b/i.test(event.contentType)
    this.#hint.textContent = claimsJSON && !isJSON(event.body) ? "This is not valid JSON. It will be posted as it is." : ""
  }

  async #send() {
    if (this.#isSending) return
    const event = this.#event
    if (event.topic === "" || event.topic === "." || event.topic === "..") {
      this.#refuse({ title: "The topic is missing", detail: "Name the topic to post to, such as greetings.", parameter: "topic" })
      return
    }
    this.#isSending = true
    this.#form.setAttribute("aria-busy", "true")
    const sent = JSON.stringify(event)
    if (this.#unanswered?.sent !== sent) this.#unanswered = { sent, key: randomKey() }
    try {
      const response = await request(this.#path(event), {
        method: "POST", headers: { ...headers(event), "Idempotency-Key": this.#unanswered.key }, body: event.body,
      })
      this.#unanswered = null
      this.#result.replaceChildren(acknowledgement(response.status, await response.json().catch(() => ({})), event.topic))
    } catch (problem) {
      // Of the hub, or of a proxy that had one of it: nothing was stored.
      if (problem.status >= 400 && problem.status < 500) this.#unanswered = null
      this.#refuse(problem)
    } finally {
      this.#isSending = false
      this.#form.removeAttribute("aria-busy")
    }
  }

  #path({ topic, type }) {
    // A header holds Latin-1 only; a type of other letters travels in the query.
    return isHeaderValue(type) ? eventsPath(topic) : `${eventsPath(topic)}?type=${encodeURIComponent(type)}`
  }

  #refuse(problem) {
    this.#result.replaceChildren(problemMessage(problem))
    const field = this.#form.elements[problem.parameter]
    if (!field) return
    field.setAttribute("aria-invalid", "true")
    field.focus()
  }
}

const isHeaderValue = (text) => /^[\x20-\x7e]*$/.test(text)

/** A content type that no header of a page can hold is none. */
const sentContentType = (written) => (isHeaderValue(written) ? written : "application/octet-stream")

function headers({ type, contentType }) {
  const made = { "Content-Type": contentType }
  if (type && isHeaderValue(type)) made["Event-Type"] = type
  return made
}

/** Not `crypto.randomUUID`, which pages have on secure origins only. */
const randomKey = () => Array.from(crypto.getRandomValues(new Uint32Array(4)), (word) => word.toString(36)).join("-")

function acknowledgement(status, { id, events }, topic) {
  const message = element("p", { class: "message message-success" })
  const ids = events?.map((event) => event.id) ?? (id ? [id] : [])
  message.append(element("strong", {}, status === 200 ? "Posted before" : "Committed"))
  if (ids.length > 1) message.append(` as ${ids.length} events, the last one`)
  if (ids.length > 0) {
    const last = ids.at(-1)
    const code = element("code", {}, last)
    message.append(" as ", eventLink({ topic, id: last }, {}, code) ?? code)
  }
  return message
}

function guessedContentType(body) {
  return /^\s*[{[]/.test(body) && isJSON(body) ? "application/json" : textType
}

function isJSON(text) {
  try {
    JSON.parse(text)
    return true
  } catch {
    return false
  }
}
