# docker build -t fencepost . && docker run --rm -v "$PWD:/work" fencepost check queue.c
FROM python:3.12-slim AS build
RUN apt-get update && apt-get install -y --no-install-recommends g++ && rm -rf /var/lib/apt/lists/*
COPY . /source
RUN pip wheel --no-cache-dir --wheel-dir /wheels /source

FROM python:3.12-slim
RUN --mount=from=build,source=/wheels,target=/wheels pip install --no-cache-dir --no-index --find-links /wheels fencepost
WORKDIR /work
ENTRYPOINT ["fencepost"]
