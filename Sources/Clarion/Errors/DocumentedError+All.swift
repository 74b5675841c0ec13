extension DocumentedError {
    /// Every code that a client can meet, by status. `docs/errors.md` and `GET /errors` are made of it.
    static let all: [DocumentedError] = [
        DocumentedError("target-invalid", "400", "Percent-encode the path and query as UTF-8."),
        DocumentedError(
            "request-malformed",
            "400",
            """
            Write the head as RFC 9112 has it: one blank between the parts of the request line, names that \
            are tokens, no blank before a colon, no folded lines, CRLF at each end, no NUL, one `Content-Type`. Others could \
            read such a head otherwise, so it is not carried out.
            """
        ),
        DocumentedError(
            "framing-invalid",
            "400",
            """
            Send one `Content-Length` of digits alone, or chunks with CRLF, not both; chunks only in \
            HTTP/1.1.
            """
        ),
        DocumentedError(
            "host-invalid",
            "400",
            "Send one `Host`: a name or an address, with or without a port."
        ),
        DocumentedError(
            "client-gone",
            "400",
            "A client of HTTP/1.0 closed its half of the connection while a long answer was being looked for."
        ),
        DocumentedError(
            "topic-invalid",
            "400",
            "A topic has 1 to 255 bytes of UTF-8 without control characters, white space or `*`, and is neither `.` nor `..`."
        ),
        DocumentedError("pattern-invalid", "400", "`*` is a whole segment; `**` only the last one."),
        DocumentedError("event-type-invalid", "400", "1 to 128 characters in UTF-8, no line break, no NUL."),
        DocumentedError(
            "parameter-invalid",
            "400",
            "`parameter` names it, `detail` says what it may be. Most may stand in a query once only."
        ),
        DocumentedError(
            "parameter-unknown",
            "400",
            """
            A typo, most likely: `detail` names the nearest known parameter and lists those of the route. Names \
            that begin with `_` are ignored everywhere.
            """
        ),
        DocumentedError("idempotency-key-invalid", "400", "1 to 255 printable ASCII characters."),
        DocumentedError(
            "cloudevent-invalid",
            "400",
            """
            `parameter` (a header) or `pointer` names the attribute, `detail` says what it may be. Values of \
            `ce-` headers are percent-encoded, the percent signs in URIs too.
            """
        ),
        DocumentedError(
            "body-invalid",
            "400",
            """
            Send JSON of the form that the route takes; what is refused of valid JSON: see \
            [http-api.md](http-api.md#json). Of several lines, `detail` has the number of the one to blame.
            """
        ),
        DocumentedError(
            "since-invalid",
            "400",
            """
            `latest`, `earliest`, `last`, an RFC 3339 time, or a duration such as `10m`: see \
            [http-api.md](http-api.md#since). To deliver again: `earliest`, a time, a duration, or the id of an \
            event of this log.
            """
        ),
        DocumentedError("member-invalid", "400", "`pointer` names the member, `detail` says what it may be."),
        DocumentedError(
            "member-unknown",
            "400",
            "A typo, most likely: `detail` names the nearest known member and lists all."
        ),
        DocumentedError("observer-id-invalid", "400", "1 to 64 characters of `A-Z a-z 0-9 _ -`."),
        DocumentedError(
            "url-invalid",
            "400",
            """
            An absolute `http` or `https` URL without user information, whose host is a domain name of at most \
            253 bytes or an address, and whose port is none that browsers refuse, such as 25 or 6000.
            """
        ),
        DocumentedError(
            "secret-invalid",
            "400",
            """
            `whsec_` and the base64 of 24 to 64 bytes; with `"signature": "ed25519"`, `whsk_` and the base64 of \
            the 32 bytes of a private key. Or leave it out.
            """
        ),
        DocumentedError(
            "header-invalid",
            "400",
            """
            A token as name, visible ASCII as value, not one of the [reserved names](http-api.md#observers), and \
            no name twice, in whatever case.
            """
        ),
        DocumentedError(
            "credential-ambiguous",
            "400",
            """
            Show one credential: in `Authorization: Bearer`, in the cookie `clarion_token`, or in the query parameter \
            `access_token`.
            """
        ),
        DocumentedError(
            "credential-required",
            "401",
            "Show an API key or a token: `Authorization: Bearer …`, or `?access_token=…` where no field can be set."
        ),
        DocumentedError(
            "credential-invalid",
            "401",
            """
            `detail` says what is wrong with a token; of a key only that it is unknown: it may have been removed from the \
            credentials file, or have expired. `clarion token inspect` tells what is in a token.
            """
        ),
        DocumentedError(
            "right-missing",
            "403",
            """
            The credential is good, but lacks `right` on `topic`, or on any topic where none is named. Have its entry in \
            the credentials file, or its token's claim `clarion`, changed.
            """
        ),
        DocumentedError(
            "origin-refused",
            "403",
            """
            A web page of another origin may not change anything, take the name of a stream (`observer=`), nor show a \
            credential as `access_token`, unless its origin is allowed (`--allow-origin`); or call the hub from your \
            server, or serve the page from the hub. `parameter` is the field that says so: `Origin` or `Sec-Fetch-Site`.
            """
        ),
        DocumentedError(
            "host-unknown",
            "421",
            """
            The hub does not answer to the name in `Host`: a page of that name would be same-origin with it. Ask for \
            `localhost` or `127.0.0.1`; a hub that is known by another name is started with `--allow-host NAME`, or \
            with `--public-url`.
            """
        ),
        DocumentedError(
            "topic-reserved",
            "403",
            "Topics that begin with `clarion.` are the hub's own: choose another name."
        ),
        DocumentedError("route-unknown", "404", "Nothing is served at this path. `/docs` lists the routes."),
        DocumentedError("value-absent", "404", "The topic has no event, or none any more."),
        DocumentedError("event-unknown", "404", "The topic, or the log, never had that event, or no longer has it."),
        DocumentedError(
            "topic-unknown",
            "404",
            "The topic has neither events nor settings; it has them with the next post."
        ),
        DocumentedError("observer-unknown", "404", "It is gone."),
        DocumentedError(
            "delivery-unknown",
            "404",
            """
            The event was never for this observer, or what became of it is kept no longer: see \
            [http-api.md](http-api.md#deliveries).
            """
        ),
        DocumentedError("method-not-allowed", "405", "`Allow` lists what the path takes."),
        DocumentedError(
            "not-acceptable",
            "406",
            "Accept `text/event-stream`, `application/json` or `application/x-ndjson`."
        ),
        DocumentedError(
            "observer-kind",
            "409",
            "An observer of another kind has the id: choose another. Only webhooks have deliveries."
        ),
        DocumentedError(
            "observer-disabled",
            "409",
            """
            Enable it first: `PATCH /observers/{id}` with `{"enabled": true}`, or with its new `url`.
            """
        ),
        DocumentedError(
            "observer-unreadable",
            "409",
            "What is stored of the webhook is damaged, or of another version: `PUT` it anew, or `DELETE` it."
        ),
        DocumentedError("observer-changed", "412", "Read the observer again and repeat with its new `ETag`."),
        DocumentedError(
            "precondition-failed",
            "412",
            """
            The condition in `parameter` does not hold of this resource: see \
            [http-api.md](http-api.md#conditions).
            """
        ),
        DocumentedError(
            "value-changed",
            "412",
            """
            Read the value again and repeat with its new `ETag`; nothing was stored. `parameter` is the \
            condition that did not hold.
            """
        ),
        DocumentedError(
            "body-too-large",
            "413",
            """
            Post less, or run the hub with a larger `--max-body`. JSON that registers, sets or redelivers something has at \
            most 256 KiB.
            """
        ),
        DocumentedError("batch-too-large", "413", "At most 10,000 events in one post; nothing of it was stored."),
        DocumentedError(
            "target-too-long",
            "414",
            "Name fewer topics in one request, or raise `--connection-memory`."
        ),
        DocumentedError(
            "media-type-unsupported",
            "415",
            """
            `detail` says what the route takes: observers as JSON, CloudEvents as JSON, one event as a value, and no body with a coding.
            """
        ),
        DocumentedError(
            "idempotency-conflict",
            "422",
            """
            The key stands for another post on this topic, of the last 24 hours. Use a new key for a new post. \
            `parameter` is the key's place; of a CloudEvent whose source and id are its key, `pointer` is the \
            event's.
            """
        ),
        DocumentedError(
            "handshake-failed",
            "422",
            """
            The endpoint was asked and did not consent. `detail` has the class of the failure, as attempts have \
            it, or `not-allowed`: then answer `OPTIONS` with the `WebHook-Request-Origin` of the request, or \
            `*`, in `WebHook-Allowed-Origin`.
            """
        ),
        DocumentedError(
            "info-mismatch",
            "422",
            """
            The topic is bound to a notification: send JSON of what that carries. `pointer` names the place, \
            `detail` says what was expected and found there.
            """
        ),
        DocumentedError(
            "rate-limited",
            "429",
            """
            Wait for `Retry-After`. There were more changes a second than `--rate` allows one client (`RateLimit-Policy` has the \
            quota), or it has as many streams as it may (`--max-streams-per-client`), or 20 credentials from its address \
            were not valid within a minute.
            """
        ),
        DocumentedError(
            "endpoint-busy",
            "429",
            """
            Attempts to try this endpoint out, or to ask for its consent, are under way already: four at a time \
            to one host. Wait until one has ended, after `Retry-After`, and try again.
            """
        ),
        DocumentedError(
            "redelivery-busy",
            "429",
            """
            A `replay` or `recover` of this webhook is under way already, or \(Redeliveries.limitOfCredential) that this \
            credential asked for, or \(Redeliveries.limit) in all. Wait until one has ended, after `Retry-After`, and try again.
            """
        ),
        DocumentedError(
            "headers-too-large",
            "431",
            """
            Send fewer or shorter header fields, or a shorter query, which a page's `Link` repeats; or run the \
            hub with a larger `--connection-memory`.
            """
        ),
        DocumentedError(
            "internal",
            "500, from `/readyz` 503",
            "A fault of the hub: its log has the details under the request's id."
        ),
        DocumentedError("draining", "503", "The hub is shutting down; try again after `Retry-After`."),
        DocumentedError(
            "overloaded",
            "503",
            """
            Try again after `Retry-After`. `detail` says what there is too much of: posts that wait to be written, request \
            bodies on their way or waiting for their answer (`--max-body-memory`), open streams (`--max-streams`), answers that \
            wait for slow readers (`--max-reader-memory`) or that are being made, descriptors in use, or requests whose \
            token cannot be judged before its issuer's keys have been fetched.
            """
        ),
        DocumentedError(
            "log-unavailable",
            "503",
            """
            The servers of the cluster's log cannot be reached, or do not answer. Try again after `Retry-After`, a post \
            with an idempotency key: it may have been stored. Streams stay open and catch up. Of \
            `/readyz` of a hub with a log of its own: the log's file, or its write-ahead log, was removed or replaced while \
            the hub runs, or the log's file emptied. What is posted then is lost when it stops, or if it does not stop in \
            order. Of any request: the write-ahead log was emptied or cut, and nothing is stored until the hub is restarted.
            """
        ),
        DocumentedError("version-unsupported", "505", "Speak HTTP/1.1 or HTTP/1.0."),
        DocumentedError(
            "loop-detected",
            "508",
            """
            A webhook leads back to a hub that the event has come from: it has gone through more than 8 deliveries \
            (`Clarion-Hop`). Or a webhook leads to something else than posting. See [http-api.md](http-api.md#loops).
            """
        ),
        DocumentedError(
            "limit-reached",
            "507",
            """
            There are as many topics, observers or idempotency keys as the hub may have: `detail` says of which. Delete \
            some, or run the hub with a larger `--max-topics`, `--max-observers` or `--max-idempotency-keys`. Or the topics \
            of a webhook were changed very often while it was behind: have it catch up. Or what is posted together is more \
            than the servers of a cluster take in one message (`max_payload`).
            """
        ),
        DocumentedError(
            "storage-full",
            "507, from `/readyz` 503",
            """
            Free space on the log's disk, or in a cluster on its servers, by deleting or bounding topics; nothing of the post \
            was stored.
            """
        ),
    ]
}
