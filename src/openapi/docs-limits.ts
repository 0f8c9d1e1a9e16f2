import type { LimitGroup } from "../../views/docs/guides";
import { maxBodyBytes, maxDepth } from "../http/request-body";
import { limits } from "../security/limits/limits";
import type { Limit } from "../security/limits/ring";

const perWindow = ({ max, seconds }: Limit) =>
  `${max.toLocaleString("en")} in ${seconds < 120 ? `${seconds} seconds` : `${seconds / 60} minutes`}`;

/** The limits of the service, from the constants that enforce them. */
export const limitGroups: LimitGroup[] = [
  {
    id: "rate-limits",
    title: "Rate limits",
    text: "Counted for each client address (IPv6: each /64 network) or key, in a sliding window. Responses carry `RateLimit` (`r` requests remain, `t` seconds until the window resets) and `RateLimit-Policy` (`q` requests in `w` seconds). Beyond it, the response is 429 with `Retry-After`.",
    limits: [
      { what: "Subscribing, for each client", limit: perWindow(limits.subscribe) },
      { what: "Contact messages, for each client", limit: perWindow(limits.contact) },
      { what: "Keyed requests, for each key", limit: perWindow(limits.key) },
      { what: "Subscribers that are erased, for each key", limit: perWindow(limits.erasures) },
      { what: "Forms on behalf of visitors, for each key", limit: perWindow(limits.visitorForms) },
      { what: "Views on behalf of visitors, for each key", limit: perWindow(limits.visitorViews) },
      { what: "Provider reports with a wrong signature, for each client", limit: perWindow(limits.webhook) },
    ],
  },
  {
    id: "hourly-limits",
    title: "Hourly limits",
    text: "The owner may limit what all visitors together can cause in an hour, under Settings in the dashboard. Beyond such a limit, new subscribers or messages get 429 with `Retry-After` until the hour is over, or messages wait in quarantine.",
    limits: [],
  },
  {
    id: "request-size",
    title: "Size of a request",
    text: "What is larger is refused before it is read. Files do not count: they go directly to storage.",
    limits: [
      { what: "Body", limit: `${maxBodyBytes / 1024} KiB` },
      { what: "Body of a batch of subscribers, with a key", limit: "1 MiB" },
      { what: "Levels of nesting in JSON", limit: String(maxDepth) },
      { what: "Request line and headers together", limit: "16 KiB" },
      { what: "Number of headers", limit: "200" },
      { what: "Text of a search", limit: "500 characters (`q`)" },
      { what: "Idempotency-Key", limit: "1 to 255 visible ASCII characters" },
    ],
  },
  {
    id: "paging",
    title: "Pages of a list",
    text: 'Lists are returned page by page. Follow `Link` (`rel="next"`), or send the value of `Postroom-Next-Cursor` as `cursor`. `X-Total-Count` has the number of all items.',
    limits: [{ what: "Items on a page", limit: "1 to 100 (`limit`)" }],
  },
];
