import { matches } from "../topics/topic-pattern.js"
import { bodyOf } from "../http/body.js"
import { streamPath } from "../http/curl.js"
import { request, requestJSON } from "../http/request.js"

/** No more than so many are counted one by one. */
const mostCounted = 10_000

/**
 * How many events a replay would deliver again.
 *
 * @param {object} webhook
 * @param {{since: string, begin: number | null}} chosen Since when: as the hub takes it, and in milliseconds;
 *   null for everything.
 * @returns {Promise<{number: number, isMore: boolean}>} `isMore` if there are more than were counted.
 */
export async function countReplay({ topics, types = [] }, { since, begin }, signal) {
  if (begin === null && types.length === 0) return countTopics(topics, signal)
  let number = 0
  const query = types.length > 0 ? { type: types.join(",") } : {}
  for (let next = { since }; next !== null && number < mostCounted;) {
    const response = await request(streamPath(topics, { ...query, ...next, limit: 1_000 }), { headers: { Accept: "application/x-ndjson" }, signal })
    const lines = (await bodyOf(response, "text")).split("\n").filter(Boolean)
    number += lines.length
    next = response.headers.has("Link") ? { after: JSON.parse(lines.at(-1)).id } : null
    if (next && number >= mostCounted) return { number, isMore: true }
  }
  return { number, isMore: false }
}

/** Of everything the topics know their number, which spares reading it. */
async function countTopics(patterns, signal) {
  let number = 0
  let cursor = null
  do {
    const page = await requestJSON(`/topics?limit=1000${cursor ? `&cursor=${encodeURIComponent(cursor)}` : ""}`, { signal })
    for (const { name, events } of page.topics) if (patterns.some((pattern) => matches(pattern, name))) number += events
    cursor = page.next
  } while (cursor !== null)
  return { number, isMore: false }
}

/** How many dead letters a recovery would deliver again. */
export async function countRecovery({ id }, { begin }, signal) {
  if (begin === null) {
    const { stats } = await requestJSON(`/observers/${encodeURIComponent(id)}`, { signal })
    return { number: stats.deadLetters, isMore: false }
  }
  let number = 0
  let cursor = null
  do {
    const query = `state=dead&limit=1000${cursor ? `&cursor=${encodeURIComponent(cursor)}` : ""}`
    const { deliveries, next } = await requestJSON(`/observers/${encodeURIComponent(id)}/deliveries?${query}`, { signal })
    const since = deliveries.filter(({ createdAt }) => Date.parse(createdAt) >= begin)
    number += since.length
    // The newest come first.
    cursor = since.length < deliveries.length ? null : next
  } while (cursor !== null && number < mostCounted)
  return { number, isMore: cursor !== null }
}
