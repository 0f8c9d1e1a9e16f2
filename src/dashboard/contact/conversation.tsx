import { z } from "zod";
import { dayMs } from "../../../db/lib/time";
import * as conversation from "../../../db/contact/conversation";
import * as messages from "../../../db/contact/messages";
import * as snippets from "../../../db/contact/snippets";
import type { Mail } from "../../../db/mail/outbox";
import type { Frame, Notice } from "../../../views/components/frame";
import { exact } from "../../../views/components/time";
import type { Draft } from "../../../views/dashboard/contact/composer";
import { snoozeTimes } from "../../../views/dashboard/contact/snooze";
import { paths } from "../../../views/paths";
import { domainOf } from "../../mail/headers";
import { isLive } from "../../mail/open";
import { contextOf } from "../../platform/request-context";
import { actorOf } from "../../security/session";
import type { Deps } from "../deps";
import { momentOf } from "../form-input";
import { frameOf, isPartial, pages } from "../pages";
import { forManagers } from "../permissions";
import { notThere, queryBefore, seeOther } from "../responses";
import { doneWith, doneWithOpen, showMessages } from "./messages";
import { filledSnippet, newSnippet, replyText } from "./snippets";

const path = paths.contact;

/** Answers one message, alone or with others: replies, notes, who answers, and when it comes back. */
export const conversationDashboard = (deps: Deps) =>
  pages(path, deps, forManagers)
    .post("/:id/reply", ({ request, params: { id }, body }) => write(deps, request, id, body))
    .post("/:id/entries/:entry/take-back", ({ request, params: { id, entry } }) => takeBack(deps, request, id, entry))
    .post("/:id/assign", ({ request, params: { id }, body }) => assign(deps, request, id, body))
    .post("/:id/snooze", ({ request, params: { id }, body }) => snooze(deps, request, id, body));

const text = z.string().catch("");
/** `key`: the ID of the entry to be. `do`: the button. */
const Written = z.object({ do: text, key: z.uuid().catch(""), text });

const verbs = ["send", "send-and-archive", "note", "save-snippet"] as const;

/** What the form's button says: one of the verbs, or a snippet to insert. */
function buttonOf(name: string): { verb: (typeof verbs)[number] } | { snippetId: string } {
  if (name.startsWith("insert:")) return { snippetId: name.slice("insert:".length) };
  return { verb: verbs.find((verb) => verb === name) ?? "send" };
}

/** Sends a reply, stores a note, or changes what is being written. */
async function write(deps: Deps, request: Request, id: string, body: unknown) {
  const written = Written.parse(body ?? {});
  const message = await messages.byId(deps.db, id);
  if (!message) return gone(deps, request);
  const button = buttonOf(written.do);
  if ("snippetId" in button) return insert(deps, request, message, { ...written, snippetId: button.snippetId });
  const draft = { key: written.key, text: written.text };
  const { data, error } = replyText.safeParse(written.text);
  if (error) return again(deps, request, message, { ...draft, error: problemOf(written.text, error) });
  if (button.verb === "save-snippet") return newSnippet(deps, request, { text: data });
  if (!written.key) return again(deps, request, message, { ...draft, error: "could not be read. Send it again." });
  return store(deps, request, message, { key: written.key, text: data, verb: button.verb });
}

const problemOf = (text: string, { issues }: z.ZodError) =>
  text.trim() ? `${issues[0]?.message ?? "is not valid"}.` : "is empty. Write something first.";

type Sent = { key: string; text: string; verb: "send" | "send-and-archive" | "note" };

const refusals = {
  closed: "could not be sent: the message is in spam, quarantine or the trash. Move it to the inbox first.",
  full: `could not be added: a conversation has at most ${conversation.maxEntries.toLocaleString("en-GB")} entries.`,
};

async function store(deps: Deps, request: Request, message: messages.Message, { key, text, verb }: Sent) {
  const { config, db, now } = deps;
  const entry = { messageId: message.id, id: key, text };
  const outcome =
    verb === "note"
      ? await conversation.addNote(db, entry, actorOf(request), now())
      : await conversation.reply(
          db,
          { ...entry, isDone: verb === "send-and-archive", domain: domainOf(config.MAIL_FROM) },
          actorOf(request),
          now(),
        );
  if (outcome === "gone") return gone(deps, request);
  if (outcome === "closed" || outcome === "full")
    return again(deps, request, message, { key, text, error: refusals[outcome] });
  const undo = { action: `${path}/${message.id}/entries/${key}/take-back`, fields: {} };
  const notice: Notice = { kind: "good", text: storedText(deps, message, verb), undo };
  if (verb === "send-and-archive") return doneWith(deps, request, queryBefore(request, path), notice);
  return reopened(deps, request, message.id, { notice, written: key });
}

function storedText({ config }: Deps, { name }: messages.Message, verb: Sent["verb"]): string {
  if (verb === "note") return "Note added. Only managers see it.";
  const queued = verb === "send" ? `Reply to ${name} queued.` : `Reply to ${name} queued, message archived.`;
  return `${queued}${isLive(config) ? "" : " It will be simulated."} You can undo it for ${conversation.undoMs / 1_000} seconds.`;
}

/** Shows the message again, with what is being written or was just written. */
async function reopened(
  deps: Deps,
  request: Request,
  id: string,
  { notice, ...open }: { notice?: Notice; draft?: Draft; written?: string },
) {
  const message = await messages.byId(deps.db, id);
  if (!message) return gone(deps, request);
  return doneWithOpen(deps, request, { message, ...open }, notice);
}

/** The same after a mistake. */
const again = (deps: Deps, request: Request, message: messages.Message, draft: Draft) =>
  isPartial(request)
    ? reopened(deps, request, message.id, { draft })
    : showMessages(deps, request, {}, { message, draft, status: 422 });

/** Adds a snippet to what is being written. */
async function insert(
  deps: Deps,
  request: Request,
  message: messages.Message,
  { key, text, snippetId }: { key: string; text: string; snippetId: string },
) {
  const snippet = await snippets.byId(deps.db, snippetId);
  const added = snippet ? filledSnippet(snippet, message) : "";
  const draft = { key, text: [text.trimEnd(), added].filter(Boolean).join("\n\n") };
  return isPartial(request)
    ? reopened(deps, request, message.id, { draft })
    : showMessages(deps, request, {}, { message, draft });
}

/** Why a reply cannot be taken back. */
const tooLate: Record<Mail["state"], string> = {
  queued: "Too late: this reply is being sent.",
  sent: "Too late: this reply has been sent.",
  simulated: "Too late: this reply has been simulated.",
  dead: "Nothing was changed: this reply could not be sent.",
  cancelled: "Nothing was changed: this reply was cancelled before it was sent.",
};

/** Undoes a reply that has not been sent yet, or a note: its text is written anew. */
async function takeBack(deps: Deps, request: Request, id: string, entryId: string) {
  const { db, now } = deps;
  const result = await conversation.takeBack(db, { messageId: id, id: entryId }, actorOf(request), now());
  if (result.outcome !== "taken") return reopened(deps, request, id, { notice: notTaken(result) });
  const { entry } = result;
  const draft = { key: crypto.randomUUID(), text: entry.text };
  if (isPartial(request)) {
    const text = entry.kind === "note" ? "Note removed." : "Reply not sent.";
    return reopened(deps, request, id, { draft, notice: { kind: "good", text } });
  }
  const message = await messages.byId(db, id);
  return message ? showMessages(deps, request, {}, { message, draft }) : gone(deps, request);
}

/** Says why nothing was taken back. That it was before, as asked from a second tab, is no mistake. */
function notTaken(result: Exclude<conversation.TakenBack, { outcome: "taken" }>): Notice {
  if (result.outcome === "already") return { kind: "good", text: "Nothing was changed: this was already taken back." };
  if (result.outcome === "late")
    return { kind: "bad", text: result.state ? tooLate[result.state] : "Too late: this reply is no longer queued." };
  return { kind: "bad", text: "Nothing was changed: only the author of a note can remove it." };
}

const Assigned = z.object({ assignee: text });

async function assign(deps: Deps, request: Request, id: string, body: unknown) {
  const { assignee } = Assigned.parse(body ?? {});
  const frame = await frameOf(deps, request);
  const managerId = assignee || null;
  const message = await messages.assign(deps.db, { messageId: id, managerId }, actorOf(request), deps.now());
  if (!message) return gone(deps, request);
  const who = frame.team.find((manager) => manager.id === managerId);
  const to = who?.id === frame.manager.id ? "you" : who?.name;
  const text = to ? `Message from ${message.name} assigned to ${to}.` : `Message from ${message.name} unassigned.`;
  return reopened(deps, request, id, { notice: { kind: "good", text } });
}

const Snoozed = z.object({ until: text, at: text });
const longestSnoozeMs = 366 * dayMs;

async function snooze(deps: Deps, request: Request, id: string, body: unknown) {
  const { until, at } = Snoozed.parse(body ?? {});
  const frame = await frameOf(deps, request);
  const moment = until === "at" ? momentOf(at, frame.preferences.timeZone) : momentNamed(until, frame);
  const wait = (moment?.getTime() ?? 0) - deps.now().getTime();
  if (!moment || wait <= 0 || wait > longestSnoozeMs)
    return reopened(deps, request, id, {
      notice: { kind: "bad", text: "Not snoozed: choose a time within a year from now." },
    });
  const message = await messages.snooze(deps.db, { messageId: id, until: moment }, actorOf(request), deps.now());
  if (!message) return gone(deps, request);
  const text = `Message from ${message.name} snoozed until ${exact(moment, frame.preferences)}.`;
  const undo = { action: `${path}/bulk`, fields: { do: "wake", ids: id } };
  return doneWith(deps, request, queryBefore(request, path), { kind: "good", text, undo });
}

const momentNamed = (name: string, frame: Frame) => snoozeTimes(frame).find((time) => time.name === name)?.at;

/** Responds if the message does not exist any longer, or is not where it could be answered. */
async function gone(deps: Deps, request: Request) {
  const notice: Notice = { kind: "bad", text: "Nothing changed: already moved or deleted." };
  if (isPartial(request)) return doneWith(deps, request, queryBefore(request, path), notice);
  return contextOf(request).isHead
    ? notThere(await frameOf(deps, request), notice.text, path)
    : seeOther(request, path, notice);
}
