import { notModified, success } from "../../openapi/responses";

export const docs = {
  list: {
    tags: ["Newsletter"],
    operationId: "listBroadcasts",
    summary: "List the broadcasts in the archive",
    description: "Returns the listed broadcasts that have been sent, newest first.",
    responses: { 200: success("BroadcastList", "Broadcasts without their text."), ...notModified },
  },
  one: {
    tags: ["Newsletter"],
    operationId: "getBroadcast",
    summary: "Read a broadcast in the archive",
    description: "`text` is plain text, with fallbacks instead of merge fields.",
    responses: { 200: success("FullBroadcast", "The broadcast with its text."), ...notModified },
  },
};
