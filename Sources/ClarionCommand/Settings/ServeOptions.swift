import ArgumentParser

/// What `clarion serve` takes. Absent ones come from the environment, the file, or the default.
struct ServeOptions: ParsableArguments {
    @Option(
        help: "The address to listen on. Anything but loopback needs --credentials, or --open. (default: 127.0.0.1)"
    )
    var host: String?

    @Option(help: "The port to listen on; 0 takes any free one. (default: 8080)")
    var port: String?

    @Option(
        help: ArgumentHelp(
            """
            A JSON file of who may do what: API keys, issuers of tokens, and what anonymous requests may; read again on \
            SIGHUP. With it the hub may listen anywhere. See also `clarion token`. (default: none; the hub is open)
            """,
            valueName: "file"
        )
    )
    var credentials: String?

    @Option(
        help: ArgumentHelp(
            """
            A further name that the hub answers to, without a port. May be given several times. (default: localhost, \
            127.0.0.0/8 and [::1]; any on an address that is not loopback)
            """,
            valueName: "name"
        )
    )
    var allowHost: [String] = []

    @Option(
        help: ArgumentHelp(
            """
            An origin whose web pages may use the hub, such as https://app.example.com; * is any, without cookies. May be \
            given several times. (default: the hub's own)
            """,
            valueName: "origin"
        )
    )
    var allowOrigin: [String] = []

    @Option(
        help: ArgumentHelp(
            """
            A network whose proxies are believed when they tell, by Forwarded or X-Forwarded-For, -Host and -Proto, for \
            whom they ask. May be given several times. (default: none)
            """,
            valueName: "cidr"
        )
    )
    var trustedProxy: [String] = []

    @Option(
        help: ArgumentHelp(
            """
            Where clients reach the hub through a proxy, such as https://hub.example/clarion; the proxy takes the path \
            away. (default: where it listens)
            """,
            valueName: "url"
        )
    )
    var publicUrl: String?

    @Option(
        help: ArgumentHelp(
            """
            A PEM file with the certificate by which the hub speaks TLS, and those that lead to its authority; read again on \
            SIGHUP. Needs --tls-key. (default: none; plain HTTP)
            """,
            valueName: "file"
        )
    )
    var tlsCert: String?

    @Option(help: ArgumentHelp("A PEM file with the key of that certificate, without a passphrase.", valueName: "file"))
    var tlsKey: String?

    @Option(help: "The folder that holds the log. It is created if it is missing. (default: data)")
    var data: String?

    @Option(
        help: ArgumentHelp(
            """
            The log of a cluster, instead of a folder: the servers of NATS JetStream that keep it, such as \
            nats://a:4222,nats://b:4222?name=shop. All hubs that give the same are nodes of one cluster; in the \
            folder, if one is given, each keeps a copy while it runs. (default: none)
            """,
            valueName: "url"
        )
    )
    var log: String?

    @Option(
        help: """
            What an acknowledged event survives: disk (power loss), process (kill -9), memory (nothing; no folder is \
            used). (default: disk)
            """
    )
    var durability: String?

    @Option(help: "How many events a topic keeps that has no bounds of its own. (default: all)")
    var retentionEvents: String?

    @Option(help: "For how long it keeps an event, such as 30m, 7d or 1h30m. (default: for ever)")
    var retentionAge: String?

    @Option(help: "How many bytes of data it keeps, such as 64MiB or 1GiB. (default: any number)")
    var retentionBytes: String?

    @Option(
        help: ArgumentHelp(
            "Let webhooks reach addresses that are not public, such as 127.0.0.0/8. May be given several times.",
            valueName: "cidr"
        )
    )
    var allowEgress: [String] = []

    @Flag(help: "Refuse webhook URLs that are not https.")
    var webhooksHttpsOnly = false

    @Option(
        help: ArgumentHelp(
            """
            Deliver webhooks through a proxy, such as http://10.0.0.1:3128: its rules decide what names lead to. \
            Proxies that the environment names are ignored. (default: none)
            """,
            valueName: "url"
        )
    )
    var egressProxy: String?

    @Option(
        help: ArgumentHelp(
            "The domain name in which endpoints are asked for their consent. (default: this machine's name)",
            valueName: "name"
        )
    )
    var webhooksOrigin: String?

    @Option(
        help: ArgumentHelp(
            "A PEM file of the certificate authorities that webhooks' endpoints are trusted by. (default: the system's)",
            valueName: "file"
        )
    )
    var webhooksCaFile: String?

    @Option(
        help: ArgumentHelp(
            """
            When a failed delivery is tried again, one wait after the other, such as 5s,5m,2h,500ms. \
            (default: 5s,5m,30m,2h,5h,10h,14h,20h,24h)
            """,
            valueName: "waits"
        )
    )
    var webhooksRetry: String?

    @Option(
        help: ArgumentHelp(
            "For how long a webhook may fail without one success before it is disabled, such as 12h. (default: 5d)",
            valueName: "duration"
        )
    )
    var webhooksDisableAfter: String?

    @Option(
        help: ArgumentHelp(
            """
            A file with the master key, under which webhooks' secrets are encrypted in the log: the base64 of 32 bytes, and former ones \
            behind it. \
            CLARION_MASTER_KEY holds the key itself. (default: not encrypted)
            """,
            valueName: "file"
        )
    )
    var masterKeyFile: String?

    @Option(help: "The silence after which a stream is sent a comment, such as 30s. (default: 15s)")
    var keepAlive: String?

    @Option(help: "The largest body of a post, such as 64KiB or 1MiB. (default: 1MiB)")
    var maxBody: String?

    @Option(
        help: """
            What may have come of all request bodies that are not whole yet, such as 256MiB: bodies beyond it are answered 503. \
            Twice the largest body at least. (default: 64MiB, or four times the largest body)
            """
    )
    var maxBodyMemory: String?

    @Option(
        help:
            "How many streams may be open at once; more are answered 503. (default: what descriptors allow, less a few)"
    )
    var maxStreams: String?

    @Option(
        help: "How many streams one address, and one credential, may have open; more are answered 429. (default: 1000)"
    )
    var maxStreamsPerClient: String?

    @Option(
        help: ArgumentHelp(
            """
            How many times a second a client may change something, such as 50/s, and twice as often at once after a rest; more \
            is answered 429. A client is a credential, or else an address. (default: 0, any number)
            """,
            valueName: "n/s"
        )
    )
    var rate: String?

    @Option(help: "How many topics there may be; what would make more is answered 507. (default: 1000000)")
    var maxTopics: String?

    @Option(help: "How many webhooks may be registered; more are answered 507. (default: 100000)")
    var maxObservers: String?

    @Option(help: "How many idempotency keys are remembered; posts with more are answered 507. (default: 10000000)")
    var maxIdempotencyKeys: String?

    @Option(
        help: """
            What may wait to be written to all clients that read slowly, such as 64MiB: beyond it they wait, and histories \
            are refused. (default: 256MiB)
            """
    )
    var maxReaderMemory: String?

    @Option(help: "Memory per connection, such as 16KiB: a request head must fit. (default: 8KiB)")
    var connectionMemory: String?

    @Option(
        help: """
            The folder of the web console. (default: Public, in the working folder, beside the program or in \
            /usr/share/clarion)
            """
    )
    var `public`: String?

    @Flag(help: "Listen on an address that others can reach although no credentials are configured.")
    var open = false

    @Option(help: "trace, debug, info, notice, warning, error or critical. (default: info)")
    var logLevel: String?

    @Option(help: "text, or json: an object a line. (default: text)")
    var logFormat: String?

    @Option(help: "A JSON file of settings.")
    var config: String?
}
