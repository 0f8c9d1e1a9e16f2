/**
 * Mutants that change nothing anyone could notice, each with its reason. `npm run mutate` does not count them. A test
 * fails when the line is no longer there.
 */
export const equivalent: { file: string; line: string; replacement: string; why: string }[] = [
  {
    file: "db/engine/sqlite/open.ts",
    line: 'sqlite.run("PRAGMA cache_size = -32768"); // 32 MiB',
    replacement: ";",
    why: "SQLite answers the same with its own cache of 2 MiB, only more slowly.",
  },
  {
    file: "db/events/subscriber-events.ts",
    line: "if ((people?.n ?? 0) >= 3) await orm.update(subscriberEvents).set({ probableScanner: true }).where(lately).run();",
    replacement: "(0 + 1)",
    why: "A count always has a row; the default is for the types.",
  },
  {
    file: "db/storage/folders.ts",
    line: ".limit(1)",
    replacement: "(1 + 1)",
    why: "The first row is all that get reads; the limit only spares the database the others.",
  },
  {
    file: "db/access/sessions.ts",
    line: ".limit(1_000)",
    replacement: "(1_000 * 2)",
    why: "SQLite wants a limit before an offset; each sign-in leaves one session too many at most.",
  },
  {
    file: "src/content/mdx/prose-tree.ts",
    line: 'if (tag === "ol") return { tag, start: Number(props.start ?? 1), children: this.nodes(children, place) };',
    replacement: "(1 + 1)",
    why: "The parser gives every numbered list its start; the default is for the types.",
  },
  {
    file: "db/mail/outbox.ts",
    line: "const keys = { recipientKey, mailboxKey: mailbox === recipientKey ? null : mailbox };",
    replacement: "false",
    why: "An address that is its own mailbox is found by its subscriber or its key anyway; null keeps the index small.",
  },
  {
    file: "src/mail/resend-events.ts",
    line: "if (!broadcastId || broadcastId.length > 100 || !/^[1-9]\\d{0,14}$/.test(row)) return;",
    replacement: "(100 + 1)",
    why: "Our IDs have 36 characters; the bound only keeps long texts out of a query that finds nothing for them.",
  },
];
