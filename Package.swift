// swift-tools-version: 6.2
import PackageDescription

// How sockets are waited for: epoll(7), or poll(2) where there is none.
#if os(Linux)
    let filesOfOtherSystems = "Darwin"
#else
    let filesOfOtherSystems = "Linux"
#endif

let package = Package(
    name: "clarion",
    platforms: [.macOS(.v15)],
    products: [
        .library(name: "Broadcasting", targets: ["Broadcasting"]),
        .library(name: "Clarion", targets: ["Clarion"]),
        .library(name: "ClarionClient", targets: ["ClarionClient"]),
        .executable(name: "clarion", targets: ["ClarionCommand"]),
    ],
    dependencies: [
        .package(url: "https://github.com/apple/swift-argument-parser", from: "1.8.2"),
        .package(url: "https://github.com/apple/swift-collections", from: "1.6.0"),
        .package(url: "https://github.com/apple/swift-configuration", from: "1.4.0"),
        .package(url: "https://github.com/apple/swift-crypto", from: "4.5.2"),
        .package(url: "https://github.com/apple/swift-distributed-tracing", from: "1.7.3"),
        .package(url: "https://github.com/apple/swift-log", from: "1.16.2"),
        .package(url: "https://github.com/apple/swift-metrics", from: "2.13.0"),
        .package(url: "https://github.com/groue/GRDB.swift", from: "7.10.0"),
        .package(url: "https://github.com/swift-server/swift-service-lifecycle", from: "2.13.0"),
        .package(url: "https://github.com/vapor/jwt-kit", from: "5.7.1"),
    ],
    targets: [
        .systemLibrary(name: "CSwiftRuntime"),
        .target(name: "Locking"),
        .systemLibrary(name: "CPosix"),
        .target(name: "Posix", dependencies: ["CPosix"], exclude: [filesOfOtherSystems]),
        .target(name: "Spelling"),
        .target(name: "Notation"),
        .target(name: "JSON", dependencies: ["Notation"]),
        .target(name: "Broadcasting", dependencies: ["CSwiftRuntime", "Locking"]),

        .systemLibrary(
            name: "CMicroHTTPD",
            pkgConfig: "libmicrohttpd",
            providers: [.apt(["libmicrohttpd-dev"])]
        ),
        .systemLibrary(
            name: "CGnuTLS",
            pkgConfig: "gnutls",
            providers: [.apt(["libgnutls28-dev"])]
        ),
        .target(
            name: "MicroHTTP",
            dependencies: [
                "CGnuTLS", "CMicroHTTPD", "Locking", "Notation", "Posix", "Spelling",
                .product(name: "Logging", package: "swift-log"),
            ]
        ),

        .target(
            name: "EventLog",
            dependencies: [
                "Locking", "Notation", "Posix",
                .product(name: "DequeModule", package: "swift-collections"),
                .product(name: "GRDB", package: "GRDB.swift"),
                .product(name: "OrderedCollections", package: "swift-collections"),
            ]
        ),

        .systemLibrary(
            name: "CCurl",
            pkgConfig: "libcurl",
            providers: [.apt(["libcurl4-openssl-dev"])]
        ),
        .systemLibrary(
            name: "CNATS",
            pkgConfig: "libnats",
            providers: [.apt(["libnats-dev"])]
        ),
        .target(name: "ClusterLog", dependencies: ["CNATS", "EventLog", "Locking", "Notation", "Posix"]),

        .target(
            name: "HTTPTransport",
            dependencies: [
                "CCurl", "Locking", "Notation", "Posix", .product(name: "DequeModule", package: "swift-collections"),
            ]
        ),
        .target(
            name: "Webhooks",
            dependencies: [
                "HTTPTransport", "Locking", "Notation", "Posix",
                .product(name: "Crypto", package: "swift-crypto"),
                .product(name: "DequeModule", package: "swift-collections"),
                .product(name: "HeapModule", package: "swift-collections"),
                .product(name: "Logging", package: "swift-log"),
                .product(name: "OrderedCollections", package: "swift-collections"),
                .product(name: "Tracing", package: "swift-distributed-tracing"),
            ]
        ),

        .target(
            name: "Access",
            dependencies: [
                "EventLog", "JSON", "Locking", "Notation", "Posix", "Spelling",
                .product(name: "Crypto", package: "swift-crypto"),
                .product(name: "JWTKit", package: "jwt-kit"),
                .product(name: "Logging", package: "swift-log"),
            ]
        ),

        .target(
            name: "Prometheus",
            dependencies: ["Locking", "Posix", .product(name: "CoreMetrics", package: "swift-metrics")]
        ),

        .target(
            name: "Clarion",
            dependencies: [
                "Access", "Broadcasting", "ClusterLog", "EventLog", "HTTPTransport", "JSON", "Locking", "MicroHTTP",
                "Notation", "Posix", "Prometheus", "Spelling", "Webhooks",
                .product(name: "CoreMetrics", package: "swift-metrics"),
                .product(name: "Crypto", package: "swift-crypto"),
                .product(name: "DequeModule", package: "swift-collections"),
                .product(name: "Logging", package: "swift-log"),
                .product(name: "Tracing", package: "swift-distributed-tracing"),
            ]
        ),
        .target(name: "ClarionClient", dependencies: ["HTTPTransport", "JSON", "Locking", "Notation"]),
        .executableTarget(
            name: "ClarionCommand",
            dependencies: [
                "Access", "Clarion", "ClarionClient", "CPosix", "EventLog", "HTTPTransport", "JSON", "MicroHTTP",
                "Notation", "Posix", "Spelling", "Webhooks",
                .product(name: "ArgumentParser", package: "swift-argument-parser"),
                .product(name: "Configuration", package: "swift-configuration"),
                .product(name: "Logging", package: "swift-log"),
                .product(name: "ServiceLifecycle", package: "swift-service-lifecycle"),
                .product(name: "UnixSignals", package: "swift-service-lifecycle"),
            ]
        ),

        .testTarget(name: "BroadcastingTests", dependencies: ["Broadcasting", "Locking"]),
        .testTarget(name: "ExamplesTests"),
        .target(name: "Randomness", path: "Tests/Randomness"),
        .testTarget(name: "LockingTests", dependencies: ["Locking"]),
        .testTarget(name: "PosixTests", dependencies: ["Posix"]),
        .testTarget(name: "NotationTests", dependencies: ["Notation", "Randomness"]),
        .testTarget(name: "SpellingTests", dependencies: ["Spelling"]),
        .testTarget(name: "JSONTests", dependencies: ["JSON", "Randomness"]),
        .testTarget(
            name: "ClarionCommandTests",
            dependencies: [
                "ClarionCommand", "JSON", "Posix", "Randomness",
                .product(name: "ArgumentParser", package: "swift-argument-parser"),
            ]
        ),
        .testTarget(
            name: "PrometheusTests",
            dependencies: ["Prometheus", .product(name: "CoreMetrics", package: "swift-metrics")]
        ),
        .testTarget(
            name: "MicroHTTPTests",
            dependencies: [
                "Locking", "MicroHTTP", "Posix", "Randomness", .product(name: "Logging", package: "swift-log"),
            ]
        ),
        .testTarget(name: "EventLogTests", dependencies: ["ClusterLog", "EventLog", "Locking", "Posix"]),
        .testTarget(name: "ClusterLogTests", dependencies: ["ClusterLog", "EventLog", "Randomness"]),
        .testTarget(
            name: "AccessTests",
            dependencies: [
                "Access", "EventLog", "JSON", "Locking",
                .product(name: "Crypto", package: "swift-crypto"),
                .product(name: "JWTKit", package: "jwt-kit"),
                .product(name: "Logging", package: "swift-log"),
            ]
        ),
        .testTarget(name: "ClarionClientTests", dependencies: ["ClarionClient", "HTTPTransport", "Locking", "Posix"]),
        .testTarget(name: "HTTPTransportTests", dependencies: ["HTTPTransport", "Posix"]),
        .testTarget(
            name: "WebhooksTests",
            dependencies: [
                "CCurl", "Locking", "Notation", "Posix", "Randomness", "Webhooks",
                .product(name: "Crypto", package: "swift-crypto"),
            ]
        ),
        .testTarget(
            name: "ClarionTests",
            dependencies: [
                "Access", "Clarion", "EventLog", "JSON", "Locking", "MicroHTTP", "Notation", "Prometheus", "Randomness",
                "Webhooks",
                .product(name: "CoreMetrics", package: "swift-metrics"),
                .product(name: "InMemoryTracing", package: "swift-distributed-tracing"),
                .product(name: "Logging", package: "swift-log"),
                .product(name: "MetricsTestKit", package: "swift-metrics"),
            ]
        ),
    ],
    swiftLanguageModes: [.v6]
)

// Small programs: all but the last need nothing but Broadcasting. The tests run them, so they must be built before.
for name in ["Actions", "Delegates", "Market", "Thermostat", "Titles", "EmbeddedHub"] {
    var dependencies: [Target.Dependency] = ["Broadcasting"]
    if name == "EmbeddedHub" { dependencies = ["Clarion", .product(name: "Logging", package: "swift-log")] }
    package.targets.append(.executableTarget(name: name, dependencies: dependencies, path: "Examples/\(name)"))
    package.targets.first { $0.name == "ExamplesTests" }?.dependencies.append(.target(name: name))
}

// A receiver of webhooks, beside those in other languages. It runs until it is ended, so the end-to-end tests run it.
package.targets.append(
    .executableTarget(
        name: "WebhookReceiver",
        dependencies: [
            "Clarion", "MicroHTTP",
            .product(name: "Crypto", package: "swift-crypto"),
        ],
        path: "Examples/Receivers",
        exclude: ["receiver.mjs", "receiver.py"]
    )
)

for target in package.targets where target.type != .system {
    target.swiftSettings = [
        .strictMemorySafety(),
        .enableUpcomingFeature("ExistentialAny"),
        .enableUpcomingFeature("ImmutableWeakCaptures"),
        .enableUpcomingFeature("InferIsolatedConformances"),
        .enableUpcomingFeature("InternalImportsByDefault"),
        .enableUpcomingFeature("MemberImportVisibility"),
        .enableUpcomingFeature("NonisolatedNonsendingByDefault"),
    ]
}
