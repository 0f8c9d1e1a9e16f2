import { bareJson, plainText } from "../openapi/bare-responses";
import { parameter } from "../openapi/responses";

export const healthDetail = {
  operationId: "getLiveness",
  summary: "Liveness check",
  responses: {
    200: bareJson("Health", "The process is running."),
    500: bareJson("Health", "The process is running but unhealthy."),
  },
};
export const readyDetail = {
  operationId: "getReadiness",
  summary: "Readiness check",
  description:
    "Checks a database write, the database pages (once an hour), free disk space, whether broadcasts that are being sent get on, and the age of the oldest queued email. Reports how many storage nodes are paused or full.",
  responses: {
    200: bareJson("Health", "Ready."),
    500: bareJson("Health", "The checks could not be run."),
    503: bareJson("Health", "Not ready; see `checks`."),
  },
};
export const metricsDetail = {
  operationId: "getMetrics",
  summary: "Prometheus metrics",
  description: "Available locally, or with METRICS_TOKEN as a bearer token.",
  parameters: [parameter("header", "Authorization", "Bearer token; required for remote requests.")],
  responses: {
    200: plainText("Text format 0.0.4."),
    401: bareJson("Health", "Wrong token."),
    404: bareJson("Health", "METRICS_TOKEN is not set; only local requests are allowed."),
    500: bareJson("Health", "The metrics could not be read."),
  },
};
