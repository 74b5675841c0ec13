/** A new name for a stream. The hub remembers one that was unregistered, and turns it away for a day. */
export function newStreamName() {
  const bytes = crypto.getRandomValues(new Uint8Array(5))
  return `console-${Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join("")}`
}
