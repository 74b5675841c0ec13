import { credential } from "../http/credential.js"
import { postCommand, subscriptionCommand, textType } from "../http/curl.js"
import { problemMessage } from "../http/problem.js"
import { readRoute, say } from "../navigation/route.js"
import { announce } from "../page/announcer.js"
import { CommandLine } from "../page/command-line.js"
import { soundMark } from "../page/sounding-mark.js"
import { readEvent } from "../stream/hub-event.js"
import { SharedStream } from "../stream/shared-stream.js"
import { Subscription } from "../topics/subscription.js"
import { isTopic } from "../topics/topic-pattern.js"
import { ArrivalRate } from "./arrival-rate.js"
import { EventFilters } from "./event-filters.js"
import { eventsHref, readEventRoute } from "./event-route.js"
import { Selection } from "./selection.js"
import { Timeline } from "./timeline.js"

/** The page of the events: what is listened to, what comes and what was. It listens also while another page is shown. */
export class EventsPage {
  #part
  #pill
  #onOwnID
  #subscription
  #filters
  #timeline
  #rate
  #stream
  #listenCommand
  #firstPostCommand
  /** Whether the list has to be loaded once the stream listens; it goes on by itself after an interruption. */
  #isToLoad = true
  /** The event that an address leads to, until it is shown. */
  #linked = null
  #patterns = []
  #state = null

  /**
   * @param {object} parts
   * @param {(id: string) => HTMLElement} parts.part
   * @param {import("../page/connection-pill.js").ConnectionPill} parts.pill
   * @param {(id: string | null) => void} parts.onOwnID The name of the page's stream, null while it has none.
   */
  constructor({ part, pill, onOwnID }) {
    this.#part = part
    this.#pill = pill
    this.#onOwnID = onOwnID
    this.#rate = new ArrivalRate({ curve: part("rate-curve"), label: part("rate") })
    this.#timeline = new Timeline({
      list: part("event-list"), empty: part("events-empty"), total: part("event-total"), top: part("events-top"),
      newest: part("events-newest"), older: part("events-older"), problem: part("stream-problem"), onShow: soundMark,
      onOpen: (event) => this.#say(event),
    })
    this.#listenCommand = new CommandLine(part("listen-command"))
    this.#firstPostCommand = new CommandLine(part("first-post-command"))
    this.#subscription = new Subscription({
      chips: part("chips"), form: part("subscription-form"), fault: part("subscription-fault"), onChange: () => this.#changed(),
    })
    this.#filters = new EventFilters({
      form: part("event-filters"), suggestions: part("event-types"), types: () => this.#timeline.types, onChange: () => this.#changed(),
    })
    this.#stream = new SharedStream({
      onState: (state) => this.#follow(state), onEvents: (events) => this.#take(events), onMissed: () => this.#timeline.load(),
    })
    this.#connectButtons()
    // A page that the browser keeps for the way back must not keep its connection. What shares that may be frozen before it hears
    // so (WebKit), and is told before the page goes; a page that stays listens again.
    let stay
    addEventListener("beforeunload", () => {
      this.#stream.leave()
      stay = setTimeout(() => this.#listen(), 3_000)
    })
    addEventListener("pagehide", () => {
      clearTimeout(stay)
      this.#stream.leave()
    })
    addEventListener("pageshow", ({ persisted }) => persisted && this.#listen())
    credential.listen({ changed: () => this.#listen() })
  }

  /** Shows what an address says; one that says nothing leaves everything as it is. */
  show(route) {
    const { patterns, types, text, event } = readEventRoute(route)
    if ([...route.query].length === 0) {
      if (this.#state !== null) this.#say(null)
      return
    }
    if (patterns.length > 0) this.#subscription.show(patterns)
    this.#filters.show({ types, text })
    this.#linked = event
    this.#listen()
  }

  /** Listens, whatever page is shown. */
  begin() {
    if (this.#state === null) this.#listen()
  }

  retry() {
    this.#stream.retry()
  }

  #changed() {
    this.#say(null)
    this.#listen()
  }

  #say(event) {
    if (readRoute()?.page !== "events") return
    say(eventsHref({ patterns: this.#subscription.patterns, types: this.#filters.types, text: this.#filters.text, event }))
  }

  /** Opens the stream of the chosen patterns in place of the one before. */
  #listen() {
    const { patterns } = this.#subscription
    this.#patterns = patterns
    this.#part("stream-problem").replaceChildren()
    this.#timeline.select(new Selection({ patterns, types: this.#filters.types, text: this.#filters.text }))
    this.#renderTeaching(patterns)
    this.#isToLoad = true
    if (patterns.length > 0) {
      this.#stream.listen(patterns)
      return
    }
    this.#stream.leave()
    this.#pill.state = { name: "closed" }
  }

  async #follow(state) {
    const { name, problem } = state
    const isLoading = name === "live" && this.#isToLoad
    this.#part("stream-problem").replaceChildren(...(problem ? [problemMessage(problem)] : []))
    this.#explain(name === "refused" ? "refused" : isLoading || this.#isToLoad ? "loading" : "true")
    this.#onOwnID(name === "live" ? state.observerID : null)
    if (name === "ended" || name === "refused") this.#isToLoad = true
    this.#state = state
    if (isLoading) {
      this.#isToLoad = false
      const linked = this.#linked
      this.#linked = null
      await this.#timeline.load(linked)
      if (this.#state !== state) return
      this.#explain("true")
    }
    this.#pill.state = state
  }

  /** Says why there are no events while there are none. */
  #explain(reason) {
    const isFiltered = reason === "true" && (this.#filters.types || this.#filters.text)
    this.#part("events-empty").dataset.listening = isFiltered ? "filtered" : reason
  }

  #take(events) {
    const onlyTopic = this.#patterns.length === 1 && isTopic(this.#patterns[0]) ? this.#patterns[0] : null
    for (const item of events) {
      if (item.isGap) {
        this.#timeline.addNotice("Some events are gone.", gapReason(item.data))
      } else {
        this.#rate.add()
        this.#timeline.add(readEvent(item, onlyTopic))
      }
    }
  }

  #renderTeaching(patterns) {
    const isListening = patterns.length > 0
    this.#part("events-empty").dataset.listening = isListening ? "loading" : "false"
    this.#part("listen-command").hidden = !isListening
    if (isListening) this.#listenCommand.text = subscriptionCommand(patterns)
    const topic = patterns.find(isTopic) ?? (patterns.includes("**") ? null : example(patterns[0])) ?? "greetings"
    this.#firstPostCommand.text = postCommand({ topic, type: "", contentType: textType, body: "hello" })
  }

  #connectButtons() {
    const pause = this.#part("pause")
    pause.addEventListener("click", () => {
      const isPaused = this.#timeline.isPaused = this.#pill.isPaused = !this.#timeline.isPaused
      pause.setAttribute("aria-pressed", String(isPaused))
      pause.querySelector(".label").textContent = isPaused ? "Resume" : "Pause"
    })
    this.#part("clear").addEventListener("click", () => {
      this.#timeline.clear()
      announce("Cleared")
    })
  }
}

/** A topic that a pattern matches, to be posted to. */
const example = (pattern) => pattern?.replaceAll("**", "first").replaceAll("*", "created")

function gapReason(data) {
  return data.includes("retention")
    ? "The hub no longer keeps everything that was posted while this page was away."
    : "The hub does not know the last event this page saw; it may have started a new log."
}
