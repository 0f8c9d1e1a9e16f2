FROM node:22-slim AS build
WORKDIR /app
COPY package.json package-lock.json .npmrc ./
RUN npm ci --omit=dev

COPY tsconfig.json bunfig.toml ./
COPY db ./db
COPY public ./public
COPY views ./views
COPY src ./src
COPY README.md LICENSE ./
COPY docs ./docs
ARG REVISION=–
RUN npm run build -- --revision="$REVISION"

FROM debian:stable-slim
COPY --from=build /app/dist/postroom /usr/local/bin/postroom
# For sizes of pictures: a library that no executable can contain
COPY --from=build /app/node_modules/sharp /usr/local/bin/node_modules/sharp
COPY --from=build /app/node_modules/@img /usr/local/bin/node_modules/@img
COPY --from=build /app/node_modules/detect-libc /usr/local/bin/node_modules/detect-libc
COPY --from=build /app/node_modules/semver /usr/local/bin/node_modules/semver
# By number, so that Kubernetes can see that it is not root
RUN mkdir -m 700 /data && chown 10001:10001 /data
USER 10001:10001
VOLUME /data
# SQLite writes its temporary files here if /tmp is read-only
WORKDIR /data

ENV NODE_ENV=production HOST=0.0.0.0 PORT=3000 DATA_DIR=/data
EXPOSE 3000

HEALTHCHECK --interval=10s --timeout=3s --start-period=10s CMD ["postroom", "health"]

# Stops within ten seconds after SIGTERM. Needs to write to /data only
CMD ["postroom", "serve"]
