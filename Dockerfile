# One image for the API, the worker and the command line: the command says which.
#   docker build -t kontor .
#   docker run --env-file .env kontor [api | worker | cli …]
# With podman: podman build --format docker, or the HEALTHCHECK below is left out.
# The target "inbox" is another, small image: where mails go while you try things (compose.yaml).

# The same version as the package "node" in package.json, on which the tests run.
ARG NODE_VERSION=24.21.0
# A tag can be moved to another image, a digest cannot: docs/guides/self-hosting.md says how to pin it.
ARG NODE_IMAGE=node:${NODE_VERSION}-bookworm-slim

FROM ${NODE_IMAGE} AS base
WORKDIR /app
ENV NODE_ENV=production

FROM base AS packages
COPY package.json package-lock.json .npmrc ./
# TypeScript is there only because a package says it could use it; types and source maps are half of what is left.
RUN npm ci --omit=dev --workspaces=false --ignore-scripts --no-audit --no-update-notifier \
 && rm -rf node_modules/typescript node_modules/@typescript node_modules/.bin \
 && find node_modules -type f \( -name '*.map' -o -name '*.d.ts' -o -name '*.d.mts' -o -name '*.d.cts' \) -delete

# Of the lockfile, before anything is left out.
COPY scripts/sbom.ts scripts/supply.ts scripts/
RUN node scripts/sbom.ts sbom.cdx.json

FROM base AS inbox-packages
COPY package.json package-lock.json .npmrc ./
# Two of its packages are devDependencies. Leave nothing in package.json but these; versions come from the lock file.
RUN node -e "\
      const own = require('./package.json'); \
      const all = { ...own.dependencies, ...own.devDependencies }; \
      const needed = ['liquidjs', 'postal-mime', 'smtp-server'].map((name) => [name, all[name]]); \
      const reduced = { ...own, dependencies: Object.fromEntries(needed), devDependencies: {} }; \
      require('node:fs').writeFileSync('package.json', JSON.stringify(reduced))" \
 && npm ci --omit=dev --workspaces=false --ignore-scripts --no-audit --no-update-notifier

FROM base AS inbox
COPY --from=inbox-packages /app/package.json ./
COPY --from=inbox-packages /app/node_modules node_modules
COPY twins/mail twins/mail
ENV HOST=0.0.0.0 INBOX_PORT=3025 SMTP_PORT=1025
EXPOSE 3025 1025
USER node
STOPSIGNAL SIGTERM
# Asked by the shell itself: a Node of its own for each question would cost 40 MB and a tenth of a second.
HEALTHCHECK --interval=10s --timeout=5s --start-period=20s --retries=3 \
  CMD ["bash", "-c", "exec 3<>/dev/tcp/127.0.0.1/3025 && printf 'GET /healthz HTTP/1.0\\r\\n\\r\\n' >&3 && read -r -t 4 line <&3 && [[ $line == *' 200 '* ]]"]
CMD ["node", "twins/mail/main.ts"]

# Fonts of packing slips for letters that DejaVu lacks; the packages hold many more (src/modules/orders/packing-slips/fonts.ts).
FROM base AS fonts
RUN apt-get update -q \
 && apt-get install -y -q --no-install-recommends fonts-noto-cjk fonts-noto-core \
 && mkdir -p /fonts/opentype/noto /fonts/truetype/noto /fonts/licenses \
 && cp /usr/share/fonts/opentype/noto/NotoSansCJK-Regular.ttc /fonts/opentype/noto/ \
 && for script in Thai Khmer Myanmar Ethiopic Devanagari Bengali Gujarati Gurmukhi Tamil Telugu Kannada Malayalam Sinhala; do \
      cp "/usr/share/fonts/truetype/noto/NotoSans$script-Regular.ttf" /fonts/truetype/noto/; \
    done \
 && cp /usr/share/doc/fonts-noto-cjk/copyright /fonts/licenses/fonts-noto-cjk \
 && cp /usr/share/doc/fonts-noto-core/copyright /fonts/licenses/fonts-noto-core

# The dashboard is built here, and only what was built is kept.
FROM base AS dashboard
COPY package.json package-lock.json .npmrc tsconfig.json ./
COPY packages/demo/package.json packages/demo/
COPY examples/storefront/package.json examples/storefront/
COPY examples/storefront-next/package.json examples/storefront-next/
COPY packages/sdk packages/sdk
COPY packages/dashboard packages/dashboard
COPY src/platform/transfer/csv-cells.ts src/platform/transfer/
RUN npm ci --include=dev -w @kontor/dashboard --ignore-scripts --no-audit --no-update-notifier \
 && npm run build -w @kontor/dashboard

# The last one is what "docker build" makes.
FROM base AS kontor
COPY --from=fonts /fonts /usr/share/fonts
COPY --from=packages /app/node_modules node_modules
COPY package.json ./
COPY bin bin
COPY migrations migrations
COPY src src
COPY packages/demo packages/demo
COPY --from=dashboard /app/packages/dashboard/dist packages/dashboard/dist
# What of others is in it: docs/guides/self-hosting.md.
COPY --from=packages /app/sbom.cdx.json ./
# Each container has an address of its own: reachable from outside of it, and the same port for the metrics of API and worker.
# The worker listens on 9464 only.
ENV HOST=0.0.0.0 PORT=3000 METRICS_PORT=9464 WORKER_METRICS_PORT=9464
EXPOSE 3000 9464
# For MEDIA_STORAGE=folder:/var/lib/kontor/media; mount a volume there. A new one takes over the owner.
RUN mkdir -p /var/lib/kontor/media && chown node:node /var/lib/kontor/media
USER node
# Takes up to 25 s to finish what is under way: give it 30 before it is killed.
STOPSIGNAL SIGTERM
HEALTHCHECK --interval=10s --timeout=5s --start-period=20s --retries=3 \
  CMD ["bash", "-c", "exec 3<>/dev/tcp/127.0.0.1/9464 && printf 'GET /healthz HTTP/1.0\\r\\n\\r\\n' >&3 && read -r -t 4 line <&3 && [[ $line == *' 200 '* ]]"]
ENTRYPOINT ["node", "bin/kontor.js"]
CMD ["api"]
