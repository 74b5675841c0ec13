import { ArrivalRate } from "./events/arrival-rate.js"
import { EventList } from "./events/event-list.js"
import { credential } from "./http/credential.js"
import { postCommand, streamPath, subscriptionCommand } from "./http/curl.js"
import { ObserverList } from "./observers/observer-list.js"
import { WebhookForm } from "./observers/webhook-form.js"
import { CommandLine } from "./page/command-line.js"
import { ConnectionPill } from "./page/connection-pill.js"
import { problemMessage } from "./http/problem.js"
import { announce } from "./page/announcer.js"
import { soundMark } from "./page/sounding-mark.js"
import { TokenForm } from "./page/token-form.js"
import { chooseViews } from "./page/views.js"
import { PostForm } from "./post/post-form.js"
import { EventStream } from "./stream/event-stream.js"
import { isTopic } from "./topics/topic-pattern.js"
import { Subscription } from "./topics/subscription.js"

// Composes the page: finds the parts of the document, hands each to the module that runs it, and connects them.

const part = (id) => document.getElementById(id)

const rate = new ArrivalRate({ curve: part("rate-curve"), label: part("rate") })
const events = new EventList({
  list: part("event-list"), empty: part("events-empty"), total: part("event-total"), top: part("events-top"),
  newest: part("events-newest"), onShow: soundMark,
})
const observers = new ObserverList({
  list: part("observer-list"), summary: part("observer-summary"), message: part("observer-message"),
})
const pill = new ConnectionPill({ pill: part("connection"), button: part("connection-retry"), onRetry: retry })
const listenCommand = new CommandLine(part("listen-command"))
const firstPostCommand = new CommandLine(part("first-post-command"))
const subscription = new Subscription({
  chips: part("chips"), form: part("subscription-form"), fault: part("subscription-fault"), onChange: listen,
})
new TokenForm({
  form: part("token-form"), problem: part("token-problem"), dismissal: part("token-dismissal"), forgetting: part("forget-token"),
})
new PostForm({ form: part("post-form"), result: part("post-result"), hint: part("post-hint"), command: part("post-command") })
new WebhookForm({ form: part("webhook-form"), result: part("webhook-result"), onRegister: () => observers.refresh() })
chooseViews(document.querySelectorAll("[data-shows]"), part("console"))

let stream = null
let streamName = newStreamName()

/** Opens the stream of the chosen patterns in place of the one before, from now on or after a given event. */
function listen(patterns, lastEventID = "") {
  stream?.close()
  stream = null
  part("stream-problem").replaceChildren()
  renderTeaching(patterns)
  if (patterns.length === 0) {
    pill.state = { name: "closed" }
    return
  }
  const onlyTopic = patterns.length === 1 && isTopic(patterns[0]) ? patterns[0] : null
  // Named, so that a stream opened anew replaces the one before at once and leaves no ghost among the observers.
  const path = streamPath(patterns, { envelope: "cloudevents", observer: streamName })
  let followsBase64Comment = false
  stream = new EventStream(path, {
    onState(state) {
      pill.state = state
      part("stream-problem").replaceChildren(...(state.problem ? [problemMessage(state.problem)] : []))
      part("events-empty").dataset.listening = state.name === "refused" ? "refused" : "true"
      if (state.name === "live") observers.ownID = state.observerID ?? streamName
      else observers.refresh()
    },
    onItems(items) {
      const arrivedAt = Date.now()
      for (const item of items) {
        if (item.kind === "comment" && item.text === "base64") followsBase64Comment = true
        if (item.kind !== "event") continue
        if (item.type === "gap" && !item.hasOwnID) {
          events.addNotice("Some events are gone.", gapReason(item.data))
        } else {
          rate.add()
          events.add({ ...item, isBase64: followsBase64Comment, arrivedAt }, onlyTopic)
        }
        followsBase64Comment = false
      }
    },
  }, lastEventID)
}

// A page that the browser keeps for the way back must not keep its connection: a browser has six for each host.
addEventListener("pagehide", () => stream?.close())
addEventListener("pageshow", ({ persisted }) => {
  if (persisted) listen(subscription.patterns, stream?.lastEventID)
})

credential.listen({
  changed() {
    // The name of a stream is that credential's by which it was opened.
    streamName = newStreamName()
    listen(subscription.patterns, stream?.lastEventID)
  },
})

function retry() {
  if (part("connection").dataset.state === "reconnecting") {
    stream.retryNow()
    return
  }
  // The hub remembers an unregistered name and would turn it away for a day.
  streamName = newStreamName()
  listen(subscription.patterns)
}

function newStreamName() {
  const bytes = crypto.getRandomValues(new Uint8Array(5))
  return `console-${Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join("")}`
}

function gapReason(data) {
  return data.includes("retention")
    ? "The hub no longer keeps everything that was posted while this page was away."
    : "The hub does not know the last event this page saw; it may have started a new log."
}

function renderTeaching(patterns) {
  const isListening = patterns.length > 0
  part("events-empty").dataset.listening = String(isListening)
  part("listen-command").hidden = !isListening
  if (isListening) listenCommand.text = subscriptionCommand(patterns)
  const topic = patterns.find(isTopic) ?? (patterns.includes("**") ? null : example(patterns[0])) ?? "greetings"
  firstPostCommand.text = postCommand({ topic, type: "", contentType: "text/plain", body: "hello" })
}

/** A topic that a pattern matches, to be posted to. */
function example(pattern) {
  return pattern?.replaceAll("**", "first").replaceAll("*", "created")
}

const pauseButton = part("pause")
pauseButton.addEventListener("click", () => {
  events.isPaused = pill.isPaused = !events.isPaused
  pauseButton.setAttribute("aria-pressed", String(events.isPaused))
  pauseButton.querySelector(".label").textContent = events.isPaused ? "Resume" : "Pause"
})
part("clear").addEventListener("click", () => {
  events.clear()
  announce("Cleared")
})
part("host").textContent = location.host
if (/Mac|iPhone|iPad/.test(navigator.platform)) part("send-keys").textContent = "⌘ + Return"

listen(subscription.patterns)
