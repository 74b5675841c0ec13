import { askAs } from "../http/asking.js"
import { bodyOf } from "../http/body.js"
import { credential } from "../http/credential.js"
import { buckets, readMetrics, total } from "./metrics-text.js"

/**
 * What the hub says of itself at one moment. Counters go up from the hub's start; a value is null where it is not told.
 *
 * @typedef {Record<string, number | null> & {at: number, delays: [number, number][]}} Reading
 */

/**
 * Reads `/metrics`.
 *
 * @returns {Promise<{reading: Reading | null, problem: import("../http/problem.js").Problem | null}>}
 */
export async function readFromMetrics(signal) {
  // Without the right this is refused, and nobody is to be asked for a credential because of a drawing.
  const { response, problem } = await askAs(credential.token, "/metrics", { signal })
  if (problem) return { reading: null, problem }
  const metrics = readMetrics(await bodyOf(response, "text"))
  const sum = (name, passes) => total(metrics, name, passes)
  const delivered = (kind) => sum("clarion_deliveries_total", (labels) => labels.kind === kind)
  return { problem: null, reading: {
    at: Date.now(),
    posts: sum("clarion_posts_total", ({ result }) => result === "committed"),
    refused: sum("clarion_posts_total", ({ result }) => result === "refused" || result === "conflict"),
    toStreams: delivered("stream"), toObjects: delivered("object"), toWebhooks: delivered("webhook"),
    attempts: sum("clarion_webhook_attempts_total"),
    failures: sum("clarion_webhook_attempts_total", ({ outcome }) => outcome !== "delivered"),
    streams: sum("clarion_streams"), behind: sum("clarion_streams_behind"), outbox: sum("clarion_outbox_bytes"),
    pending: sum("clarion_webhook_pending"), dead: sum("clarion_webhook_dead"),
    logEvents: sum("clarion_log_events"), logBytes: sum("clarion_log_bytes"), queueBytes: sum("clarion_log_queue_bytes"),
    memory: sum("process_resident_memory_bytes"), processor: sum("process_cpu_seconds_total"),
    files: sum("process_open_fds"), mostFiles: sum("process_max_fds"), started: sum("process_start_time_seconds"),
    delays: buckets(metrics, "clarion_webhook_delay_seconds"),
  } }
}

/** Whether a problem passes, as a proxy's answer while the hub restarts, and says nothing of what one may read. */
export const isForNow = (problem) => problem !== null && ![401, 403, 404].includes(problem.status)

/** Pages of a list that are added up; of more topics than in these it is not said how much they hold. */
const mostPages = 5

/** What can be known without `/metrics`: it is added up from the lists of topics and observers. */
export async function readFromLists(signal) {
  const topics = await list("/topics", "topics", signal)
  const observers = await list("/observers", "observers", signal)
  const webhooks = observers?.filter(({ kind }) => kind === "webhook")
  const streams = observers?.filter(({ kind }) => kind === "stream")
  const sum = (items, value) => items?.reduce((all, item) => all + (value(item) ?? 0), 0) ?? null
  return {
    at: Date.now(),
    posts: sum(topics, ({ events }) => events), refused: null,
    toStreams: null, toObjects: null, toWebhooks: sum(webhooks, ({ stats }) => stats.delivered),
    attempts: sum(webhooks, ({ stats }) => stats.delivered + stats.failed), failures: sum(webhooks, ({ stats }) => stats.failed),
    streams: streams?.length ?? null, behind: streams?.filter(({ queuedBytes }) => queuedBytes > 0).length ?? null,
    outbox: sum(streams, ({ queuedBytes }) => queuedBytes),
    pending: sum(webhooks, ({ stats }) => stats.pending), dead: sum(webhooks, ({ stats }) => stats.deadLetters),
    logEvents: sum(topics, ({ events }) => events), logBytes: sum(topics, ({ bytes }) => bytes), queueBytes: null,
    memory: null, processor: null, files: null, mostFiles: null, started: null, delays: [],
  }
}

/** Whether the hub takes posts: `ready`, or the problem that says why not. */
export async function readiness(signal) {
  const { problem } = await askAs(null, "/readyz", { signal })
  return problem
}

async function list(path, name, signal) {
  const items = []
  let cursor = ""
  for (let pages = 0; pages < mostPages; pages += 1) {
    const { response, problem } = await askAs(credential.token, `${path}?limit=1000${cursor}`, { signal })
    if (isForNow(problem)) throw problem
    if (problem) return null
    const page = await bodyOf(response)
    items.push(...page[name])
    if (page.next === null) break
    cursor = `&cursor=${encodeURIComponent(page.next)}`
  }
  return items
}
