import { StreamShare } from "./stream-share.js"

// The `SharedWorker` of all tabs.
const share = new StreamShare()
addEventListener("connect", ({ ports: [port] }) => share.attach(port))
