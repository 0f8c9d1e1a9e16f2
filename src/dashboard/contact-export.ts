import { batches } from "../../db/message-desk";
import { boxOf, type Message } from "../../db/messages";
import { csvLine } from "../csv";
import type { Deps } from "../deps";
import { filterOf, type Query } from "./contact-query";

const columns = ["id", "receivedAt", "name", "email", "source", "box", "readAt", "spamReason", "message"] as const;

const told = (message: Message): Record<(typeof columns)[number], string | null> => ({
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
    yield batch.map((message) => csvLine(columns.map((name) => told(message)[name]))).join("");
}

async function* json(list: AsyncIterable<Message[]>) {
  let start = "[\n";
  for await (const batch of list) {
    yield start + batch.map((message) => JSON.stringify(told(message))).join(",\n");
    start = ",\n";
  }
  yield start === "[\n" ? "[]\n" : "\n]\n";
}

const formats = {
  csv: { write: csv, type: "text/csv; charset=utf-8" },
  json: { write: json, type: "application/json; charset=utf-8" },
};

/** What the list shows, all pages of it, as a file. Sent while it is read, so its size does not matter. */
export function exportAs(format: keyof typeof formats, { db, now }: Pick<Deps, "db" | "now">, query: Query): Response {
  const { write, type } = formats[format];
  return new Response(write(batches(db, filterOf(query))), {
    headers: {
      "content-type": type,
      "content-disposition": `attachment; filename="messages-${now().toISOString().slice(0, 10)}.${format}"`,
      "cache-control": "no-store",
    },
  });
}
