# Build: Swift's own image on Debian 12, the C libraries, a release binary with Swift's runtime linked in.
FROM swift:6.3-bookworm AS build
RUN apt-get update \
    && apt-get install -y --no-install-recommends libmicrohttpd-dev libsqlite3-dev libcurl4-openssl-dev pkg-config \
    && rm -rf /var/lib/apt/lists/*
WORKDIR /clarion
COPY Package.swift ./
COPY Sources Sources
# Not built, but the package names them.
COPY Examples Examples
COPY Tests Tests
RUN swift build -c release --product clarion --static-swift-stdlib \
    && install -D -s -t /out/bin .build/release/clarion

# Run: the binary, the console, the three libraries, a user without rights.
FROM debian:bookworm-slim
RUN apt-get update \
    && apt-get install -y --no-install-recommends libmicrohttpd12 libsqlite3-0 libcurl4 ca-certificates \
    && rm -rf /var/lib/apt/lists/* \
    && useradd --system --home-dir /var/lib/clarion --create-home clarion
COPY --from=build /out/bin/clarion /usr/bin/clarion
COPY Public /usr/share/clarion/Public
USER clarion
VOLUME /var/lib/clarion
EXPOSE 8080
# Inside a container only the published port is reachable, so listening everywhere is meant: publish it with care.
ENV CLARION_HOST=0.0.0.0 CLARION_OPEN=true CLARION_DATA=/var/lib/clarion CLARION_PUBLIC=/usr/share/clarion/Public
STOPSIGNAL SIGTERM
ENTRYPOINT ["clarion"]
CMD ["serve"]
