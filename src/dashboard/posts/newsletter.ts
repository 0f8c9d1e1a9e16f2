import type { Broadcast, BroadcastWithContent } from "../../../db/broadcasts/broadcasts";
import { withContent } from "../../../db/broadcasts/broadcasts";
import { create, edit } from "../../../db/broadcasts/edit";
import type { Confirming } from "../../../db/broadcasts/states";
import { graceMs, ofPost } from "../../../db/broadcasts/with-post";
import type { TaggedPost } from "../../../db/posts/rows";
import type { FieldError } from "../../../views/components/forms/field-errors";
import type { Frame } from "../../../views/components/frame";
import { number } from "../../../views/components/list";
import { paths } from "../../../views/paths";
import type { NewsletterView } from "../../../views/dashboard/posts/editor/publish";
import { prepareBroadcast, writeBroadcast } from "../../broadcasts/freeze";
import type { Check } from "../../broadcasts/letter/checks";
import { isLive } from "../../mail/open";
import { actorOf } from "../../security/session";
import { audienceWords } from "../segments/words";
import { Fields, inputs } from "../broadcasts/composer/form";
import type { Deps } from "../deps";
import { maxUntyped, numberIn, readForm } from "../form-input";

/* The newsletter that goes out with a post. It is a draft from when it is chosen, as in the composer. */

const Letter = Fields.pick({ subject: true, preheader: true });
type Letter = { subject: string; preheader: string };

export const readLetter = ({ subject, preheader }: Letter) => readForm(Letter, { subject, preheader });

const shortened = (text: string) => [...text].slice(0, 150).join("");

/** Whether a role includes sending what it publishes. */
export const maySend = (may: Frame["may"]): boolean => may(`${paths.broadcasts}/new`, "POST");

const draftIn = (broadcasts: Broadcast[]) => broadcasts.find(({ state }) => state === "draft");

/** Saves subject and preview line in the draft of this post's newsletter, which is created if there is none. */
export async function saveLetter(
  { db, now }: Deps,
  request: Request,
  post: TaggedPost,
  letter: Letter,
): Promise<Broadcast | undefined> {
  const draft = draftIn(await ofPost(db, post.id));
  if (!draft) {
    const fields = { ...letter, fromName: "", archive: "listed" as const, segment: {}, content: "" };
    return create(db, { source: { kind: "post", postId: post.id }, fields }, actorOf(request), now());
  }
  if (draft.subject === letter.subject && draft.preheader === letter.preheader) return draft;
  const edited = await edit(db, draft, letter, now());
  return edited.outcome === "gone" ? undefined : edited.broadcast;
}

type Chosen = {
  post: TaggedPost;
  draft: Broadcast | undefined;
  answer: ({ send?: string | undefined; fine: string[]; typed: string } & Letter) | undefined;
  at: Date;
};

/** What the sheet shows of the newsletter. */
export async function newsletterOf(
  deps: Deps,
  frame: Frame,
  { post, draft: chosen, answer, at }: Chosen,
): Promise<NewsletterView> {
  const { config, db } = deps;
  const all = await ofPost(db, post.id);
  const mayChange = maySend(frame.may);
  const draft = mayChange ? (chosen ?? draftIn(all)) : undefined;
  const content = draft && (await withContent(db, draft.id));
  const written = content && (await writeBroadcast({ config, db }, content, frame.now, at));
  const [words = ""] = draft ? await audienceWords(db, [draft], frame.preferences) : [];
  return {
    mayChange,
    isChosen: mayChange && answer?.send === "yes",
    subject: answer?.subject || draft?.subject || shortened(post.title),
    preheader: answer ? answer.preheader : (draft?.preheader ?? shortened(post.excerpt)),
    inputs,
    draft,
    audience: written?.audience ?? 0,
    audienceWords: words,
    checks: written?.checks ?? [],
    fine: answer?.fine ?? [],
    typed: answer?.typed ?? "",
    maxUntyped,
    isSimulated: !isLive(config),
    waiting: all.find(({ state, withPost }) => state === "scheduled" && withPost),
    sent: all.find(({ startedAt }) => startedAt !== null),
  };
}

/** The newsletter as it would be frozen: what speaks against it, and how it is confirmed. */
export type Sending = { checks: Check[]; confirming?: Confirming; audience: number; isChanged: boolean };

/** Writes the letter as it will be sent once the post is public. */
export async function prepare(
  { config, db, now }: Deps,
  { id, version }: Pick<BroadcastWithContent, "id" | "version">,
  at: Date,
): Promise<Sending> {
  const start = at > now() ? at : new Date(now().getTime() + graceMs);
  const prepared = await prepareBroadcast({ config, db }, id, { at: start, version, release: at }, now());
  const { checks } = prepared;
  if (prepared.outcome !== "ready") return { checks, audience: 0, isChanged: prepared.outcome !== "blocked" };
  return { checks, confirming: prepared.confirming, audience: prepared.confirming.to.audience, isChanged: false };
}

/** Returns what has to be corrected or confirmed before it is sent. */
export function sendErrors(
  { checks, audience, isChanged }: Sending,
  { fine, typed }: { fine: string[]; typed: string },
): FieldError[] {
  if (isChanged) return [{ field: "send", message: "The newsletter was changed in the meantime. Check it again." }];
  const unconfirmed = checks.flatMap(({ kind, code, sentence }) => {
    if (kind === "block") return [{ field: "fine", message: `The newsletter cannot be sent: ${sentence}` }];
    return fine.includes(code) ? [] : [{ field: "fine", message: `Confirm: ${sentence}` }];
  });
  if (audience <= maxUntyped || numberIn(typed) === audience) return unconfirmed;
  return [...unconfirmed, { field: "typed", message: `Enter ${number(audience)} to confirm the number of people.` }];
}
