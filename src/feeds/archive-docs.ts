import { content, notModified, parameter } from "../openapi/responses";
import { htmlPage } from "../openapi/bare-responses";

const tags = ["Newsletter"];
export const docs = {
  index: {
    tags,
    summary: "The archive of the newsletter",
    description: "Lists the broadcasts that were sent to everyone, newest first, twenty a page.",
    parameters: [parameter("query", "page", "Counts from 1.", { pattern: "^[1-9][0-9]{0,5}$" })],
    responses: { 200: htmlPage("The page."), ...notModified, 404: htmlPage("Page not found.") },
  },
  broadcast: {
    tags,
    summary: "A broadcast as a page",
    description: "Unlisted broadcasts are found by those who know their slug. Merge fields have their fallbacks.",
    responses: { 200: htmlPage("The page."), ...notModified },
  },
  feed: {
    tags,
    summary: "The newest broadcasts as RSS 2.0",
    responses: { 200: content("The file.", "application/rss+xml", { type: "string" }), ...notModified },
  },
  sitemap: {
    tags,
    summary: "The addresses of the archive",
    responses: { 200: content("The file.", "application/xml", { type: "string" }), ...notModified },
  },
};
