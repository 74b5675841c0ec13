import Prometheus

/// Every metric of a hub: the table of docs/operating.md. None is labelled by what clients choose.
enum Metric {
    static let all = [
        buildInfo, posts, postDuration, commitDuration, commitEvents, eventBytes, streams, maximumStreams,
        streamsBehind, streamsOpened, streamsClosed, deliveries, outboxBytes, gaps, webhookAttempts,
        webhookAttemptDuration, webhookDelay, webhookPending, webhookDead, webhookInFlight, observers, topics,
        logEvents, logBytes, logQueueBytes, requests, requestDuration, requestBodyBytes, refused,
    ]

    /// What a node of a cluster has beside.
    static let ofNodes = [
        clusterConnected, clusterLag, clusterLeases, clusterNodes, clusterCommands, clusterReconnects,
    ]

    /// What a hub has beside that speaks TLS.
    static let ofTLS = [certificateExpiry]

    /// In seconds: from what a commit in memory takes to what a client hardly waits for.
    private static let latencies = [0.0001, 0.00025, 0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 1, 5]
    /// In seconds: to the 15 that an attempt may take.
    private static let attemptTimes = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 15]
    /// In seconds: to the three days of the schedule of retries.
    private static let delays: [Double] = [0.005, 0.01, 0.025, 0.1, 0.5, 1, 5, 30, 300, 1_800, 7_200, 43_200, 259_200]
    private static let eventCounts: [Double] = [1, 2, 4, 8, 16, 32, 64, 128, 256, 512, 1_024, 4_096, 10_000]

    static let buildInfo = MetricDescription(
        "clarion_build_info",
        .gauge,
        labels: ["version"],
        "1, labelled with the version of the hub."
    )

    // MARK: Posts and the log

    static let posts = MetricDescription(
        "clarion_posts_total",
        .counter,
        labels: ["result"],
        "Posts: committed; replayed under their keys; conflict, if a key or a condition stood against them; refused."
    )
    static let postDuration = MetricDescription(
        "clarion_post_duration_seconds",
        .histogram(bounds: latencies),
        "From when a whole post was there until it was acknowledged."
    )
    static let commitDuration = MetricDescription(
        "clarion_commit_duration_seconds",
        .histogram(bounds: latencies),
        "Transactions of the log that added events, the wait for the disk included."
    )
    static let commitEvents = MetricDescription(
        "clarion_commit_events",
        .histogram(bounds: eventCounts),
        "Events that one transaction added."
    )
    static let eventBytes = MetricDescription(
        "clarion_events_bytes_total",
        .counter,
        "Bytes of data of the events that were committed."
    )
    static let topics = MetricDescription(
        "clarion_topics",
        .gauge,
        "Topics that have events or settings, but for `clarion.observers`."
    )
    static let logEvents = MetricDescription("clarion_log_events", .gauge, "Events in the log.")
    static let logBytes = MetricDescription(
        "clarion_log_bytes",
        .gauge,
        "Bytes of the log's database, without its write-ahead log."
    )
    static let logQueueBytes = MetricDescription(
        "clarion_log_queue_bytes",
        .gauge,
        "Bytes of posts that wait for the log's writer."
    )

    // MARK: Observers

    static let streams = MetricDescription("clarion_streams", .gauge, "Streams that are open.")
    static let maximumStreams = MetricDescription("clarion_max_streams", .gauge, "How many streams may be open.")
    static let streamsBehind = MetricDescription(
        "clarion_streams_behind",
        .gauge,
        "Streams that read the log because they do not keep up with what is posted."
    )
    static let streamsOpened = MetricDescription("clarion_streams_opened_total", .counter, "Streams that were opened.")
    static let streamsClosed = MetricDescription(
        "clarion_streams_closed_total",
        .counter,
        labels: ["reason"],
        "Streams that are closed, by why: client is also one that was given up because its client did not read."
    )
    static let deliveries = MetricDescription(
        "clarion_deliveries_total",
        .counter,
        labels: ["kind"],
        "Events that were handed to streams and objects, or accepted by webhooks."
    )
    static let outboxBytes = MetricDescription(
        "clarion_outbox_bytes",
        .gauge,
        "Bytes in memory that wait for clients to read them: what --max-reader-memory bounds."
    )
    static let gaps = MetricDescription(
        "clarion_gaps_total",
        .counter,
        labels: ["reason"],
        "Gaps that were announced to streams: history that they asked for is missing."
    )
    static let observers = MetricDescription(
        "clarion_observers",
        .gauge,
        labels: ["kind", "state"],
        "Observers that are registered."
    )

    // MARK: Webhooks

    static let webhookAttempts = MetricDescription(
        "clarion_webhook_attempts_total",
        .counter,
        labels: ["outcome"],
        "Attempts at deliveries: delivered; retried later; dead, the last of a delivery; gone, answered 410."
    )
    static let webhookAttemptDuration = MetricDescription(
        "clarion_webhook_attempt_duration_seconds",
        .histogram(bounds: attemptTimes),
        "How long attempts took."
    )
    static let webhookDelay = MetricDescription(
        "clarion_webhook_delay_seconds",
        .histogram(bounds: delays),
        "From an event's commit until a webhook had accepted it; not of events that are delivered again by hand."
    )
    static let webhookPending = MetricDescription(
        "clarion_webhook_pending",
        .gauge,
        "Deliveries that are still to be made."
    )
    static let webhookDead = MetricDescription("clarion_webhook_dead", .gauge, "Dead letters.")
    static let webhookInFlight = MetricDescription(
        "clarion_webhook_in_flight",
        .gauge,
        "Requests to endpoints that are under way."
    )

    // MARK: The cluster

    static let clusterConnected = MetricDescription(
        "clarion_cluster_connected",
        .gauge,
        "1 while the node is connected to one of the cluster's servers, else 0."
    )
    static let clusterLag = MetricDescription(
        "clarion_cluster_lag_messages",
        .gauge,
        "Messages of the log's stream that the node has not taken yet; while the servers do not answer, as it was."
    )
    static let clusterLeases = MetricDescription(
        "clarion_cluster_leases",
        .gauge,
        "Parts of the webhooks, of 64, that the node delivers: each is one node's at a time."
    )
    static let clusterNodes = MetricDescription(
        "clarion_cluster_nodes",
        .gauge,
        "Nodes that this one has heard of within the last 30 seconds, and itself."
    )
    static let clusterCommands = MetricDescription(
        "clarion_cluster_commands_total",
        .counter,
        "Messages of the stream that the node has taken: posts and changes of all nodes."
    )
    static let clusterReconnects = MetricDescription(
        "clarion_cluster_reconnects_total",
        .counter,
        "How often the connection for the log was made anew."
    )

    // MARK: HTTP

    static let certificateExpiry = MetricDescription(
        "clarion_tls_certificate_expiry_timestamp_seconds",
        .gauge,
        "When the certificate that is in force ends, in seconds since 1970. Only of a hub that speaks TLS itself."
    )
    static let requests = MetricDescription(
        "clarion_http_requests_total",
        .counter,
        labels: ["route", "method", "status"],
        "Requests that were answered, by the pattern of their route."
    )
    static let requestDuration = MetricDescription(
        "clarion_http_request_duration_seconds",
        .histogram(bounds: latencies),
        labels: ["route"],
        "From when a whole request was there until its answer, or the head of a stream, was handed over."
    )
    static let requestBodyBytes = MetricDescription(
        "clarion_request_body_bytes",
        .gauge,
        "Bytes in memory of request bodies that have not come to their end, or wait for their answer: --max-body-memory bounds it."
    )
    static let refused = MetricDescription(
        "clarion_refused_total",
        .counter,
        labels: ["code"],
        "Requests that were answered with a problem, by its code."
    )
}
