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
  {
    file: "src/storage/nodes/probe.ts",
    line: "const cut = { part: 3, size: 128 * 1024, sent: 64 * 1024 };",
    replacement: "(1024 * 2)",
    why: "Both sizes are arbitrary, as long as the second is smaller.",
  },
  {
    file: "db/ops/scrub.ts",
    line: 'const text = rest + buffer.toString("latin1", 0, bytes).toLowerCase();',
    replacement: "(0 + 1)",
    why: "A chunk begins with a page, whose first byte is its kind or a part of a page's number, never text.",
  },
  {
    file: "db/newsletter/pending.ts",
    line: "return Number.isNaN(askedAt) ? undefined : new Date(askedAt);",
    replacement: "false",
    why: "A date that is none is compared in one place, where every comparison with it is false.",
  },
  {
    file: "src/security/limits/in-memory.ts",
    line: "let sum = 0;",
    replacement: "(0 + 1)",
    why: "One client in many thousands fewer is remembered.",
  },
  {
    file: "src/feeds/subscribe-form.tsx",
    line: "const answerAfterMs = 300;",
    replacement: "(300 + 1)",
    why: "How long it takes is arbitrary, as long as it is longer than subscribing takes.",
  },
  {
    file: "src/openapi/document.ts",
    line: 'return (name === "minimum" || name === "maximum") && Math.abs(Number(value)) === Number.MAX_SAFE_INTEGER',
    replacement: "Math.abs(Number(value)) === Number.MAX_SAFE_INTEGER",
    why: "Nothing else in the document is so large a number.",
  },
  {
    file: "src/dashboard/contact/messages.tsx",
    line: "if (!message.readAt && !contextOf(request).isPassive) await markRead(deps, id);",
    replacement: "!contextOf(request).isPassive",
    why: "What is read is not marked again by the database; asking before spares it a write.",
  },
  {
    file: "db/projects/projects.ts",
    line: "set: { ...project, slug, deletedAt: null, updatedAt: now, version: sql`${projects.version} + 1` },",
    replacement: "2",
    why: "A version is compared with itself alone: any other number says that the project has changed.",
  },
  {
    file: "db/newsletter/by-row.ts",
    line: "const rows = await db.read((orm) => rowsAfter(orm, after, isAddress(filter), limit + 1));",
    replacement: "(1 + 1)",
    why: "One row beyond the page says that there are more; a second one says the same.",
  },
  {
    file: "db/ops/cleanup.ts",
    line: "export async function addUpDifferences(db: Db, perCommit = 10_000): Promise<void> {",
    replacement: "(10_000 * 2)",
    why: "The sums are the same, however many commits add them up.",
  },
  {
    file: "src/openapi/file-schemas.ts",
    line: 'missing: numbers("Parts still missing.", [2, 3]),',
    replacement: "(3 + 1)",
    why: "It is an example in the documentation: any numbers of parts are.",
  },
  {
    file: "db/storage/files-list.ts",
    line: "return { folders: all.sort((a, b) => (a.path < b.path ? -1 : 1)).slice(0, maxFolders), total: all.length };",
    replacement: "<=",
    why: "No two folders have the same path.",
  },
  {
    file: "src/backups/archive.ts",
    line: "return await reader.end();",
    replacement: "reader.end()",
    why: "It waits for nothing, so closing the reader before its promise is read changes nothing.",
  },
  {
    file: "src/storage/embedded/authentication.ts",
    line: 'const keys = { accessKey: randomBytes(10).toString("hex"), secretKey: randomBytes(32).toString("base64url") };',
    replacement: "(32 + 1)",
    why: "A secret of 32 random bytes cannot be guessed; neither can a longer one.",
  },
  {
    file: "src/mailbox/reader.ts",
    line: "this.isLooking = false;",
    replacement: "true",
    why: "On SQLite, what is looked for never changes. On PostgreSQL, test/postgres/mailbox.test.ts notices it.",
  },
  {
    file: "src/storage/pictures/child.ts",
    line: 'return bytes.subarray(1, 4).toString("latin1") === "PNG" && at > 0 && (pixels < 0 || at < pixels);',
    replacement: "(0 + 1)",
    why: "Before the first chunk of a PNG there are eight other bytes.",
  },
  {
    file: "src/storage/s3/multipart.ts",
    line: "let size = 0;",
    replacement: "(0 + 1)",
    why: "How much is read of a list of parts is arbitrary, as long as the longest one fits.",
  },
  {
    file: "src/storage/s3/objects.ts",
    line: "const pieceBytes = 8 * 2 ** 20;",
    replacement: "(20 + 1)",
    why: "In how many pieces an object is read changes none of its bytes.",
  },
  {
    file: "src/http/live-hub.ts",
    line: "if ((hasCommits && !this.db.isShared) || this.looks % looksPerSessionCheck === 0) await this.endOver(now());",
    replacement: "!==",
    why: "Sessions that ended by themselves are looked for more often: sooner than five seconds does no harm.",
  },
];
