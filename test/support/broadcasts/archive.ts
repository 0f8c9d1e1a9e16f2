import type { Db } from "../../../db/engine/open";
import * as broadcasts from "../../../db/broadcasts/broadcasts";
import { create } from "../../../db/broadcasts/edit";
import { assignSlug, confirm } from "../../../db/broadcasts/states";
import { frozen } from "../../../src/broadcasts/letter/emails";
import { letterOf, type LetterSource } from "../../../src/broadcasts/letter/letter";
import { source } from "./letters";
import { look } from "../look";

type Options = Partial<LetterSource> & {
  archive?: "listed" | "unlisted" | "none";
  state?: "scheduled" | "sending" | "paused" | "sent" | "cancelled";
};

/** A broadcast that was confirmed, and is in this state: sent ones were sent at that moment, to nobody. */
export async function confirmedBroadcast(
  db: Db,
  now: Date,
  { archive = "listed", state = "sent", ...fields }: Options = {},
) {
  const by = { actor: "manager@example.com" };
  const letter = source(fields);
  const { subject, preheader, content } = letter;
  const draft = await create(
    db,
    { source: { kind: "own" }, fields: { subject, preheader, content, fromName: "", segment: {}, archive } },
    by,
    now,
  );
  const slug = (await assignSlug(db, draft.id, (subject) => subject)) ?? "";
  const { site } = letter;
  const envelope = { from: "a@site.example", siteTitle: site.title, siteUrl: site.url, isListed: archive === "listed" };
  await confirm(db, { seen: draft, to: { at: now, audience: 1, frozen: frozen(letterOf(letter), envelope) } }, by, now);
  const at = now.getTime();
  const [started, finished] = [
    state === "scheduled" ? null : at,
    state === "sent" || state === "cancelled" ? at : null,
  ];
  await look(db, "update broadcasts set state = ?, started_at = ?, finished_at = ? where id = ?", [
    state,
    started,
    finished,
    draft.id,
  ]);
  const broadcast = await broadcasts.byId(db, draft.id);
  if (!broadcast) throw new Error("The broadcast is gone");
  return { ...broadcast, slug };
}
