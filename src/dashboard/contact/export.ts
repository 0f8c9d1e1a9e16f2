import { timeZoneOf } from "../period";
import { batches } from "../../../db/contact/bulk";
import { boxOf, type Message } from "../../../db/contact/messages";
import { csvLine } from "../../content/csv/csv";
import type { Deps } from "../deps";
import { filterOf, type Query } from "./query";
import { download } from "../download";

const columns = ["id", "receivedAt", "name", "email", "source", "box", "readAt", "spamReason", "message"] as const;

const recordOf = (message: Message): Record<(typeof columns)[number], string | null> => ({
  id: message.id,
  receivedAt: message.createdAt.toISOString(),
  name: message.name,
  email: message.email,
  source: message.source,
  box: boxOf(message),
  readAt: message.readAt?.toISOString() ?? null,
  spamReason: message.spamReason,
  message: message.message,
});

async function* csv(list: AsyncIterable<Message[]>) {
  yield csvLine([...columns]);
  for await (const batch of list)
    yield batch.map((message) => csvLine(columns.map((name) => recordOf(message)[name]))).join("");
}

async function* json(list: AsyncIterable<Message[]>) {
  let start = "[\n";
  for await (const batch of list) {
    yield start + batch.map((message) => JSON.stringify(recordOf(message))).join(",\n");
    start = ",\n";
  }
  yield start === "[\n" ? "[]\n" : "\n]\n";
}

const formats = { csv, json };

/** Exports what the list shows, all pages of it. */
export const exportAs = (extension: keyof typeof formats, deps: Deps, request: Request, query: Query) =>
  download(
    deps,
    request,
    { name: "messages", extension, action: "message.export" },
    formats[extension](batches(deps.db, filterOf(query, timeZoneOf(request)))),
  );
