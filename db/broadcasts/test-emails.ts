import { and, count, eq, gt } from "drizzle-orm";
import type { Db } from "../engine/open";
import * as audit from "../audit";
import * as outbox from "../mail/outbox";
import { broadcasts } from "../schema/broadcasts";
import { outbox as mails } from "../schema/mail";
import { find } from "./broadcasts";

const maxPerHour = 20; // of all broadcasts

/** Queues test emails of the current version of a broadcast. At most 20 per hour. */
export const sendTests = (db: Db, { id, addresses }: { id: string; addresses: string[] }, by: audit.Actor, now: Date) =>
  db.write(async (orm): Promise<"queued" | "gone" | "too-many"> => {
    const broadcast = await find(orm, id);
    if (!broadcast) return "gone";
    const lately = and(eq(mails.kind, "broadcast-test"), gt(mails.createdAt, new Date(now.getTime() - 3_600_000)));
    const sent = (await orm.select({ n: count() }).from(mails).where(lately).get())?.n ?? 0;
    if (sent + addresses.length > maxPerHour) return "too-many";
    for (const recipient of addresses)
      await outbox.enqueue(orm, { kind: "broadcast-test", recipient, subjectId: id, payload: {} }, now);
    const { version, subject } = broadcast;
    await orm.update(broadcasts).set({ testedVersion: version }).where(eq(broadcasts.id, id)).run();
    const details = { to: addresses.join(", ") };
    await audit.record(
      orm,
      { ...by, action: "broadcast.test", targetId: id, target: subject || "Untitled", details },
      now,
    );
    return "queued";
  });
