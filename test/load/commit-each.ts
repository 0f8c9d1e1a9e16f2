/**
 * Subscribing as it is usually written, for comparison: `bun test/load/commit-each.ts <file>` inserts the subscriber,
 * the event and the email of each request in a transaction of its own, as durable as ours, and prints its port.
 */
import { Database } from "bun:sqlite";

const [file = ""] = Bun.argv.slice(2);
const sqlite = new Database(file, { create: true, strict: true });
sqlite.run("PRAGMA journal_mode = WAL");
sqlite.run("PRAGMA synchronous = FULL");
sqlite.run("CREATE TABLE subscribers (id TEXT PRIMARY KEY, email TEXT UNIQUE NOT NULL, created_at INTEGER) STRICT");
for (const table of ["events", "mails"])
  sqlite.run(`CREATE TABLE ${table} (id TEXT PRIMARY KEY, subscriber_id TEXT NOT NULL, created_at INTEGER) STRICT`);
const subscriber = sqlite.prepare("INSERT INTO subscribers VALUES (?, ?, ?) ON CONFLICT DO NOTHING");
const event = sqlite.prepare("INSERT INTO events VALUES (?, ?, ?)");
const mail = sqlite.prepare("INSERT INTO mails VALUES (?, ?, ?)");

const subscribe = sqlite.transaction((email: string) => {
  const [id, now] = [crypto.randomUUID(), Date.now()];
  if (!subscriber.run(id, email, now).changes) return;
  event.run(crypto.randomUUID(), id, now);
  mail.run(crypto.randomUUID(), id, now);
});

const server = Bun.serve({
  port: 0,
  hostname: "127.0.0.1",
  async fetch(request) {
    const { email } = (await request.json()) as { email: string };
    subscribe.immediate(email);
    return Response.json({ success: true, data: { alreadySubscribed: false }, error: null }, { status: 201 });
  },
});
console.log(server.port);
