import { content, notModified, parameter } from "../openapi/responses";
import { htmlPage } from "../openapi/bare-responses";

const tags = ["Newsletter"];
export const docs = {
  index: {
    tags,
    summary: "Show the newsletter archive",
    description: "Lists the broadcasts that were sent to everyone, newest first, twenty per page.",
    parameters: [parameter("query", "page", "Counts from 1.", { pattern: "^[1-9][0-9]{0,5}$" })],
    responses: { 200: htmlPage("The page."), ...notModified, 404: htmlPage("Page not found.") },
  },
  broadcast: {
    tags,
    summary: "Show a broadcast",
    description:
      "Unlisted broadcasts are shown to anyone who knows their slug. Merge fields are replaced by their fallbacks.",
    responses: { 200: htmlPage("The page."), ...notModified },
  },
  feed: {
    tags,
    summary: "RSS feed of the newsletter",
    responses: { 200: content("The file.", "application/rss+xml", { type: "string" }), ...notModified },
  },
  sitemap: {
    tags,
    summary: "Sitemap of the newsletter archive",
    responses: { 200: content("The file.", "application/xml", { type: "string" }), ...notModified },
  },
};
