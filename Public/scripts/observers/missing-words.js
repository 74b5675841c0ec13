/**
 * What a list of observers lacks.
 *
 * @param {string[]} unreachable The nodes of a cluster that did not answer when it was gathered.
 * @returns {string[]} A word of each.
 */
export function missingWords(unreachable = []) {
  return unreachable.map((node) => `${node} does not answer: who listens there is missing`)
}
