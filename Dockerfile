FROM node:22-slim

WORKDIR /app
COPY package.json package-lock.json .npmrc ./
RUN npm ci --omit=dev

COPY tsconfig.json bunfig.toml ./
COPY db ./db
COPY public ./public
COPY views ./views
COPY src ./src
COPY docs/client.md docs/uploads.md ./docs/
RUN node_modules/.bin/bun src/boot/compile.ts

RUN mkdir /data && chown node:node /data
USER node
VOLUME /data

ENV NODE_ENV=production HOST=0.0.0.0 PORT=3000 DATA_DIR=/data
EXPOSE 3000

HEALTHCHECK --interval=10s --timeout=3s --start-period=10s \
  CMD ["node", "-e", "fetch(`http://127.0.0.1:${process.env.PORT}/healthz`).then((r) => process.exit(r.ok ? 0 : 1), () => process.exit(1))"]

# Without npm, so that SIGTERM reaches the service directly. It stops within ten seconds.
CMD ["node_modules/.bin/bun", "src/boot/start.ts", "serve"]
