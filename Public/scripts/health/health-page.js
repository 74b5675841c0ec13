import { element, setText } from "../page/element.js"
import { age, byteCount, count, duration } from "../page/format.js"
import { tile } from "../page/panel.js"
import { StateMark } from "../webhooks/state-mark.js"
import { HealthCharts } from "./health-charts.js"
import { sampler } from "./sampler.js"

/** How the hub does, and how it did in the last hour. */
export function healthPage() {
  const mark = new StateMark()
  const words = element("p", { class: "state-words", role: "status" })
  const source = element("p", { class: "hint" })
  const tiles = ["Running for", "Streams", "Webhook events pending", "Dead letters", "Log", "Files open"].map(tile)
  const charts = new HealthCharts()
  const stop = sampler.watch(render)
  render()

  function render() {
    const reading = sampler.readings.at(-1)
    mark.show(state())
    setText(words, stateWords())
    setText(source, sourceWords())
    charts.show(sampler.readings)
    if (!reading) return
    const [running, streams, pending, dead, log, files] = tiles
    running.hidden = reading.started === null
    files.hidden = reading.files === null
    if (reading.started !== null) setText(running.value, age(new Date(reading.started * 1_000).toISOString()))
    setText(streams.value, shown(reading.streams, count))
    setText(streams.note, reading.behind ? `${count(reading.behind)} behind` : "")
    setText(pending.value, shown(reading.pending, count))
    setText(dead.value, shown(reading.dead, count))
    setText(log.value, shown(reading.logBytes, byteCount))
    setText(log.note, reading.logEvents === null ? "" : `${count(reading.logEvents)} events`)
    setText(files.value, shown(reading.files, count))
    setText(files.note, reading.mostFiles === null ? "" : `of ${count(reading.mostFiles)}`)
  }

  return {
    title: "Health",
    element: element("div", { class: "page-body" },
      element("header", { class: "page-head" }, element("div", { class: "title-row" }, element("h2", {}, "Health"), mark.element), words, source),
      element("dl", { class: "tiles" }, ...tiles), charts.element),
    close: stop,
  }
}

const shown = (value, format) => (value === null ? "–" : format(value))

function state() {
  if (sampler.isSilent) return { name: "No answer", tone: "bad" }
  if (sampler.unready) return { name: "Not ready", tone: "bad" }
  const isKnown = sampler.readings.length > 0 || sampler.failure
  return isKnown ? { name: "Ready", tone: "good" } : { name: "Asking", tone: "quiet" }
}

function stateWords() {
  if (sampler.isSilent) return "The hub does not answer."
  if (!sampler.unready) return "The hub is alive and takes posts."
  const { code, title, detail } = sampler.unready
  return code === "storage-full" ? `The disk is full: ${detail}` : `The hub takes no posts: ${[title, detail].filter(Boolean).join(": ")}`
}

function sourceWords() {
  const since = watchedWords(sampler.readings)
  const { failure } = sampler
  if (failure) return `No new numbers: ${[failure.title, failure.detail].filter(Boolean).join(": ")}`
  if (sampler.source === "metrics") return `Drawn from /metrics.${since}`
  if (sampler.source === null) return ""
  const status = sampler.problem?.status
  const why = status === 404 ? "This hub has no /metrics" : status === 401 || status === 403 ? "/metrics needs the right “manage” on **" : `/metrics was answered ${status}`
  return `${why}: this is added up from the lists of topics and observers, while this page is open. Of the disk only the data is known.${since}`
}

/** Within the first second there is no time to be told: what is watched begins. */
function watchedWords([first]) {
  if (!first) return ""
  const time = Date.now() - first.at
  return time < 1_000 ? " Watched from now on, an hour at most." : ` Watched for ${duration(time)}, an hour at most.`
}
