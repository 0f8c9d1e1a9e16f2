export const kilobyte = 1_000;

/* What requests of ours say, and where a route may be told something. */

/** What a request of ours says, where nothing hostile stands. Each route takes what it knows. */
export const usual: Record<string, string> = {
  ...{
    email: "ada@example.com",
    name: "Ada Ferris",
    message: "Good morning to all of you.",
    source: "blog",
    website: "",
  },
  ...{ title: "A post", slug: "", excerpt: "", content: "Words.", coverImage: "", author: "Ada", tags: "a, b" },
  ...{ publishedAt: "", zone: "UTC", version: "1", tech: "a, b", description: "Words.", imageUrl: "", liveUrl: "" },
  ...{ githubUrl: "", status: "DRAFT", was: "{}", days: "7", ids: "a", all: "", filter: "", do: "trash", typed: "a" },
  ...{
    confirmed: "yes",
    moved: "1",
    stamp: "a",
    to: "1",
    key: "about",
    value: "Words.",
    in: "",
    path: "a",
    upload: "a",
  },
  ...{ filename: "a.txt", into: "a", code: "123456", step: "a", next: "/dashboard", token: "a", current: "a" },
  ...{ password: "violet otter sings", role: "editor", q: "words", endpoint: "http://127.0.0.1:9", bucket: "a-bucket" },
  ...{ accessKey: "a", secretKey: "a", publicEndpoint: "", capacity: "1 GB", region: "", staleUploadHours: "24" },
  ...{
    siteTitle: "A",
    siteDescription: "A",
    draft: "yes",
    timeZone: "UTC",
    theme: "dark",
    was_slug: "",
    folderPath: "",
  },
};
export const fieldNames = Object.keys(usual);
export const queryNames = [
  "q",
  "tag",
  "cursor",
  "limit",
  "page",
  "per",
  "sort",
  "state",
  "source",
  "folder",
  "email",
  "token",
  "next",
  "preview",
  "from",
  "ids",
  "path",
  "in",
  "slug",
] as const;
export const headerNames = [
  "x-forwarded-for",
  "if-none-match",
  "idempotency-key",
  "range",
  "cookie",
  "accept-encoding",
  "accept",
  "accept-language",
  "content-type",
  "origin",
  "authorization",
  "x-api-key",
  "user-agent",
  "sec-purpose",
  "hx-current-url",
  "hx-request-type",
  "x-form-token",
  "referer",
  "if-modified-since",
  "forwarded",
] as const;

/** What is no text in JSON. */
export const typed: Record<string, unknown> = {
  size: 5,
  mimeType: "text/plain",
  numbers: [1],
  multipart: null,
  from: null,
  to: null,
};
