// Prints what the EventSource of Node hears: node --experimental-eventsource event_source.mjs URL [TYPE …]
// One line of JSON for each event, and one for each `open`.

const [url, ...types] = process.argv.slice(2)
const source = new EventSource(url)
const tell = (what) => process.stdout.write(JSON.stringify(what) + "\n")
const hear = (event) => tell({ id: event.lastEventId, type: event.type, data: event.data })

source.onopen = () => tell({ open: true })
for (const type of ["message", ...types]) source.addEventListener(type, hear)
// While it waits to connect again Node would end.
setInterval(() => {}, 60_000)
