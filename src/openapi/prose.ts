import type { ErrorCode } from "../security/refusal";
import { errorTexts } from "./docs-errors";
import { content, htmlPage, type ResponseObject } from "./responses";

/** The parts of the document that belong to no single route. */
export const introduction = {
  license: { name: "MIT", identifier: "MIT" },
  description: [
    "Newsletter, contact form, content and uploads for one site.",
    "JSON responses use the envelope `{ success, data, error }`. On failure, `error` is `{ code, message, details? }`: programs decide by `code`, people read `message`, and `details` says which fields are concerned, and why. Every response has an `X-Request-Id` header; quote it when you ask for help.",
    'Lists are returned page by page. The `Link` header has the URL of the next page (`rel="next"`), `Postroom-Next-Cursor` its `cursor`, and `X-Total-Count` the number of all items. Keyed reads of content have an `ETag`: send it in `If-None-Match`, and an unchanged response is a 304 without a body.',
    "`HEAD` works wherever `GET` does and never changes anything. Other methods return 405 with `Allow`. Request bodies are limited to 64 KiB, those of a batch of subscribers to 1 MiB, and to 32 levels of nesting, the request line and headers together to 16 KiB.",
    "Requests that cannot be parsed as HTTP receive a response without a body, and the connection is closed: 400; 431 if the request line or headers are too long or there are more than 200 headers; 505 for an unsupported HTTP version. Unknown methods receive no response.",
  ].join("\n\n"),
};

export const tags = [
  { name: "Newsletter", description: "One subscriber list for the landing page and the blog." },
  { name: "Subscribers", description: "Who is on the list, for your own programs." },
  { name: "Contact", description: "A message to the owner of the site." },
  { name: "Content", description: "Published posts, projects and settings." },
  { name: "Uploads", description: "Files are uploaded directly to storage, not through the service." },
  { name: "Files", description: "Completed uploads." },
  { name: "Operations", description: "For operators of the service." },
  { name: "Webhooks", description: "Calls that the service makes to your programs, signed as in Standard Webhooks." },
  { name: "Provider webhooks", description: "Calls that the service receives from its email provider." },
];

const areas: [RegExp, string][] = [
  [/^\/api\/newsletter/, "Newsletter"],
  [/^\/api\/v1\/subscribers/, "Subscribers"],
  [/^\/api\/contact/, "Contact"],
  [/^\/api\/v1\/storage\/files/, "Files"],
  [/^\/api\/v1\/storage/, "Uploads"],
  [/^\/api\/webhooks/, "Provider webhooks"],
  [/^\/api\//, "Content"],
];
export const tagOf = (path: string) => areas.find(([pattern]) => pattern.test(path))?.[1] ?? "Operations";

/** A failure, with an example for readers. */
function refusal(code: ErrorCode): ResponseObject {
  const { meaning, message, details } = errorTexts[code];
  const error = { code, message, details };
  const failure = { $ref: "#/components/schemas/Failure" };
  return content(meaning, "application/json", failure, { success: false, data: null, error });
}

const header = (description: string, example: string | number) => ({
  description,
  schema: { type: typeof example === "number" ? "integer" : "string", examples: [example] },
});
const to = (...names: string[]) => ({
  headers: Object.fromEntries(names.map((name) => [name, { $ref: `#/components/headers/${name}` }])),
});

export const components = {
  securitySchemes: {
    apiKey: {
      type: "apiKey",
      in: "header",
      name: "x-api-key",
      description:
        "Create a key in the dashboard under API keys, or with `keys create`. It is shown once. A key can be limited to scopes, to networks and in time. Without scopes, it has `content:read`, `settings:read`, `files:read` and `files:write`.",
    },
  },
  headers: {
    RateLimit: header("Remaining requests, and seconds until the window resets.", '"subscribe";r=4;t=600'),
    "RateLimit-Policy": header("The limit: number of requests per window in seconds.", '"subscribe";q=5;w=600'),
    "Retry-After": header("Seconds to wait before retrying.", 600),
    ETag: header("Send it in If-None-Match with the next request.", '"posts-42"'),
    Link: header('Link to the next page (rel="next"). Absent on the last page.', '<…?cursor=…>; rel="next"'),
    "Postroom-Next-Cursor": header("The `cursor` of the next page. Absent on the last page.", "WzE3NjM1Nl0"),
    "Postroom-Visitor": header(
      "Whether the named visitor counts: `used`, or `ignored` and the reason: `scope`, `address`, `private`, or `limit` with a 429. Absent if none is named, or without a valid key.",
      'ignored; reason="private"',
    ),
    "X-Total-Count": header("Total number of items on all pages.", 120),
  },
  responses: {
    NotModified: {
      description: "Not modified since the response with the ETag sent in If-None-Match.",
      ...to("ETag"),
    },
    NotValid: refusal("VALIDATION_ERROR"),
    Malformed: {
      description: "The request could not be parsed as HTTP. The response has no body, and the connection is closed.",
    },
    Unauthorized: refusal("UNAUTHORIZED"),
    Forbidden: { ...refusal("FORBIDDEN"), ...to("RateLimit", "RateLimit-Policy") },
    NotFound: refusal("NOT_FOUND"),
    TooLarge: refusal("PAYLOAD_TOO_LARGE"),
    TooManyRequests: { ...refusal("RATE_LIMITED"), ...to("RateLimit", "RateLimit-Policy", "Retry-After") },
    Failed: refusal("INTERNAL_ERROR"),
    Overloaded: { ...refusal("OVERLOADED"), ...to("Retry-After") },
    NotValidPage: htmlPage(errorTexts.VALIDATION_ERROR.message),
    NotFoundPage: htmlPage(errorTexts.NOT_FOUND.message),
    TooLargePage: htmlPage(errorTexts.PAYLOAD_TOO_LARGE.message),
    FailedPage: htmlPage(errorTexts.INTERNAL_ERROR.message),
    OverloadedPage: { ...htmlPage(errorTexts.OVERLOADED.message), ...to("Retry-After") },
  },
};
