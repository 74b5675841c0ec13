import { problemMessage } from "../http/problem.js"
import { requestJSON } from "../http/request.js"
import { element, setText } from "../page/element.js"
import { byteCount, count, counted } from "../page/format.js"
import { Poll } from "../page/poll.js"
import { LastTimes } from "./last-times.js"
import { TopicRow } from "./topic-row.js"

const interval = 3_000
/** As many as the hub lists at a time. Where there are more, it is the hub that searches, by the beginning of the name. */
const mostListed = 1_000
/** Rows that are added at a time. */
const pageLength = 200

/** All topics: how much they hold, when the newest event came, who hears them. */
export function topicsPage() {
  const closing = new AbortController()
  const rows = new Map()
  let prefix = ""
  let isWhole = true
  let shown = pageLength
  const list = element("ul", { class: "rows", "aria-label": "Topics" })
  const summary = element("p", { class: "page-summary" })
  const search = element("input", { class: "search", type: "search", placeholder: "search topics", "aria-label": "Search the topics", spellcheck: "false" })
  const message = element("div", { class: "result", role: "status" })
  const more = element("button", { type: "button", class: "button button-plain older", hidden: true, onclick: () => {
    shown += pageLength
    arrange()
  } }, "Show more")
  const times = new LastTimes(closing.signal, (name, time) => rows.get(name)?.showTime(time))
  const inView = new IntersectionObserver((entries) => {
    for (const { target, isIntersecting } of entries) {
      const row = rows.get(target.dataset.topic)
      if (!row) continue
      row.isInView = isIntersecting
      if (isIntersecting) askTime(row)
    }
  })
  const poll = new Poll(async (signal) => {
    const query = new URLSearchParams({ limit: mostListed })
    if (prefix) query.set("prefix", prefix)
    show(await requestJSON(`/topics?${query}`, { signal }))
  }, { interval, onProblem: (problem) => message.replaceChildren(problemMessage(problem)) })
  search.addEventListener("input", () => {
    // A prefix is looked up by the hub if it has more topics than it lists.
    if (!isWhole || prefix) {
      prefix = search.value.trim()
      poll.now()
    }
    arrange()
  })

  function show({ topics, next }) {
    message.replaceChildren()
    isWhole = next === null
    const present = new Set(topics.map(({ name }) => name))
    for (const [name, row] of rows) {
      if (present.has(name)) continue
      row.element.remove()
      inView.unobserve(row.element)
      rows.delete(name)
    }
    for (const topic of topics) {
      const row = rows.get(topic.name)
      if (row) row.show(topic)
      else rows.set(topic.name, new TopicRow(topic))
    }
    arrange()
    for (const row of rows.values()) if (row.isInView) askTime(row)
  }

  function arrange() {
    const wanted = search.value.trim().toLowerCase()
    const found = [...rows.values()].filter(({ topic }) => topic.name.toLowerCase().includes(wanted))
    const visible = found.slice(0, shown)
    const keep = new Set(visible.map((row) => row.element))
    for (const item of [...list.children]) if (!keep.has(item)) item.remove()
    let place = list.firstElementChild
    for (const row of visible) {
      if (row.element === place) place = place.nextElementSibling
      else {
        row.element.dataset.topic = row.topic.name
        list.insertBefore(row.element, place)
        inView.observe(row.element)
      }
    }
    more.hidden = found.length <= shown
    setText(summary, wordsFor(found))
  }

  function wordsFor(found) {
    if (rows.size === 0) return prefix ? "No topic begins so." : "There are none yet. A topic comes into being when something is posted to it."
    const events = found.reduce((sum, { topic }) => sum + topic.events, 0)
    const bytes = found.reduce((sum, { topic }) => sum + topic.bytes, 0)
    const number = isWhole ? counted(found.length, "topic") : `the first ${count(found.length)} topics`
    return `${number}, ${counted(events, "event")}, ${byteCount(bytes)} of data`
  }

  function askTime(row) {
    const time = times.of(row.topic)
    if (time) row.showTime(time)
  }

  return {
    title: "Topics",
    element: element("div", { class: "page-body" },
      element("header", { class: "page-head" }, element("h2", {}, "Topics"), summary, search),
      message,
      element("section", { class: "panel panel-list", "aria-label": "All topics" }, list, more)),
    close() {
      closing.abort()
      inView.disconnect()
      poll.close()
    },
  }
}
