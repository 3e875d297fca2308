# Packages without those for development.
FROM node:24-trixie-slim AS packages
WORKDIR /app
COPY package.json package-lock.json ./
RUN npm ci --omit=dev
# The command of `npm start`, to be run without npm: signals and exit codes are the gateway's own.
RUN node -p "require('./package.json').scripts.start" > start.sh

# The pages of the console.
FROM node:24-trixie-slim AS console
WORKDIR /app
COPY package.json package-lock.json ./
COPY src/core/catalogue src/core/catalogue
COPY console console
RUN npm ci --workspace console --ignore-scripts && npm run build --workspace console

FROM node:24-trixie-slim
WORKDIR /app
RUN mkdir -m 1777 /data
COPY --from=packages /app ./
COPY --from=console /app/console/dist console/dist

COPY src src
# The reference at `/docs` shows these.
COPY docs/guide.md docs/api-rules.md docs/

ENV HOST=0.0.0.0 PORT=8080 DATA_DIR=/data
VOLUME /data
EXPOSE 8080
USER node
HEALTHCHECK --start-period=3m --timeout=5s \
  CMD ["node", "-e", "fetch(`http://127.0.0.1:${process.env.PORT}/healthz`).then(({ ok }) => process.exit(ok ? 0 : 1))"]
CMD ["sh", "start.sh"]
