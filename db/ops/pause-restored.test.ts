import { expect } from "bun:test";
import { copyFileSync } from "node:fs";
import { join } from "node:path";
import { look, onSqlite } from "../../test/support/look";
import { temporaryFolder } from "../../test/support/processes";
import { claim } from "../mail/claim";
import * as subscribers from "../newsletter/subscribers";
import { openDb } from "../open";
import { pauseRestored } from "./backup-file";

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
    pauseRestored(restored, later(26));
    db = await openDb(restored);
    expect((await claim(db, 10, later(26))).map(({ recipient }) => recipient)).toEqual(["bob@example.com"]);
    const uncertain = "select recipient from outbox where state = 'dead' and in_doubt_since is not null";
    expect(await look(db, uncertain)).toEqual([{ recipient: "ada@example.com" }]);
    await db.close();
  },
);
