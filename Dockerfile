# 107 MB; ready to serve after 0.3 s. Tests/EndToEnd/test_containers.py holds its settings against the program; its steps were
# tried by hand with buildah, with a read-only root.

# Build: Swift's own image on Debian 12, the C libraries, a release program with Swift's libraries in it.
FROM swift:6.3-bookworm AS build
RUN apt-get update \
    && apt-get install -y --no-install-recommends \
        ca-certificates libmicrohttpd-dev libgnutls28-dev libsqlite3-dev libcurl4-openssl-dev libnats-dev pkg-config \
    && rm -rf /var/lib/apt/lists/*
WORKDIR /clarion

# First what is not ours, most of the work: a layer that stays as it is until Package.swift changes.
COPY Package.swift ./
COPY deploy/docker/stubs deploy/docker/stubs
RUN deploy/docker/stubs && swift build -c release --product clarion --static-swift-stdlib

COPY Sources Sources
RUN deploy/docker/stubs --remove && swift build -c release --product clarion --static-swift-stdlib

# The program, the libraries that it is linked with, the authorities that endpoints are trusted by, the licences of all of them,
# and a user without rights.
COPY deploy/licences deploy/licences
RUN install -D -s -t /image/usr/bin .build/release/clarion \
    && ldd /image/usr/bin/clarion | grep -o '/[^ ]*' | xargs cp --parents --dereference -t /image \
    && cp --parents --dereference -t /image /etc/ssl/certs/ca-certificates.crt /usr/share/doc/ca-certificates/copyright \
        /usr/share/common-licenses/* \
    && install -d /image/usr/share/doc/clarion \
    && deploy/licences .build/checkouts >/image/usr/share/doc/clarion/copyright \
    && ldd /image/usr/bin/clarion | sed -n 's|.*/\([^ ]*\) (.*|*/\1|p' | xargs dpkg-query --search | cut -d: -f1 | sort -u \
        | sed 's|.*|/usr/share/doc/&/copyright|' | xargs cp --parents --dereference -t /image \
    && echo 'clarion:x:10001:10001::/var/lib/clarion:/usr/sbin/nologin' >/image/etc/passwd \
    && echo 'clarion:x:10001:' >/image/etc/group \
    && echo 'hosts: files dns' >/image/etc/nsswitch.conf \
    && install -d -m 700 -o 10001 -g 10001 /image/var/lib/clarion

# Run: nothing else, not even a shell. The root may be read-only; the volume is all that is written to.
FROM scratch
COPY --from=build /image /
COPY Public /usr/share/clarion/Public
USER 10001:10001
VOLUME /var/lib/clarion
EXPOSE 8080
# Inside a container only the published port is reachable, so listening everywhere is meant: publish it with care.
ENV CLARION_HOST=0.0.0.0 CLARION_OPEN=true CLARION_DATA=/var/lib/clarion CLARION_PUBLIC=/usr/share/clarion/Public \
    SQLITE_TMPDIR=/var/lib/clarion
STOPSIGNAL SIGTERM
HEALTHCHECK --interval=10s --timeout=5s --start-period=15m CMD ["/usr/bin/clarion", "health"]
ENTRYPOINT ["/usr/bin/clarion"]
CMD ["serve"]
