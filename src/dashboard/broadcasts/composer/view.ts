import { type Broadcast, withContent } from "../../../../db/broadcasts/broadcasts";
import { ownerAddress } from "../../../../db/contact/owner";
import * as postEdits from "../../../../db/posts/edit";
import type { FieldError } from "../../../../views/components/forms/field-errors";
import type { Frame } from "../../../../views/components/frame";
import type { ComposerView } from "../../../../views/dashboard/broadcasts/composer/composer";
import type { Deps } from "../../deps";
import { writeBroadcast } from "../../../broadcasts/freeze";
import { senderOf } from "../../../mail/headers";
import { inputs, type Typed } from "./form";
import { previewFor } from "./preview";
import { audienceWords } from "../audience/words";
import { inboxOf } from "../inbox";

/** The contents of the form: what was typed, the version it is based on, and what is wrong with it. */
type Edit = { typed: Typed; version: number; errors?: FieldError[] };

/** Builds the composer's view: what was typed, and what speaks against sending what is saved. */
export async function composerView(
  { config, db }: Deps,
  frame: Frame,
  broadcast: Broadcast,
  { typed, version, errors }: Edit,
): Promise<ComposerView | undefined> {
  const saved = await withContent(db, broadcast.id);
  if (!saved) return;
  const [written, [words = ""], post, owner] = await Promise.all([
    writeBroadcast({ config, db }, saved, frame.now),
    audienceWords(db, [saved], frame.preferences),
    saved.postId ? postEdits.byId(db, saved.postId) : undefined,
    config.OWNER_EMAIL ?? db.read(ownerAddress),
  ]);
  const { subject = "", preheader = "", fromName = "", archive = "listed", testTo } = typed.fields;
  return {
    frame,
    broadcast: saved,
    subject,
    preheader,
    fromName,
    content: typed.content,
    version,
    errors,
    inputs: { ...inputs, for: previewFor },
    archive: archive === "unlisted" || archive === "none" ? archive : "listed",
    from: senderOf(config.MAIL_FROM),
    audience: written.audience,
    audienceWords: words,
    checks: written.checks,
    passed: written.passed,
    inbox: inboxOf(config, saved, written.written),
    testTo: testTo || frame.manager.email,
    post: post && { id: post.id, title: post.title },
    replyTo: owner,
  };
}
