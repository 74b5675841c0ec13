import { eventsHref } from "../events/event-route.js"
import { problemMessage } from "../http/problem.js"
import { request, requestJSON } from "../http/request.js"
import { go, routeHref } from "../navigation/route.js"
import { listObservers } from "../observers/listed-observers.js"
import { ObserverRow } from "../observers/observer-row.js"
import { announce } from "../page/announcer.js"
import { busily } from "../page/busy.js"
import { confirmedButton } from "../page/confirmed-button.js"
import { element, setText } from "../page/element.js"
import { age, byteCount, count, counted, moment } from "../page/format.js"
import { panel, tile, wayBack } from "../page/panel.js"
import { Poll } from "../page/poll.js"
import { LastTimes } from "./last-times.js"
import { RetentionForm } from "./retention-form.js"
import { matches } from "./topic-pattern.js"
import { TopicValue } from "./topic-value.js"

const interval = 2_000

/** One topic: its value, what it keeps, who hears it. */
export function topicPage({ name }) {
  const closing = new AbortController()
  const path = `/topics/${encodeURIComponent(name)}`
  const message = element("div", { class: "result", role: "status" })
  const tiles = ["Events", "Data", "Observers", "Newest"].map(tile)
  const observers = element("ul", { class: "rows", "aria-label": "Who hears this topic" })
  const nobody = element("p", { class: "hint" })
  const rows = new Map()
  /** How many hear it, as the topic says. */
  let hearers = null
  /** What the list of observers says. */
  let looked = null
  const value = new TopicValue(name)
  const times = new LastTimes(closing.signal, (_, time) => showTime(time))
  const poll = new Poll(load, { interval, onProblem: (problem) => message.replaceChildren(problemMessage(problem)) })
  const hearing = new Poll(loadObservers, { interval, onProblem: (problem) => setText(nobody, [problem.title, problem.detail].filter(Boolean).join(": ")) })
  const retention = new RetentionForm(name, () => poll.now())
  const actions = element("div", { class: "actions" }, element("div", { class: "action-row" },
    element("a", { class: "button button-primary", href: eventsHref({ patterns: [name] }) }, "Its events"),
    confirmedButton({ label: "Delete the topic", question: "Really delete all its events?", onConfirm: remove })), message)

  async function load(signal) {
    try {
      show(await requestJSON(path, { signal }))
      message.querySelector(".message-problem")?.remove()
    } catch (problem) {
      if (problem.status !== 404) throw problem
      show({ name, events: 0, bytes: 0, lastId: null, observers: {}, retention: null })
    }
    await value.refresh(signal)
  }

  function show(topic) {
    const [events, data, heard, newest] = tiles
    setText(events.value, count(topic.events))
    setText(data.value, byteCount(topic.bytes))
    hearers = Object.values(topic.observers).reduce((sum, number) => sum + number, 0)
    setText(heard.value, count(hearers))
    tellMissing()
    setText(heard.note, Object.entries(topic.observers).filter(([, number]) => number > 0).map(([kind, number]) => counted(number, kind)).join(", "))
    retention.show(topic.retention)
    const time = times.of(topic)
    if (time) showTime(time)
    else if (topic.lastId === null) setText(newest.value, "–")
  }

  function showTime(time) {
    const [, , , newest] = tiles
    setText(newest.value, `${age(time)} ago`)
    setText(newest.note, moment(Date.parse(time)))
    newest.note.title = time
  }

  async function loadObservers(signal) {
    const { observers: all, isCut } = await listObservers({}, signal)
    const hear = all.filter(({ topics = [] }) => topics.some((pattern) => matches(pattern, name)))
    const present = new Set(hear.map(({ id }) => id))
    for (const [id, row] of rows) {
      if (present.has(id)) continue
      row.element.remove()
      rows.delete(id)
    }
    for (const observer of hear) {
      if (!rows.has(observer.id)) {
        rows.set(observer.id, new ObserverRow(observer, null))
        observers.append(rows.get(observer.id).element)
      }
      rows.get(observer.id).show(observer)
    }
    looked = { number: all.length, isCut }
    tellMissing()
  }

  /** Who hears it may be beyond the observers that are listed. */
  function tellMissing() {
    if (looked === null || hearers === null) return
    const missing = looked.isCut ? hearers - rows.size : 0
    const number = `${count(missing)}${rows.size > 0 ? " more" : ""}`
    const words = missing > 0 ? `${number}, not among the first ${count(looked.number)} observers of the hub.` : ""
    setText(nobody, hearers === 0 && rows.size === 0 ? "Nobody hears it right now." : words)
  }

  async function remove() {
    await busily(actions, message, async () => {
      await request(path, { method: "DELETE" })
      announce("Topic deleted")
      go(routeHref("topics"))
    })
  }

  return {
    title: name,
    element: element("div", { class: "page-body" },
      element("header", { class: "page-head" }, wayBack("#/topics", "Topics"), element("div", { class: "title-row" }, element("h2", {}, name))),
      actions, element("dl", { class: "tiles" }, ...tiles),
      element("div", { class: "chart-pair" }, panel("Value", value.element),
        element("div", { class: "webhook-body" },
          panel("Retention", element("p", { class: "hint" }, "What this topic keeps. What webhooks still wait for, and the newest event, stay in any case."), retention.element),
          panel("Who hears it", observers, nobody)))),
    close() {
      closing.abort()
      poll.close()
      hearing.close()
    },
  }
}
