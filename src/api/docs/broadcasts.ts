import { notModified, success } from "../../openapi/responses";

export const docs = {
  list: {
    tags: ["Newsletter"],
    summary: "List the broadcasts of the archive",
    description: "Returns the listed broadcasts that have been sent, newest first.",
    responses: { 200: success("BroadcastList", "Broadcasts without their text."), ...notModified },
  },
  one: {
    tags: ["Newsletter"],
    summary: "Read a broadcast of the archive",
    description: "`text` is plain text. Merge fields have their fallbacks.",
    responses: { 200: success("FullBroadcast", "The broadcast with its text."), ...notModified },
  },
};
