/** Milliseconds by which the hub's clock is ahead of the browser's, which may be wrong by hours. */
let ahead = 0

/**
 * Reads the hub's clock off an answer.
 *
 * @param {Response} response
 * @param {number} askedAt By the browser's clock.
 */
export function readClock(response, askedAt) {
  const told = Date.parse(response.headers.get("Date"))
  if (Number.isNaN(told)) return
  const now = Date.now()
  // The header has whole seconds. Where the hub answered between the question and now, by both clocks, they agree.
  ahead = told > askedAt - 1_000 && told <= now ? 0 : told - now
}

/** The time by the hub's clock, by which everything is that it tells. */
export const hubNow = () => Date.now() + ahead
