import { streamPath } from "../http/curl.js"
import { hubNow } from "../http/hub-clock.js"
import { problemMessage } from "../http/problem.js"
import { request, requestJSON } from "../http/request.js"
import { announce } from "../page/announcer.js"
import { confirmedButton } from "../page/confirmed-button.js"
import { element, setText } from "../page/element.js"
import { FoundList } from "../page/found-list.js"
import { Poll } from "../page/poll.js"
import { listObservers } from "./listed-observers.js"
import { missingWords } from "./missing-words.js"
import { kindWords, ObserverRow } from "./observer-row.js"

const interval = 2_000
/** Streams of which it is asked at a time how far they are behind: each is a request. */
const mostMeasured = 8

/**
 * Everyone who listens.
 *
 * @param {() => string | null} ownID The name of this page's own stream.
 */
export function observersPage(ownID) {
  const rows = new Map()
  let kind = ""
  let isCut = false
  const list = new FoundList("Observers")
  const summary = element("p", { class: "page-summary" })
  const message = element("div", { class: "result", role: "status" })
  const search = element("input", { class: "search", type: "search", placeholder: "search by topic, address, id", "aria-label": "Search the observers", spellcheck: "false" })
  const choice = element("div", { class: "choice", role: "group", "aria-label": "Which observers" },
    ...[["", "All"], ["stream", "Streams"], ["webhook", "Webhooks"], ["object", "Objects"]].map(([value, label]) =>
      element("button", { type: "button", "aria-pressed": String(value === ""), onclick: ({ currentTarget }) => {
        for (const other of choice.children) other.setAttribute("aria-pressed", String(other === currentTarget))
        kind = value
        filter()
      } }, label)))
  search.addEventListener("input", () => filter())
  const poll = new Poll(async (signal) => {
    const { observers, unreachable, ...rest } = await listObservers({}, signal)
    isCut = rest.isCut
    show(observers, unreachable)
    const behind = observers.filter(({ kind, queuedBytes }) => kind === "stream" && queuedBytes > 0).slice(0, mostMeasured)
    for (const stream of behind) rows.get(stream.id)?.show(stream, { isOwn: stream.id === ownID(), lag: await lagOf(stream, signal) })
  }, { interval, onProblem: (problem) => message.replaceChildren(problemMessage(problem)) })

  function show(observers, unreachable) {
    message.replaceChildren()
    const present = new Set(observers.map(({ id }) => id))
    for (const [id, row] of rows) {
      if (!present.has(id)) rows.delete(id)
    }
    for (const observer of observers) {
      const known = rows.get(observer.id)
      const row = known ?? new ObserverRow(observer, observer.kind === "stream" ? ending(observer.id) : null)
      row.show(observer, { isOwn: observer.id === ownID() })
      rows.set(observer.id, row)
    }
    const some = `${isCut ? "The first " : ""}${kindWords(observers)}`
    const words = observers.length === 0 ? "Nobody is listening." : some
    setText(summary, [words, ...missingWords(unreachable)].join(" · "))
    filter()
  }

  function filter() {
    const wanted = search.value.trim().toLowerCase()
    const isOfKind = ({ observer }) => kind === "" || observer.kind === kind
    const found = [...rows.values()].filter((row) => isOfKind(row) && row.text.includes(wanted))
    list.show(found.map((row) => row.element), { number: rows.size, isCut, isSearch: wanted !== "" || kind !== "" })
  }

  function ending(id) {
    return confirmedButton({ label: "End", question: "Really end it?", class: "observer-unregister", onConfirm: async () => {
      try {
        await request(`/observers/${encodeURIComponent(id)}`, { method: "DELETE" })
        announce("Stream ended")
      } catch (problem) {
        if (problem.status !== 404) message.replaceChildren(problemMessage(problem))
      }
      poll.now()
    } })
  }

  return {
    title: "Observers",
    element: element("div", { class: "page-body" },
      element("header", { class: "page-head" }, element("h2", {}, "Observers"), summary, search),
      message,
      element("section", { class: "panel panel-list", "aria-label": "All observers" }, choice, ...list.elements)),
    close: () => poll.close(),
  }
}

/** How old the oldest event is that a stream has not got; null if that cannot be known. */
async function lagOf({ topics, lastEventId }, signal) {
  if (!lastEventId) return null
  try {
    const { events: [event] } = await requestJSON(streamPath(topics, { after: lastEventId, limit: 1 }), { signal })
    return event ? Math.max(0, hubNow() - Date.parse(event.time)) : 0
  } catch {
    return null
  }
}
