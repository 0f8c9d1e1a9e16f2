import { expect } from "bun:test";
import { copyFileSync } from "node:fs";
import { join } from "node:path";
import { look, onSqlite } from "../../test/support/look";
import { temporaryFolder } from "../../test/support/processes";
import { claim } from "../mail/claim";
import * as subscribers from "../newsletter/subscribers";
import { openDb } from "../open";
import { stopSendingIn } from "./backup-file";

onSqlite("restoring a file")(
  "an email that was queued in a backup is not sent after the provider forgot its key: it is uncertain",
  async () => {
    using folder = temporaryFolder();
    const file = join(folder.path, "postroom.sqlite");
    const at = new Date("2026-11-21T12:00:00Z");
    const later = (hours: number) => new Date(at.getTime() + hours * 3_600_000);
    let db = await openDb(file);
    await subscribers.subscribe(db, { email: "ada@example.com" }, { via: "form" }, at);
    await subscribers.subscribe(db, { email: "bob@example.com" }, { via: "form" }, later(10));
    await db.close();
    const restored = join(folder.path, "restored.sqlite");
    copyFileSync(file, restored);
    stopSendingIn(restored, later(26));
    db = await openDb(restored);
    expect((await claim(db, 10, later(26))).map(({ recipient }) => recipient)).toEqual(["bob@example.com"]);
    const uncertain = "select recipient from outbox where state = 'dead' and in_doubt_since is not null";
    expect(await look(db, uncertain)).toEqual([{ recipient: "ada@example.com" }]);
    await db.close();
  },
);

onSqlite("restoring a file")(
  "what was paused in a backup may have gone on since, so it needs a review before it goes on again",
  async () => {
    using folder = temporaryFolder();
    const file = join(folder.path, "postroom.sqlite");
    const db = await openDb(file);
    for (const [id, state, reason] of [
      ["p", "paused", "manager"],
      ["s", "sending", null],
      ["d", "draft", null],
    ] as const)
      await look(
        db,
        `insert into broadcasts (id, kind, slug, subject, archive, state, state_reason, created_by, created_at, updated_at)
         values (?, 'own', ?, 'News', 'listed', ?, ?, 'ada@example.com', 0, 0)`,
        [id, id, state, reason],
      );
    for (const state of ["paused", "off"])
      await look(
        db,
        `insert into sequences (id, name, folded, trigger, state, reason, created_by, created_at, updated_at)
         values (?, 'S', ?, 'subscribed', ?, 'manager', 'ada@example.com', 0, 0)`,
        [state, state, state],
      );
    await db.close();
    const restored = join(folder.path, "restored.sqlite");
    copyFileSync(file, restored);
    expect(stopSendingIn(restored, new Date("2026-11-21T12:00:00Z"))).toBe(1); // the other was paused already
    const after = await openDb(restored);
    expect(await look(after, "select id, state, state_reason as reason from broadcasts order by id")).toEqual([
      { id: "d", state: "draft", reason: null },
      { id: "p", state: "paused", reason: "restored" },
      { id: "s", state: "paused", reason: "restored" },
    ]);
    expect(await look(after, "select id, reason from sequences order by id")).toEqual([
      { id: "off", reason: "manager" },
      { id: "paused", reason: "restored" },
    ]);
    await after.close();
  },
);

onSqlite("restoring a file")(
  "what a backup would have sent by itself, in a sequence or because of posts, is not begun",
  async () => {
    using folder = temporaryFolder();
    const file = join(folder.path, "postroom.sqlite");
    let db = await openDb(file);
    await look(
      db,
      `insert into sequences (id, name, folded, trigger, state, created_by, created_at, updated_at)
       values ('q', 'S', 's', 'subscribed', 'on', 'ada@example.com', 0, 0)`,
    );
    await look(
      db,
      `insert into post_rules (row, id, position, becomes, created_by, created_at, updated_at)
       values (1, 'r', 0, 'digest', 'ada@example.com', 0, 0)`,
    );
    for (const [id, state] of [
      ["first", "due"],
      ["second", "waiting"],
    ] as const) {
      await look(
        db,
        `insert into posts (id, slug, title, published, created_at, updated_at, folded)
         values (?, ?, 'Post', 1, 0, 0, '')`,
        [id, id],
      );
      await look(
        db,
        `insert into post_mailings (post_id, rule_row, becomes, state, due_at, created_at)
         values (?, 1, 'send', ?, 0, 0)`,
        [id, state],
      );
    }
    await look(
      db,
      "insert into digests (rule_row, week, state, version, due_at, created_at) values (1, '2026-11-23', 'due', 1, 0, 0)",
    );
    await db.close();
    expect(stopSendingIn(file, new Date("2026-11-21T12:00:00Z"))).toBe(0);
    db = await openDb(file);
    expect(await look(db, "select state, reason from sequences")).toEqual([{ state: "paused", reason: "restored" }]);
    expect(await look(db, "select off_reason as reason from post_rules")).toEqual([{ reason: "restored" }]);
    const done = [{ state: "done" }];
    expect(await look(db, "select distinct state from post_mailings")).toEqual(done);
    expect(await look(db, "select state from digests")).toEqual(done);
    await db.close();
  },
);
