import { EventsPage } from "./events/events-page.js"
import { healthPage } from "./health/health-page.js"
import { Pages } from "./navigation/pages.js"
import { ObserverList } from "./observers/observer-list.js"
import { observersPage } from "./observers/observers-page.js"
import { ConnectionPill } from "./page/connection-pill.js"
import { ignoreHeldEnter } from "./page/held-enter.js"
import { TokenForm } from "./page/token-form.js"
import { chooseViews } from "./page/views.js"
import { PostForm } from "./post/post-form.js"
import { topicPage } from "./topics/topic-page.js"
import { topicsPage } from "./topics/topics-page.js"
import { WebhookForm } from "./webhooks/webhook-form.js"
import { webhookPage } from "./webhooks/webhook-page.js"
import { webhooksPage } from "./webhooks/webhooks-page.js"

// Composes the page: finds the parts of the document, hands each to the module that runs it, and connects them.

const part = (id) => document.getElementById(id)

const observers = new ObserverList({
  list: part("observer-list"), summary: part("observer-summary"), message: part("observer-message"),
})
const pill = new ConnectionPill({ pill: part("connection"), button: part("connection-retry"), onRetry: () => events.retry() })
/** The name of this page's own stream. */
let ownID = null
const events = new EventsPage({ part, pill, onOwnID: (id) => {
  ownID = observers.ownID = id
} })
new TokenForm({
  form: part("token-form"), problem: part("token-problem"), dismissal: part("token-dismissal"), forgetting: part("forget-token"),
})
new PostForm({ form: part("post-form"), result: part("post-result"), hint: part("post-hint"), command: part("post-command") })
new WebhookForm({ form: part("webhook-form"), result: part("webhook-result"), onRegister: () => observers.refresh() })
ignoreHeldEnter()
chooseViews(document.querySelectorAll("[data-shows]"), part("console"))

part("host").textContent = location.host
if (/Mac|iPhone|iPad/.test(navigator.platform)) part("send-keys").textContent = "⌘ + Return"
part("skip").addEventListener("click", (event) => {
  // The address says where in the console one is, and is to go on saying so.
  event.preventDefault()
  const place = [part("events"), part("page")].find((one) => one.checkVisibility())
  place.focus()
})

new Pages({
  events: part("console"), place: part("page"), links: document.querySelectorAll("[data-page]"), makers: {
    "topics": topicsPage, "topics/": topicPage, "webhooks": webhooksPage, "webhooks/": webhookPage,
    "observers": () => observersPage(() => ownID), "health": healthPage,
  },
  onEvents: (route) => events.show(route),
}).show()
events.begin()
