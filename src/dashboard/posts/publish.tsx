import { z } from "zod";
import { type Broadcast, type BroadcastWithContent, withContent } from "../../../db/broadcasts/broadcasts";
import { create, edit, sendTests } from "../../../db/broadcasts/edit";
import { foreseen } from "../../../db/broadcasts/from-posts/mailings";
import { maxSubject, timeToStopMs } from "../../../db/broadcasts/rules";
import type { Confirming } from "../../../db/broadcasts/states";
import { ofPost } from "../../../db/broadcasts/with-post";
import type { Db } from "../../../db/engine/open";
import { shortened } from "../../../db/lib/text";
import { dayMs, hourMs, isTimeZone } from "../../../db/lib/time";
import * as postEdits from "../../../db/posts/edit";
import type { TaggedPost } from "../../../db/posts/rows";
import { isLater, postUrlOf, statusOf } from "../../../db/posts/rules";
import { filesIn } from "../../../db/storage/pictures";
import { readTimeZone } from "../../../db/settings/settings";
import type { FieldError } from "../../../views/components/forms/field-errors";
import type { Frame, Preferences } from "../../../views/components/frame";
import { number } from "../../../views/components/list";
import { date } from "../../../views/components/time";
import { testQueued, tooManyTests } from "../../../views/dashboard/broadcasts/state";
import {
  type ByRule,
  checksOf,
  type NewsletterView,
  Outcome,
  type Plan,
  Problems,
  PublishSheet,
  publishTitle,
  type PublishView,
  ruleSentence,
  SilentCover,
} from "../../../views/dashboard/posts/editor/publish";
import { path } from "../../../views/dashboard/posts/state";
import { paths } from "../../../views/paths";
import { prepareBroadcast, writeBroadcast } from "../../broadcasts/freeze";
import type { Check } from "../../broadcasts/letter/checks";
import { parseMdx } from "../../content/mdx/mdx";
import { readPostUrl } from "../../content/post-url";
import { fragment } from "../../http/response";
import { isLive } from "../../mail/open";
import { actorOf, managerFor } from "../../security/session";
import { Fields, inputs } from "../broadcasts/composer/form";
import type { Deps } from "../deps";
import { Confirmation, localTime, maxUntyped, momentOf, numberIn, readForm, shortText } from "../form-input";
import { frameOf, isPartial, pages, refusalFor } from "../pages";
import { forEditors, forManagers, mayUse } from "../permissions";
import { preferencesOf, unknownZone } from "../preferences";
import { notThere, seeOther, showDialog } from "../responses";
import { audienceWords } from "../segments/words";
import { type Changed, savedPieces } from "./editor/view";

const Answer = Confirmation.extend({
  do: z.enum(["publish", "show", "test", "choose"]).catch("publish").default("publish"),
  /** Without it, the post keeps its date. */
  when: z.enum(["now", "at"]).optional().catch(undefined),
  send: z.literal("yes").optional().catch(undefined),
  subject: shortText(5_000),
  preheader: shortText(5_000),
});
type Answer = z.output<typeof Answer>;

/** The sheet on which a post is published, scheduled or dated, which saving alone never does. */
export const postPublishing = (deps: Deps) =>
  pages(path, deps, forEditors)
    .get("/:id/publish", async ({ request, params: { id } }) => {
      const post = await postEdits.byId(deps.db, id);
      if (post && !post.deletedAt) return askToPublish(deps, request, post);
      return notThere(await frameOf(deps, request), "This post is no longer there.", path);
    })
    .post("/:id/publish", ({ request, params: { id }, body }) => answer(deps, request, id, Answer.parse(body ?? {})));

async function answer(deps: Deps, request: Request, id: string, answer: Answer) {
  const post = await postEdits.byId(deps.db, id);
  if (!post || post.deletedAt) return seeOther(request, path, { kind: "bad", text: "This post has been deleted." });
  if (answer.version !== post.version) return tooLate(request, post);
  const { role } = managerFor(request).manager;
  if (answer.send && !maySend((to, method) => mayUse(deps, role, to, method)))
    return refusalFor(deps, request, forManagers);
  const letter = answer.send ? readLetter(answer) : undefined;
  const draft = letter?.input && (await saveLetter(deps, request, post, letter.input));
  const asked = { post, answer, draft, errors: letter?.errors ?? [] };
  if (answer.do === "show") return fragment(<Outcome {...await viewOf(deps, request, asked)} />);
  if (answer.do === "choose" && draft) return seeOther(request, `${paths.broadcasts}/${draft.id}/audience`);
  if (answer.do === "test" && draft) return test(deps, request, { ...asked, draft });
  return publish(deps, request, asked);
}

/** What was asked for: the answer, the draft of its newsletter if it is sent too, and what is wrong so far. */
type Asked = {
  post: TaggedPost;
  answer?: Answer | undefined;
  draft?: Broadcast | undefined;
  errors?: FieldError[];
  notice?: string;
};

function tooLate(request: Request, post: TaggedPost) {
  const back = `${path}/${post.id}`;
  const text = post.published
    ? "This post was already published. Showing the current version."
    : "Not published: someone else has saved this post. Review their changes first.";
  return seeOther(request, back, { kind: post.published ? "good" : "bad", text });
}

async function publish(deps: Deps, request: Request, asked: Asked & { answer: Answer }) {
  const { db, now } = deps;
  const { post, answer, draft } = asked;
  const at = planOf(post, answer, now())?.at;
  const sending: Sending | undefined = draft && at ? await prepare(deps, draft, at) : undefined;
  const errors = [
    ...(asked.errors ?? []),
    ...timeErrors(post, answer, { at, now: now() }),
    ...(sending ? sendErrors(sending, answer) : []),
  ];
  if (errors.length || !at) return showSheet(deps, request, { ...asked, errors });
  const broadcast = sending?.confirming;
  const preferences = preferencesOf(managerFor(request).manager.preferences, request);
  const byRule = broadcast ? undefined : await byRuleOf(deps, post, at);
  const edited = await postEdits.publish(
    db,
    { id: post.id, version: post.version, at, broadcast },
    actorOf(request),
    now(),
  );
  switch (edited.outcome) {
    case "gone":
      return seeOther(request, path, { kind: "bad", text: "This post has been deleted." });
    case "conflict":
      return tooLate(request, edited.post);
    case "broadcast-changed":
      return showSheet(deps, request, { ...asked, errors: [changedMeanwhile] });
    case "saved": {
      const { postUrl } = await readPostUrl(deps);
      const result: Result = { isSent: broadcast !== undefined, byRule, preferences, now: now() };
      return seeOther(request, `${path}/${post.id}`, {
        kind: "good",
        text: publishedText(post, edited.post, result),
        ...(isNew(post, edited.post, result.now) && {
          postmark: date(at, preferences),
          live: postUrlOf(postUrl, edited.post.slug),
        }),
      });
    }
  }
}

const changedMeanwhile = {
  field: "send",
  message: "The newsletter was changed in the meantime. This is the current version.",
};

/** What a rule makes of a post that becomes public for the first time. */
const byRuleOf = async ({ db, now }: Deps, post: TaggedPost, at: Date): Promise<ByRule> =>
  statusOf(post, now()) === "published" ? undefined : foreseen(db, { id: post.id, at }, now());

type Result = { isSent: boolean; byRule: ByRule; preferences: Preferences; now: Date };

/** Whether readers see it from now on. */
const isNew = (before: TaggedPost, after: TaggedPost, now: Date) =>
  statusOf(before, now) !== "published" && statusOf(after, now) === "published";

function publishedText(
  before: TaggedPost,
  { title, ...post }: TaggedPost,
  { isSent, byRule, ...clock }: Result,
): string {
  const { now } = clock;
  const isScheduled = isLater(post, now);
  const also = isSent
    ? isScheduled
      ? " Its newsletter goes out with it."
      : " Its newsletter starts in a minute."
    : ruleSentence(byRule, clock);
  if (statusOf(before, now) === "published") return `“${title}” saved.${also}`;
  return `“${title}” ${isScheduled ? "scheduled" : "published"}.${also}`;
}

/** Sends a test of the newsletter to whoever asks. */
async function test(deps: Deps, request: Request, asked: Asked & { draft: Broadcast }) {
  const { email } = managerFor(request).manager;
  const tests = { id: asked.draft.id, addresses: [email] };
  const outcome = await sendTests(deps.db, tests, actorOf(request), deps.now());
  const draft = await withContent(deps.db, asked.draft.id);
  const notice = testQueued([email], !isLive(deps.config));
  if (outcome === "queued") return showSheet(deps, request, { ...asked, draft, notice });
  return showSheet(deps, request, { ...asked, draft, errors: [{ field: "send", message: tooManyTests }] });
}

/** Shows the sheet. What was typed in the editor has been saved as a draft by now. */
export const askToPublish = (deps: Deps, request: Request, post: TaggedPost, changed?: Changed) =>
  showSheet(deps, request, { post }, changed);

async function showSheet(deps: Deps, request: Request, asked: Asked, changed?: Changed) {
  const view = await viewOf(deps, request, asked);
  const { frame, errors } = view;
  return showDialog(request, {
    frame,
    title: publishTitle(view),
    status: errors.length ? 422 : 200,
    extras: ["editor.css"],
    children: <PublishSheet {...view} />,
    ...(changed && isPartial(request) && { beside: await savedPieces(deps, frame, asked.post, changed) }),
  });
}

async function viewOf(deps: Deps, request: Request, asked: Asked): Promise<PublishView> {
  const { post, answer, draft, errors = [], notice } = asked;
  const [frame, { postUrl, isKnown }, siteZone] = await Promise.all([
    frameOf(deps, request),
    readPostUrl(deps),
    readTimeZone(deps.db),
  ]);
  const status = statusOf(post, frame.now);
  const plan = planOf(post, answer, frame.now);
  const zone = frame.preferences.timeZone;
  const tomorrow = `${localTime(new Date(frame.now.getTime() + dayMs), zone).slice(0, 10)}T08:00`;
  const [day = "", time = ""] = (post.publishedAt ? localTime(post.publishedAt, zone) : tomorrow).split("T");
  return {
    frame,
    post,
    status,
    url: postUrlOf(postUrl, post.slug),
    siteZone,
    checks:
      status === "published"
        ? []
        : [
            ...checksOf(post),
            ...(await silentCovers(deps.db, post.coverImage)),
            ...problemsIn(post),
            ...(isKnown ? [] : [noBlog]),
          ],
    when: answer?.when ?? (post.publishedAt ? "at" : "now"),
    day: answer?.day || day,
    time: answer?.time || time,
    plan,
    byRule: plan && (await byRuleOf(deps, post, plan.at)),
    newsletter: await newsletterOf(deps, frame, { post, draft, answer, at: plan?.at ?? frame.now }),
    errors,
    notice,
  };
}

/** Returns when the post would go live; undefined if what was entered is no time. */
function planOf(post: TaggedPost, answer: Answer | undefined, now: Date): Plan | undefined {
  const { when, day = "", time = "", zone = "" } = answer ?? {};
  if (when === "now") return { at: now };
  if (when === undefined) return { at: post.publishedAt ?? now };
  const typed = `${day}T${time.slice(0, 5)}`;
  if (!isTimeZone(zone)) return;
  // To the second, if it is not changed
  if (post.publishedAt && localTime(post.publishedAt, zone) === typed) return { at: post.publishedAt };
  const at = momentOf(typed, zone);
  if (!at) return;
  const isSkipped = localTime(at, zone) !== typed;
  const isRepeated = localTime(new Date(at.getTime() + hourMs), zone) === typed;
  return { at, odd: isSkipped ? "skipped" : isRepeated ? "repeated" : undefined };
}

function timeErrors(
  post: TaggedPost,
  { when, zone }: Answer,
  { at, now }: { at: Date | undefined; now: Date },
): FieldError[] {
  if (when === "at" && !isTimeZone(zone)) return [{ field: "day", message: unknownZone }];
  if (!at) return [{ field: "day", message: "Enter a day and a time." }];
  return statusOf(post, now) === "published" && at > now
    ? [{ field: "day", message: "A future date would take this post offline. Unpublish it first." }]
    : [];
}

/** The cover, if it is a file whose page has no alternative text: posts have none of their own for it. */
const silentCovers = async (db: Db, coverImage: string) =>
  (await filesIn(db, coverImage)).filter(({ alt }) => !alt).map(({ id }) => <SilentCover id={id} />);

const noBlog = "The URL of your blog is not set, so this URL leads to a page that does not exist (404).";

function problemsIn({ id, content }: TaggedPost) {
  const { problems } = parseMdx(content);
  return problems.length ? [<Problems id={id} problems={problems} />] : [];
}

/* The newsletter that goes out with a post. It is a draft from when it is chosen, as in the composer. */

const Letter = Fields.pick({ subject: true, preheader: true });
type Letter = { subject: string; preheader: string };

const readLetter = ({ subject, preheader }: Letter) => readForm(Letter, { subject, preheader });

/** Whether a role includes sending what it publishes. */
const maySend = (may: Frame["may"]): boolean => may(`${paths.broadcasts}/new`, "POST");

const draftIn = (broadcasts: Broadcast[]) => broadcasts.find(({ state }) => state === "draft");

/** Saves subject and preview line in the draft of this post's newsletter, which is created if there is none. */
async function saveLetter(
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
async function newsletterOf(
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
    subject: answer?.subject || draft?.subject || shortened(post.title, maxSubject),
    preheader: answer ? answer.preheader : (draft?.preheader ?? shortened(post.excerpt, maxSubject)),
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
type Sending = { checks: Check[]; confirming?: Confirming; audience: number; isChanged: boolean };

/** Writes the letter as it will be sent once the post is public. */
async function prepare(
  { config, db, now }: Deps,
  { id, version }: Pick<BroadcastWithContent, "id" | "version">,
  at: Date,
): Promise<Sending> {
  const start = at > now() ? at : new Date(now().getTime() + timeToStopMs);
  const prepared = await prepareBroadcast({ config, db }, id, { at: start, version, release: at }, now());
  const { checks } = prepared;
  if (prepared.outcome !== "ready") return { checks, audience: 0, isChanged: prepared.outcome !== "blocked" };
  return { checks, confirming: prepared.confirming, audience: prepared.confirming.to.audience, isChanged: false };
}

/** Returns what has to be corrected or confirmed before it is sent. */
function sendErrors(
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
