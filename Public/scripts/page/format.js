const clock = new Intl.DateTimeFormat(undefined, {
  hour: "2-digit", minute: "2-digit", second: "2-digit", fractionalSecondDigits: 3, hourCycle: "h23",
})
const numbers = new Intl.NumberFormat("en")

/** Local time of day with milliseconds. */
export const timeOfDay = (milliseconds) => clock.format(milliseconds)

export const count = (number) => numbers.format(number)

/** `1 stream`, `2 streams`. */
export const counted = (number, noun) => `${count(number)} ${noun}${number === 1 ? "" : "s"}`

/** @param {number} bytes */
export function byteCount(bytes) {
  if (bytes < 1_000) return `${bytes} B`
  if (bytes < 1_000_000) return `${(bytes / 1_000).toFixed(1)} kB`
  return `${(bytes / 1_000_000).toFixed(1)} MB`
}

/**
 * How long ago a time was, in one unit.
 *
 * @param {string} time RFC 3339.
 */
export function age(time, now = Date.now()) {
  // The hub's clock may be ahead of the browser's; nothing is younger than now.
  const seconds = Math.max(0, Math.floor((now - Date.parse(time)) / 1_000))
  if (seconds < 60) return `${seconds} s`
  if (seconds < 3_600) return `${Math.floor(seconds / 60)} min`
  if (seconds < 86_400) return `${Math.floor(seconds / 3_600)} h`
  return counted(Math.floor(seconds / 86_400), "day")
}
