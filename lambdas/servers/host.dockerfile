# A program that listens, for container platforms: it is one file and needs nothing but Node.
FROM public.ecr.aws/docker/library/node:24.21.0-slim
WORKDIR /app
COPY host.mjs .
USER node
CMD ["node", "host.mjs"]
