# The one image of Podmend: agent and controller are sub-commands of the same bundle.
ARG NODE_MAJOR=22

FROM docker.io/library/node:${NODE_MAJOR}-bookworm AS build
WORKDIR /src
# Dependencies first: they change less often than the source, so this layer is usually found in the cache.
COPY package.json package-lock.json .npmrc ./
RUN npm ci
COPY . .
RUN npm run build

FROM docker.io/library/node:${NODE_MAJOR}-bookworm-slim
ARG VERSION=0.1.0
ARG REVISION=unknown
LABEL org.opencontainers.image.title="Podmend" \
      org.opencontainers.image.description="In-place updates for Kubernetes Pods" \
      org.opencontainers.image.licenses="Apache-2.0" \
      org.opencontainers.image.version="${VERSION}" \
      org.opencontainers.image.revision="${REVISION}"
COPY --from=build /src/LICENSE /src/dist/podmend.cjs /app/
# One malloc arena: glibc otherwise keeps memory per thread, several MiB in a process that needs little.
ENV NODE_ENV=production MALLOC_ARENA_MAX=1
# The controller needs no privilege. The agent's manifest says uid 0, since only root may open the runtime's socket.
USER 65532:65532
ENTRYPOINT ["node", "--max-semi-space-size=8", "/app/podmend.cjs"]
