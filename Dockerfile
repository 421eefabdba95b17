# syntax=docker/dockerfile:1
FROM node:24-slim AS build
WORKDIR /lucarne
COPY package.json package-lock.json .npmrc ./
RUN npm ci
COPY . .
RUN npm run build && npm prune --omit=dev

FROM node:24-slim
ENV NODE_ENV=production LUCARNE_HOST=0.0.0.0 LUCARNE_DATA_DIR=/var/lib/lucarne
WORKDIR /lucarne
COPY --from=build /lucarne/package.json /lucarne/LICENSE /lucarne/NOTICE ./
COPY --from=build /lucarne/bin ./bin
COPY --from=build /lucarne/dist ./dist
COPY --from=build /lucarne/schema ./schema
COPY --from=build /lucarne/node_modules ./node_modules
RUN install -d -o node -g node -m 0700 /var/lib/lucarne
USER node
EXPOSE 4000
VOLUME /var/lib/lucarne
HEALTHCHECK --interval=10s --timeout=5s --start-period=30s \
  CMD ["node", "-e", "fetch(`http://127.0.0.1:${process.env.LUCARNE_PORT ?? 4000}/livez`).then((answer) => process.exit(answer.ok ? 0 : 1), () => process.exit(1))"]
ENTRYPOINT ["node", "bin/lucarne.mjs"]
CMD ["serve"]
