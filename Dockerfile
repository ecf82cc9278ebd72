# The images of the BFF (`docker build --target bff .`) and of the service (`docker build --target service .`). With Podman, add `--format docker`: its own format has no health check.
# The build stage runs on the builder's own platform, and the last stages only copy files. Builds for arm64 and amd64 therefore need no emulator.
# The digest selects the image. The tag is only for people. Renovate updates both. CI checks that each digest covers all platforms.
ARG NODE_IMAGE=node:24.21.0-trixie-slim@sha256:8ec5d7557396cfe32d21c3f9c13072355ceab22b584578ca4bb28af31120cffe
ARG RUNTIME_IMAGE=gcr.io/distroless/cc-debian13:nonroot@sha256:54df941ed0d06a1bd95ef5e0ce391fd8d9f94b64782dc9a60062727849ee3f97

FROM ${NODE_IMAGE} AS node

FROM --platform=$BUILDPLATFORM ${NODE_IMAGE} AS build
ARG TARGETARCH
ENV CI=true PNPM_HOME=/pnpm
WORKDIR /repository
COPY package.json pnpm-lock.yaml pnpm-workspace.yaml ./
# `packageManager` names the version of pnpm and its SHA-512.
RUN spec=$(node -p "require('./package.json').packageManager") && npm pack "${spec%+*}" \
  && echo "${spec#*+sha512.}  $(ls pnpm-*.tgz)" | sha512sum --check && npm install --global ./pnpm-*.tgz && rm pnpm-*.tgz
COPY packages/contract/package.json packages/contract/
COPY packages/token/package.json packages/token/
COPY packages/doctor/package.json packages/doctor/
COPY packages/service/package.json packages/service/
COPY packages/widget/package.json packages/widget/
COPY packages/bff/package.json packages/bff/
COPY packages/mcp/package.json packages/mcp/
COPY demo/package.json demo/
RUN --mount=type=cache,id=pnpm,target=/pnpm/store \
  pnpm install --frozen-lockfile --store-dir /pnpm/store --filter . --filter './packages/*' --filter ./demo
COPY . .
RUN pnpm exec tsc -b packages/service && pnpm --filter @pulse-card/bff build && pnpm --filter @pulse-card/widget build \
  && pnpm --filter @pulse-card/mcp build
RUN pnpm --filter @pulse-card/demo exec vite build \
  && node --conditions=source scripts/notices.ts packages \
  && cp -r demo/dist packages/bff/dist/studio
RUN --mount=type=cache,id=pnpm,target=/pnpm/store \
  for name in bff service; do \
    pnpm --filter "@pulse-card/$name" --config.injectWorkspacePackages=true --store-dir /pnpm/store \
      deploy --prod "/out/$name" && cp LICENSE "/out/$name/" && mkdir "/out/$name-data" \
      && node --conditions=source scripts/notices.ts image "/out/$name"; \
  done
# Removes the files of packages that only developers or other platforms need: types, source maps, C sources, and binaries.
RUN find /out -type f \( -name '*.map' -o -name '*.ts' -o -name '*.[cm]ts' -o -name '*.[ch]' -o -name '*.md' \) ! -iname 'licen[cs]e*' -delete \
  && find /out -path '*/prebuilds/*' -type f ! -name "linux-$(test "$TARGETARCH" = arm64 && echo arm64 || echo x64).node" -delete \
  && find /out \( -name '@types' -o -name '@types+*' \) -prune -exec rm -r {} + \
  && rm -f /out/*/pnpm-lock.yaml /out/*/pnpm-workspace.yaml

# The final images contain Node and its libraries, but no shell and no package manager. They run as uid 65532.
FROM ${RUNTIME_IMAGE} AS runtime
COPY --from=node /usr/local/bin/node /usr/local/bin/node
COPY --from=node /usr/local/LICENSE /usr/local/share/doc/node/LICENSE
ENV NODE_ENV=production
# Keeps short-lived objects in 12 MiB of memory instead of 48 MiB.
ENV NODE_OPTIONS=--max-semi-space-size=4
WORKDIR /app
USER 65532:65532
LABEL org.opencontainers.image.licenses="MIT"

FROM runtime AS service
LABEL org.opencontainers.image.title="Pulse Card service"
COPY --from=build /out/service /app
COPY --from=build --chown=65532:65532 /out/service-data /var/lib/pulse-service
ENV PULSE_DATA_DIR=/var/lib/pulse-service
VOLUME /var/lib/pulse-service
EXPOSE 4010 4011
HEALTHCHECK --interval=10s --timeout=5s --start-period=30s \
  CMD ["/usr/local/bin/node", "--eval", "fetch(`http://127.0.0.1:${process.env.PORT || 4010}/healthz`).then(({ ok }) => process.exit(ok ? 0 : 1), () => process.exit(1))"]
ENTRYPOINT ["/usr/local/bin/node", "/app/dist/main.js"]
CMD ["serve"]

FROM runtime AS bff
LABEL org.opencontainers.image.title="Pulse Card BFF"
COPY --from=build /out/bff /app
COPY --from=build --chown=65532:65532 /out/bff-data /var/lib/pulse-bff
ENV PULSE_STATE_DIR=/var/lib/pulse-bff
VOLUME /var/lib/pulse-bff
EXPOSE 4020
HEALTHCHECK --interval=10s --timeout=5s --start-period=30s CMD ["/usr/local/bin/node", "/app/dist/main.js", "health"]
ENTRYPOINT ["/usr/local/bin/node", "/app/dist/main.js"]
CMD ["serve"]
