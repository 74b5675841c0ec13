import { bodyOf } from "../http/body.js"
import { problemMessage } from "../http/problem.js"
import { request } from "../http/request.js"
import { element, setClampedText, setText } from "../page/element.js"
import { age, count, moment } from "../page/format.js"
import { facts, panel, tile, wayBack } from "../page/panel.js"
import { Poll } from "../page/poll.js"
import { eventsHref } from "../events/event-route.js"
import { DeliveryCharts } from "./delivery-charts.js"
import { DeliveryList } from "./delivery-list.js"
import { RepeatForm } from "./repeat-form.js"
import { StateMark } from "./state-mark.js"
import { WebhookActions } from "./webhook-actions.js"
import { WebhookEditor } from "./webhook-editor.js"
import { nameOf, stateOf } from "./webhook-state.js"

const interval = 1_500

/** One webhook: how it does, what was delivered, and everything that can be done about it. */
export function webhookPage({ name: id }) {
  const path = `/observers/${encodeURIComponent(id)}`
  let webhook = null
  let tag = null
  let newest = []

  const title = element("h2", { class: "clamped" }, id)
  const mark = new StateMark()
  const words = element("p", { class: "state-words", role: "status" })
  const message = element("div", { class: "result", role: "status" })
  const tiles = ["Delivered", "Pending", "Dead letters", "Failed attempts", "Last attempt"].map(tile)
  const about = element("div")
  const charts = new DeliveryCharts()
  const editing = element("div", { hidden: true })
  const repeat = new RepeatForm({ onStart: () => refresh() })
  const poll = new Poll(load, { interval, onProblem: fail })
  const deliveries = new DeliveryList(id, (found) => {
    newest = found
    charts.show(found)
    if (webhook) render()
  })
  const refresh = () => {
    poll.now()
    deliveries.refresh()
  }
  const actions = new WebhookActions(id, { onChange: refresh, onEdit: edit })
  const editor = new WebhookEditor({ onSave: () => {
    endEditing()
    refresh()
  }, onCancel: endEditing })
  editing.append(panel("Edit", editor.element))
  const body = element("div", { class: "webhook-body", hidden: true }, actions.element, editing,
    element("dl", { class: "tiles" }, ...tiles), charts.element,
    panel("Deliveries", deliveries.element),
    element("div", { class: "chart-pair" }, panel("Deliver again", repeat.element), panel("Registered as", about)))

  async function load(signal) {
    const { begun } = repeat
    const response = await request(path, { signal })
    tag = response.headers.get("ETag")
    webhook = await bodyOf(response)
    message.replaceChildren()
    if (webhook.kind !== "webhook") {
      message.replaceChildren(problemMessage({ title: "This is no webhook", detail: "Streams and objects are listed among the observers." }))
      return
    }
    body.hidden = false
    actions.show(webhook)
    repeat.show(webhook, begun)
    render()
  }

  function fail(problem) {
    message.replaceChildren(problemMessage(problem))
    if (problem.status === 404) body.hidden = true
  }

  function render() {
    const state = stateOf(webhook, newest)
    const { stats = {} } = webhook
    mark.show(state)
    setClampedText(title, nameOf(webhook))
    setText(words, state.words)
    const [arrived, waiting, dead, failed, last] = tiles
    setText(arrived.value, count(stats.delivered ?? 0))
    setText(waiting.value, count(stats.pending ?? 0))
    setText(dead.value, count(stats.deadLetters ?? 0))
    setText(failed.value, count(stats.failed ?? 0))
    setText(last.value, stats.lastAttemptAt ? String(stats.lastStatus ?? webhook.lastFailure ?? "–") : "–")
    setText(last.note, stats.lastAttemptAt ? `${age(stats.lastAttemptAt)} ago` : "")
    renderAbout()
  }

  let shown = ""
  function renderAbout() {
    const { stats, lastFailure, failingSince, ...registration } = webhook
    const key = JSON.stringify(registration)
    if (key === shown) return
    shown = key
    const { description, url, topics = [], types = [], format, signature, publicKey, headers = {}, ordered, maxInFlight, ratePerSecond, allowedRate } = webhook
    about.replaceChildren(facts([
      ["Id", element("code", {}, id)], ["Description", description], ["URL", url ? element("code", {}, url) : null],
      ["Topics", element("a", { href: eventsHref({ patterns: topics }) }, topics.join("  "))],
      ["Types", types.join(", ")], ["Format", format], ["Signature", signature], ["Public key", publicKey],
      ["Former secret until", webhook.previousSecretUntil ? moment(Date.parse(webhook.previousSecretUntil)) : null],
      ["Headers", Object.entries(headers).map(([name, value]) => `${name}: ${value}`).join("\n")],
      ["Order", ordered ? "in sequence, one at a time" : null], ["At a time", ordered ? null : maxInFlight],
      ["A second", ratePerSecond], ["Allowed by the endpoint", allowedRate ? `${allowedRate} a minute` : null],
      ["Registered", moment(Date.parse(webhook.createdAt))],
    ]))
  }

  function endEditing() {
    // With the form the focus would be gone, too.
    actions.focusEdit()
    editing.hidden = true
  }

  function edit() {
    editing.hidden = false
    editor.edit(webhook, tag)
  }

  return {
    title: id,
    element: element("div", { class: "page-body" },
      element("header", { class: "page-head" }, wayBack("#/webhooks", "Webhooks"),
        element("div", { class: "title-row" }, title, mark.element), words),
      message, body),
    close() {
      poll.close()
      deliveries.close()
    },
  }
}
