import { requestJSON } from "../http/request.js"

const pageLength = 1_000
/** Pages that are followed. A hub may have more observers than a browser can show, and each page costs the hub work. */
const mostPages = 5

/**
 * The first observers of a hub, over several pages.
 *
 * @param {Record<string, string>} query Such as `kind`.
 * @returns {Promise<{observers: object[], isCut: boolean, unreachable: string[]}>} `isCut` if there are more.
 */
export async function listObservers(query, signal) {
  const observers = []
  const unreachable = new Set()
  let cursor = null
  for (let pages = 0; pages < mostPages; pages += 1) {
    const parameters = new URLSearchParams({ ...query, limit: pageLength, ...(cursor === null ? {} : { cursor }) })
    const page = await requestJSON(`/observers?${parameters}`, { signal })
    observers.push(...page.observers)
    for (const node of page.unreachable ?? []) unreachable.add(node)
    cursor = page.next
    if (cursor === null) break
  }
  return { observers, isCut: cursor !== null, unreachable: [...unreachable] }
}
