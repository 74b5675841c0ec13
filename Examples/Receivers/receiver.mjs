// A receiver of webhooks in JavaScript, with nothing but Node: `WEBHOOK_SECRET=whsec_… node receiver.mjs`.
import { createHmac, timingSafeEqual } from "node:crypto"
import { createServer } from "node:http"
import { unescape } from "node:querystring"

const key = Buffer.from(process.env.WEBHOOK_SECRET.replace(/^whsec_/, ""), "base64")
// More than any delivery of a hub that takes bodies of a mebibyte, as it does unless told otherwise: in JSON a byte may be six.
const mostBytes = 1 << 23
// A delivery may come twice, with the same id. What must not happen twice keeps the ids where it keeps its results.
const seen = new Set()

/** Whether one of the signatures is ours, and made within the last five minutes (Standard Webhooks). */
function isGenuine(headers, body) {
  const { "webhook-id": id = "", "webhook-timestamp": time = "", "webhook-signature": signatures = "" } = headers
  if (!(Math.abs(Date.now() / 1000 - Number(time)) <= 300)) return false
  const expected = createHmac("sha256", key).update(`${id}.${time}.`).update(body).digest()
  // Two while the secret is being changed.
  return signatures.split(" ").some((signature) => {
    const given = Buffer.from(signature.replace(/^v1,/, ""), "base64")
    return signature.startsWith("v1,") && given.length === expected.length && timingSafeEqual(given, expected)
  })
}

/** The body, as long as it was said to be; null if that is too long, or was not said. Fails if the sender goes away. */
async function bodyOf(request) {
  const length = Number(request.headers["content-length"] ?? Infinity)
  if (length > mostBytes) return null
  const body = Buffer.alloc(length)
  let end = 0
  for await (const piece of request) end += piece.copy(body, end)
  return body
}

/** A field's text: the hub sends UTF-8, and Node reads each byte as a character of Latin-1. */
const asSent = (value = "-") => Buffer.from(value, "latin1").toString("utf8")

createServer(async (request, response) => {
  let body
  try {
    body = await bodyOf(request)
  } catch {
    // Nobody waits for an answer any more. Uncaught it would end the program.
    return
  }
  // What is left of it is read and dropped, for five minutes at most (`requestTimeout`).
  if (body === null) return response.writeHead(413).end()
  if (!isGenuine(request.headers, body)) return response.writeHead(401).end()
  const id = request.headers["webhook-id"]
  if (!seen.has(id)) {
    seen.add(id)
    // Percent signs and control characters of a type are percent-encoded. Unlike decodeURIComponent, this never throws.
    const type = unescape(asSent(request.headers["event-type"]))
    console.log(asSent(request.headers["clarion-topic"]), type, body.toString())
  }
  // Any 2xx means "got it", 410 "no more of this"; after anything else the hub tries again.
  response.writeHead(204).end()
}).listen(Number(process.env.PORT ?? 9000), "127.0.0.1")
