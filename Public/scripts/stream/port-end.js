/**
 * Has both ends of a port hear when the other is gone, also by a crash, of which the port itself says nothing: each holds a lock
 * for as long as it is there, and waits for the other's. Where there are no locks (a page over plain HTTP) none hears of it.
 *
 * @param {MessagePort} port The other end does the same with its own.
 * @param {() => void} ended
 */
export function hearOfEnd(port, ended) {
  if (!navigator.locks) return
  const held = `clarion ${crypto.randomUUID()}`
  navigator.locks.request(held, () => {
    port.postMessage({ kind: "here", held })
    return new Promise(() => {})
  })
  port.addEventListener("message", ({ data: message }) => {
    if (message.kind === "here") navigator.locks.request(message.held, ended)
  })
}
