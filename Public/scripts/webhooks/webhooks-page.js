import { problemMessage } from "../http/problem.js"
import { listObservers } from "../observers/listed-observers.js"
import { element, icon, setText } from "../page/element.js"
import { count, counted } from "../page/format.js"
import { FoundList } from "../page/found-list.js"
import { Poll } from "../page/poll.js"
import { WebhookEditor } from "./webhook-editor.js"
import { WebhookRow } from "./webhook-row.js"

const interval = 2_000
const tones = { bad: "in trouble", waiting: "paused", good: "delivering", quiet: "ready" }

/** All webhooks, those in trouble first. */
export function webhooksPage() {
  const rows = new Map()
  let isCut = false
  const list = new FoundList("Webhooks")
  const summary = element("p", { class: "page-summary" })
  const search = element("input", { class: "search", type: "search", placeholder: "search by URL, topic, state", "aria-label": "Search the webhooks", spellcheck: "false" })
  const message = element("div", { class: "result", role: "status" })
  search.addEventListener("input", () => arrange())
  const poll = new Poll(async (signal) => {
    const found = await listObservers({ kind: "webhook" }, signal)
    isCut = found.isCut
    show(found.observers)
  }, { interval, onProblem: (problem) => message.replaceChildren(problemMessage(problem)) })
  const editor = new WebhookEditor({ onSave: () => poll.now() })
  const registration = element("details", { class: "registration" }, element("summary", {}, icon("chevron"), "Register a webhook"), editor.element)

  function show(webhooks) {
    message.replaceChildren()
    const present = new Set(webhooks.map(({ id }) => id))
    for (const [id, row] of rows) {
      if (!present.has(id)) rows.delete(id)
    }
    for (const webhook of webhooks) {
      if (!rows.has(webhook.id)) rows.set(webhook.id, new WebhookRow())
      rows.get(webhook.id).show(webhook)
    }
    const words = Object.entries(tones).map(([tone, word]) => [[...rows.values()].filter((row) => row.tone === tone).length, word])
      .filter(([number]) => number > 0).map(([number, word]) => `${count(number)} ${word}`)
    const all = isCut ? `the first ${count(rows.size)}` : counted(rows.size, "webhook")
    setText(summary, rows.size > 0 ? `${all}: ${words.join(", ")}` : "There are none yet. A webhook is a URL to which the hub posts each event.")
    arrange()
  }

  /** In their order, and only those that are searched for. */
  function arrange() {
    const wanted = search.value.trim().toLowerCase()
    const found = [...rows.values()].filter(({ text }) => text.includes(wanted))
      .sort((a, b) => a.rank - b.rank || a.name.localeCompare(b.name))
    list.show(found.map((row) => row.element), { number: rows.size, isCut, isSearch: wanted !== "" })
  }

  return {
    title: "Webhooks",
    element: element("div", { class: "page-body" },
      element("header", { class: "page-head" }, element("h2", {}, "Webhooks"), summary, search),
      message,
      element("section", { class: "panel panel-list", "aria-label": "All webhooks" }, registration, ...list.elements)),
    close: () => poll.close(),
  }
}
