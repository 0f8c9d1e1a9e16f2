import { Database } from "bun:sqlite";
import { closeSync, openSync, writeSync } from "node:fs";

/** Stores that many messages of 2 KB. */
export function fill(file: string, count: number): void {
  using sqlite = new Database(file);
  const insert = sqlite.prepare(
    "insert into messages (id, name, email, message, source, fingerprint, folded, created_at) values (?, 'A', 'a@example.com', ?, 'x', ?, '', ?)",
  );
  sqlite.transaction(() => {
    for (let i = 0; i < count; i++) insert.run(`m${i}`, "x".repeat(2_000), `f${i}`, i);
  })();
  sqlite.run("PRAGMA wal_checkpoint(TRUNCATE)");
}

/** Overwrites some of the pages that store messages, as a failing disk does. */
export function damage(file: string): void {
  const pages = leafPages(file);
  const descriptor = openSync(file, "r+");
  for (const page of pages.slice(2, 5)) writeSync(descriptor, Buffer.alloc(4_096, 0xff), 0, 4_096, (page - 1) * 4_096);
  closeSync(descriptor);
}

function leafPages(file: string): number[] {
  using sqlite = new Database(file, { readonly: true });
  const pages = sqlite
    .query<{ pageno: number }, []>("select pageno from dbstat where name = 'messages' and pagetype = 'leaf'")
    .all();
  return pages.map(({ pageno }) => pageno);
}
