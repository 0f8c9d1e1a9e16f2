import { createClient } from "postroom/client";

const baseUrl = process.env.POSTROOM_URL ?? "http://localhost:3000";

export const postroom = createClient({
  baseUrl,
  key: process.env.POSTROOM_KEY ?? "",
});

/** Where the page of a preview hears that a draft was saved. */
export const previewEvents = (slug: string, token: string) =>
  `${baseUrl}/api/posts/${encodeURIComponent(slug)}/preview-events?preview=${encodeURIComponent(token)}`;
