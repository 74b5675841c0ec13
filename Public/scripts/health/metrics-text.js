/**
 * Reads the text format of Prometheus (0.0.4).
 *
 * @param {string} text
 * @returns {Map<string, {labels: Record<string, string>, value: number}[]>} The samples by the name of their metric.
 */
export function readMetrics(text) {
  const metrics = new Map()
  for (const line of text.split("\n")) {
    const match = /^([a-zA-Z_:][a-zA-Z0-9_:]*)(?:\{(.*)\})?\s+(\S+)/.exec(line)
    if (line.startsWith("#") || !match) continue
    const [, name, labelText = "", valueText] = match
    const labels = {}
    for (const [, key, value] of labelText.matchAll(/([a-zA-Z_][a-zA-Z0-9_]*)="((?:[^"\\]|\\.)*)"/g)) labels[key] = value
    const value = Number(valueText.replace("Inf", "Infinity"))
    if (!metrics.has(name)) metrics.set(name, [])
    metrics.get(name).push({ labels, value })
  }
  return metrics
}

/** The sum of a metric over its labels, or over those that pass; null where there is none. */
export function total(metrics, name, passes = () => true) {
  const samples = metrics.get(name)?.filter(({ labels }) => passes(labels))
  return samples?.length ? samples.reduce((sum, { value }) => sum + value, 0) : metrics.has(name) ? 0 : null
}

/** The buckets of a histogram, cumulative over all labels but `le`, as pairs of the upper bound and the count. */
export function buckets(metrics, name) {
  const sums = new Map()
  for (const { labels, value } of metrics.get(`${name}_bucket`) ?? []) {
    const bound = Number(labels.le.replace("+Inf", "Infinity"))
    sums.set(bound, (sums.get(bound) ?? 0) + value)
  }
  return [...sums].sort(([a], [b]) => a - b)
}

/**
 * The quantile of what was counted between two readings of a histogram: the upper bound of the bucket in which it lies.
 *
 * @returns {number | null} In the histogram's unit; null if nothing was counted, the last finite bound if it lies beyond.
 */
export function quantile(before, now, part) {
  const former = new Map(before)
  const counts = now.map(([bound, value]) => [bound, value - (former.get(bound) ?? 0)])
  const all = counts.at(-1)?.[1] ?? 0
  if (!(all > 0)) return null
  const [bound] = counts.find(([, value]) => value >= part * all)
  return bound === Infinity ? counts.at(-2)?.[0] ?? null : bound
}
