import { bareJson, parameter, plainText } from "../openapi/responses";

export const healthDetail = {
  summary: "Whether the process is there",
  responses: { 200: bareJson("Health", "It is."), 500: bareJson("Health", "It is there, and broken.") },
};
export const readyDetail = {
  summary: "Whether the service can work",
  description:
    "Writes to the database, looks at its pages (once an hour), at the disk and at the age of the oldest queued mail. Tells how many storage nodes are resting or full.",
  responses: {
    200: bareJson("Health", "It can."),
    500: bareJson("Health", "It could not be found out."),
    503: bareJson("Health", "Something is wrong; the checks say what."),
  },
};
export const metricsDetail = {
  summary: "Figures for Prometheus",
  description: "For programs on this machine, or with METRICS_TOKEN as a bearer token.",
  parameters: [parameter("header", "Authorization", "Bearer and METRICS_TOKEN, when asked from elsewhere.")],
  responses: {
    200: plainText("Text format 0.0.4."),
    401: bareJson("Health", "Another token is wanted."),
    404: bareJson("Health", "There is no METRICS_TOKEN, so only programs on this machine are answered."),
    500: bareJson("Health", "The figures could not be read."),
  },
};
