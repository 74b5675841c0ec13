import { hubNow } from "../http/hub-clock.js"

const clock = new Intl.DateTimeFormat(undefined, {
  hour: "2-digit", minute: "2-digit", second: "2-digit", fractionalSecondDigits: 3, hourCycle: "h23",
})
const day = new Intl.DateTimeFormat("en", { day: "numeric", month: "short" })
const numbers = new Intl.NumberFormat("en")

/** Local time of day with milliseconds. */
export const timeOfDay = (milliseconds) => clock.format(milliseconds)

/** Local time: of day if it was today, with the day if not. */
export function moment(milliseconds) {
  const isToday = new Date(milliseconds).toDateString() === new Date().toDateString()
  return isToday ? timeOfDay(milliseconds) : `${day.format(milliseconds)}, ${timeOfDay(milliseconds).slice(0, 5)}`
}

export const count = (number) => numbers.format(number)

/** `1 stream`, `2 streams`. */
export const counted = (number, noun) => `${count(number)} ${noun}${number === 1 ? "" : "s"}`

/** @param {number} bytes */
export function byteCount(bytes) {
  if (bytes < 1_000) return `${bytes} B`
  if (bytes < 1_000_000) return `${(bytes / 1_000).toFixed(1)} kB`
  if (bytes < 1_000_000_000) return `${(bytes / 1_000_000).toFixed(1)} MB`
  return `${(bytes / 1_000_000_000).toFixed(1)} GB`
}

/**
 * How long ago a time was, in one unit.
 *
 * @param {string} time RFC 3339.
 */
export function age(time, now = hubNow()) {
  // What is known of the hub's clock is not exact; nothing is younger than now.
  const seconds = Math.max(0, Math.floor((now - Date.parse(time)) / 1_000))
  if (seconds < 60) return `${seconds} s`
  if (seconds < 3_600) return `${Math.floor(seconds / 60)} min`
  if (seconds < 86_400) return `${Math.floor(seconds / 3_600)} h`
  return counted(Math.floor(seconds / 86_400), "day")
}

/** A length of time, in the unit that suits it. */
export function duration(milliseconds) {
  if (milliseconds === 0) return "0 ms"
  if (milliseconds < 1) return "under 1 ms"
  if (milliseconds < 1_000) return `${Math.round(milliseconds)} ms`
  if (milliseconds < 60_000) return `${Number((milliseconds / 1_000).toFixed(milliseconds < 10_000 ? 1 : 0))} s`
  if (milliseconds < 3_600_000) return `${Math.round(milliseconds / 60_000)} min`
  if (milliseconds < 86_400_000) return `${Math.round(milliseconds / 3_600_000)} h`
  return counted(Math.round(milliseconds / 86_400_000), "day")
}
