import { readsReplies } from "../../../../db/settings/settings";
import { z } from "zod";
import { type Broadcast, withContent } from "../../../../db/broadcasts/broadcasts";
import { sendTests } from "../../../../db/broadcasts/edit";
import { lengthOf } from "../../../../db/lib/text";
import { ownerEmail } from "../../../../db/contact/owner";
import * as postEdits from "../../../../db/posts/edit";
import { sequenceOfStep } from "../../../../db/sequences/sequences";
import type { AssetName } from "../../../../views/assets";
import type { FieldError } from "../../../../views/components/forms/field-errors";
import type { Frame } from "../../../../views/components/frame";
import { ToastPartial } from "../../../../views/components/toast";
import {
  ComposerPage,
  type ComposerView,
  SavedPieces,
  Verdict,
} from "../../../../views/dashboard/broadcasts/composer/composer";
import { conflictTitle, ConflictView } from "../../../../views/dashboard/broadcasts/composer/envelope";
import { path, testQueued, titleOf, tooManyTests } from "../../../../views/dashboard/broadcasts/state";
import { siteNames, writeBroadcast } from "../../../broadcasts/freeze";
import { fragment } from "../../../http/response";
import { isOneAddress, senderOf } from "../../../mail/headers";
import { isLive } from "../../../mail/open";
import { actorOf } from "../../../security/session";
import { askAudience } from "../audience/audience";
import { audienceWords } from "../../segments/words";
import { gone } from "../broadcasts";
import { askToSend, inboxOf } from "../question";
import { withChosenPicture } from "../../chosen-picture";
import type { Deps } from "../../deps";
import { frameOf, isPartial, pages } from "../../pages";
import { forManagers } from "../../permissions";
import { json, seeOther, show } from "../../responses";
import { openToNodes } from "../../storage/pages";
import { inputs, saveDraft, type Typed, typedIn, typedOf } from "./form";
import { previewFor } from "./preview";

const extras: AssetName[] = ["editor.css", "broadcasts.css", "editor.js", "link.js", "composer.js", "mdx.js"];

/** What the form sends besides its fields. */
const Sent = z.object({
  version: z.coerce.number().int().min(0).catch(0),
  do: z.enum(["save", "audience", "test", "review"]).catch("save"),
});

/** The composer of a draft. The second of two simultaneous edits gets a page with both versions. */
export const broadcastComposer = (deps: Deps) =>
  pages(path, deps, forManagers)
    .post("/:id", ({ request, params: { id }, body }) => save(deps, request, id, body))
    .post("/:id/draft", ({ params: { id }, body }) => keep(deps, id, body))
    .get("/:id/verdict", ({ request, params: { id } }) => verdict(deps, request, id));

/** Shows the saved draft. */
export async function openComposer(deps: Deps, request: Request, broadcast: Broadcast) {
  const saved = await withContent(deps.db, broadcast.id);
  if (!saved) return gone(deps, request);
  return editor(deps, request, broadcast, { typed: typedOf(saved), version: saved.version });
}

/** Shows the composer, with what has to be corrected. */
async function editor(deps: Deps, request: Request, broadcast: Broadcast, edit: Edit) {
  const frame = await frameOf(deps, request);
  const view = await composerView(deps, frame, broadcast, edit);
  if (!view) return gone(deps, request);
  const status = edit.errors ? 422 : 200;
  if (isPartial(request))
    return fragment(<ComposerPage {...view} />, status, { "hx-retarget": "#editor", "hx-reswap": "outerHTML" });
  await openToNodes(deps, request);
  return show({ frame, title: titleOf(broadcast), extras, status }, <ComposerPage {...view} />);
}

async function save(deps: Deps, request: Request, id: string, body: unknown) {
  const waiting = await withChosenPicture(deps, body);
  const typed = typedIn(waiting ?? body);
  const { version, do: action } = Sent.parse(body);
  if (waiting) return showAgain(deps, request, id, { typed, version });
  const saved = await saveDraft(deps, id, version, typed);
  switch (saved.outcome) {
    case "gone":
      return gone(deps, request);
    case "invalid":
      return editor(deps, request, saved.current, { typed, version, errors: saved.errors });
    case "conflict":
      return conflict(deps, request, saved.current, typed);
    case "saved":
      return afterSave(deps, request, saved.broadcast, { typed, action });
  }
}

/** Shows what was typed, with the picture that was chosen for it. */
async function showAgain(deps: Deps, request: Request, id: string, edit: Edit) {
  const current = await withContent(deps.db, id);
  return current && !current.deletedAt ? editor(deps, request, current, edit) : gone(deps, request);
}

type Saved = { typed: Typed; action: z.output<typeof Sent>["do"] };

/** Does what the button says, after saving the form. */
async function afterSave(deps: Deps, request: Request, broadcast: Broadcast, { typed, action }: Saved) {
  const beside = isPartial(request) ? await savedPieces(deps, request, broadcast, typed) : undefined;
  const isStep = broadcast.kind === "step"; // its sequence decides who gets it, and when
  if (action === "audience" && !isStep) return askAudience(deps, request, broadcast, beside);
  if (action === "review" && !isStep) return askToSend(deps, request, broadcast, { beside });
  if (action === "test") return test(deps, request, broadcast, typed);
  if (!beside) return seeOther(request, `${path}/${broadcast.id}`, { kind: "good", text: "Saved." });
  return fragment(beside);
}

/** The parts of the page that change when the text is saved. */
async function savedPieces(deps: Deps, request: Request, broadcast: Broadcast, typed: Typed) {
  const frame = await frameOf(deps, request);
  const view = await composerView(deps, frame, broadcast, { typed, version: broadcast.version });
  return view && <SavedPieces {...view} />;
}

async function conflict(
  deps: Deps,
  request: Request,
  current: NonNullable<Awaited<ReturnType<typeof withContent>>>,
  typed: Typed,
) {
  const frame = await frameOf(deps, request);
  const content = <ConflictView frame={frame} broadcast={current} typed={typed} theirs={typedOf(current)} />;
  if (isPartial(request)) return fragment(content, 409, { "hx-retarget": "#editor", "hx-reswap": "outerHTML" });
  const title = conflictTitle(current);
  return show({ frame, title, status: 409, extras: ["editor.css", "broadcasts.css"] }, content);
}

const maxTests = 5;

/** Sends a test to the addresses in the form, through the outbox. */
async function test(deps: Deps, request: Request, broadcast: Broadcast, typed: Typed) {
  const { db, now } = deps;
  const addresses = [...new Set((typed.fields.testTo ?? "").split(/[\s,;]+/).filter(Boolean))];
  const refuse = (message: string) =>
    editor(deps, request, broadcast, { typed, version: broadcast.version, errors: [{ field: "testTo", message }] });
  if (!addresses.length || addresses.length > maxTests) return refuse("Enter one to five email addresses.");
  const wrong = addresses.find((address) => !isOneAddress(address));
  if (wrong) return refuse(`Correct “${wrong.slice(0, 60)}”: it is not an email address.`);
  const outcome = await sendTests(db, { id: broadcast.id, addresses }, actorOf(request), now());
  if (outcome === "gone") return gone(deps, request);
  if (outcome === "too-many") return refuse(tooManyTests);
  const notice = { kind: "good", text: testQueued(addresses, !isLive(deps.config)) } as const;
  if (!isPartial(request)) return seeOther(request, `${path}/${broadcast.id}`, notice);
  const { token } = await frameOf(deps, request);
  return fragment(
    <>
      {await savedPieces(deps, request, broadcast, typed)}
      <ToastPartial notice={notice} token={token} />
    </>,
  );
}

/** Autosaves what editor.ts sends. The row itself is saved, because no one else is shown a draft. */
async function keep(deps: Deps, id: string, body: unknown) {
  const { version } = Sent.parse(body);
  const saved = await saveDraft(deps, id, version, typedIn(body));
  if (saved.outcome === "gone") return json({ isGone: true }, 404);
  if (saved.outcome === "invalid") return json({ errors: saved.errors }, 422);
  const isBehind = saved.outcome === "conflict";
  const kept = { savedAt: deps.now().toISOString(), action: `${path}/${id}`, isBehind };
  return json({ ...kept, version: isBehind ? version : saved.broadcast.version });
}

/** Recipients and checks of the saved text, for the page that is open. */
async function verdict(deps: Deps, request: Request, id: string) {
  const saved = await withContent(deps.db, id);
  if (!saved) return gone(deps, request);
  const frame = await frameOf(deps, request);
  const view: ComposerView | undefined = await composerView(deps, frame, saved, {
    typed: typedOf(saved),
    version: saved.version,
  });
  return view ? fragment(<Verdict {...view} />) : gone(deps, request);
}

/** The contents of the form: what was typed, the version it is based on, and what is wrong with it. */
type Edit = { typed: Typed; version: number; errors?: FieldError[] };

/** Builds the composer's view: what was typed, and the checks of what is saved. */
async function composerView(
  { config, db }: Deps,
  frame: Frame,
  broadcast: Broadcast,
  { typed, version, errors }: Edit,
): Promise<ComposerView | undefined> {
  const saved = await withContent(db, broadcast.id);
  if (!saved) return;
  const [written, [words = ""], post, owner, sequence, { fields, topics }] = await Promise.all([
    writeBroadcast({ config, db }, saved, frame.now),
    audienceWords(db, [saved], frame.preferences),
    saved.postId ? postEdits.byId(db, saved.postId) : undefined,
    readsReplies(db).then((reads) => (reads ? ownerEmail({ config, db }) : undefined)),
    saved.kind === "step" ? sequenceOfStep(db, saved) : undefined,
    siteNames(db),
  ]);
  const { subject = "", preheader = "", fromName = "", archive = "listed", testTo } = typed.fields;
  return {
    frame,
    broadcast: saved,
    subject,
    preheader,
    fromName,
    content: typed.content,
    length: lengthOf(typed.content),
    version,
    errors,
    inputs: { ...inputs, for: previewFor },
    archive: archive === "unlisted" || archive === "none" ? archive : "listed",
    from: senderOf(config.MAIL_FROM),
    audience: written.audience,
    audienceWords: words,
    sequence: sequence && { id: sequence.id, name: sequence.name },
    checks: written.checks,
    passed: written.passed,
    inbox: inboxOf(config, saved, written.written),
    testTo: testTo || frame.manager.email,
    post: post && { id: post.id, title: post.title },
    replyTo: owner,
    merge: { fields: [...fields], topics: [...topics] },
  };
}
