const longest = 255

/**
 * Says what is wrong with a topic or a pattern, in words for its author.
 *
 * @param {string} text
 * @returns {string | null} Null if it can be listened to.
 */
export function patternFault(text) {
  if (text === "") return "Name a topic or a pattern."
  if (/[\s\p{Cc}]/u.test(text)) return "A topic has no spaces."
  if (text === "." || text === "..") return "“.” and “..” cannot be topics."
  if (new TextEncoder().encode(text).length > longest) return `A topic is at most ${longest} bytes long.`
  const segments = text.split(".")
  for (const [index, segment] of segments.entries()) {
    if (!segment.includes("*") || segment === "*") continue
    if (segment !== "**") return "A “*” stands for a whole segment: orders.*, not orders*."
    if (index < segments.length - 1) return "“**” can only be the last segment."
  }
  return null
}

/** The topics and patterns that somebody has written side by side. A comma may be part of one, unless a blank follows it. */
export const topicsIn = (text) => text.split(/,?\s+/).filter(Boolean)

/** Whether a pattern stands for one topic only. */
export const isTopic = (pattern) => !pattern.includes("*")

/** Whether a pattern, or a topic taken as one, stands for a topic. */
export function matches(pattern, topic) {
  if (pattern === "**" || pattern === topic) return true
  const wanted = pattern.split(".")
  const segments = topic.split(".")
  const isOpen = wanted.at(-1) === "**"
  if (isOpen ? segments.length < wanted.length : segments.length !== wanted.length) return false
  return wanted.every((segment, index) => segment === "*" || (isOpen && index === wanted.length - 1) || segment === segments[index])
}
