import { and, inArray, type SQL } from "drizzle-orm";
import type { Db } from ".";
import * as audit from "./audit";
import { type Mail, type MailFilter, matching } from "./outbox";
import { outbox } from "./schema";

/** A choice of mails: these, or all that match. */
export type Chosen = { ids: string[] } | { matching: MailFilter };
export type Changed = { count: number; first: Pick<Mail, "id" | "recipient" | "kind"> | undefined };

/**
 * Sends the chosen mails that failed once more, from the beginning of their patience. What was sent is never sent
 * again. @param from widens it to mails that ended otherwise
 */
export const retry = (db: Db, chosen: Chosen, by: audit.Actor, now: Date, from: Mail["state"][] = ["dead"]) =>
  change(db, "retry", chosen, from, { state: "queued", attempts: 0, nextAttemptAt: now }, by, now);

/** The chosen mails that wait will not be sent. One that is on its way at this moment may still arrive. */
export const cancel = (db: Db, chosen: Chosen, by: audit.Actor, now: Date) =>
  change(db, "cancel", chosen, ["queued"], { state: "cancelled", lastError: `Cancelled by ${by.actor}` }, by, now);

const change = (
  db: Db,
  verb: "retry" | "cancel",
  chosen: Chosen,
  from: Mail["state"][],
  values: Partial<Mail>,
  by: audit.Actor,
  now: Date,
) =>
  db.write((orm): Changed => {
    const changed = orm
      .update(outbox)
      .set(values)
      .where(and(among(chosen), inArray(outbox.state, from)))
      .returning({ id: outbox.id, recipient: outbox.recipient, kind: outbox.kind })
      .all();
    const [first, ...others] = changed;
    const target = others.length
      ? { details: { count: String(changed.length) } }
      : { targetId: first?.id, target: first?.recipient };
    if (first) audit.record(orm, { ...by, action: `mail.${verb}`, ...target }, now);
    return { count: changed.length, first };
  });

const among = (chosen: Chosen): SQL | undefined =>
  "ids" in chosen ? inArray(outbox.id, chosen.ids) : matching(chosen.matching);
