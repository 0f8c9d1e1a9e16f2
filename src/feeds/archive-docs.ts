import { notModified, parameter } from "../openapi/responses";
import { htmlPage, xml } from "../openapi/bare-responses";

const tags = ["Newsletter"];
export const docs = {
  index: {
    tags,
    operationId: "getArchive",
    summary: "Show the newsletter archive",
    description: "Lists the broadcasts that were sent to everyone, newest first, twenty per page.",
    parameters: [parameter("query", "page", "Counts from 1.", { pattern: "^[1-9][0-9]{0,5}$" })],
    responses: { 200: htmlPage("The page."), ...notModified, 404: htmlPage("Page not found.") },
  },
  broadcast: {
    tags,
    operationId: "getArchivePage",
    summary: "Show a broadcast",
    description:
      "Unlisted broadcasts are shown to anyone who knows their slug. Merge fields are replaced by their fallbacks.",
    responses: { 200: htmlPage("The page."), ...notModified },
  },
  feed: {
    tags,
    operationId: "getArchiveFeed",
    summary: "RSS feed of the newsletter",
    responses: { 200: xml("application/rss+xml"), ...notModified },
  },
  sitemap: {
    tags,
    operationId: "getArchiveSitemap",
    summary: "Sitemap of the newsletter archive",
    responses: { 200: xml("application/xml"), ...notModified },
  },
};
