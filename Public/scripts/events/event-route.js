import { routeHref } from "../navigation/route.js"
import { patternFault } from "../topics/topic-pattern.js"

/**
 * What the page of the events shows, as its address says it.
 *
 * @param {import("../navigation/route.js").Route} route
 * @returns {{patterns: string[], types: string, text: string, event: {topic: string, id: string} | null}}
 */
export function readEventRoute({ query }) {
  const patterns = query.getAll("topic").filter((pattern) => patternFault(pattern) === null)
  const id = query.get("event")
  const topic = query.get("of") ?? (patterns.length === 1 ? patterns[0] : null)
  return { patterns, types: query.get("type") ?? "", text: query.get("text") ?? "", event: id && topic ? { topic, id } : null }
}

/** The address of such a selection. */
export function eventsHref({ patterns, types = "", text = "", event = null }) {
  const query = { topic: patterns }
  if (types) query.type = types
  if (text) query.text = text
  if (event) {
    if (patterns.length !== 1 || patterns[0] !== event.topic) query.of = event.topic
    query.event = event.id
  }
  return routeHref("events", null, query)
}

/** The address of one event among those of its topic. */
export const eventHref = (event) => eventsHref({ patterns: [event.topic], event })
