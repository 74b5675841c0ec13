// swift-tools-version: 6.2
import PackageDescription

// A package of its own, so that the project does not depend on what it is compared with.
let package = Package(
    name: "broadcasting-benchmark",
    platforms: [.macOS(.v15)],
    dependencies: [
        .package(name: "clarion", path: "../.."),
        .package(url: "https://github.com/OpenCombine/OpenCombine", from: "0.14.0"),
    ],
    targets: [
        .target(name: "AllocationCount"),
        .executableTarget(
            name: "BroadcastingBenchmark",
            dependencies: [
                "AllocationCount",
                .product(name: "Broadcasting", package: "clarion"),
                .product(name: "OpenCombine", package: "OpenCombine"),
            ],
            swiftSettings: [
                .strictMemorySafety(),
                .enableUpcomingFeature("ExistentialAny"),
                .enableUpcomingFeature("ImmutableWeakCaptures"),
                .enableUpcomingFeature("InferIsolatedConformances"),
                .enableUpcomingFeature("InternalImportsByDefault"),
                .enableUpcomingFeature("MemberImportVisibility"),
                .enableUpcomingFeature("NonisolatedNonsendingByDefault"),
            ]
        ),
    ],
    swiftLanguageModes: [.v6]
)
