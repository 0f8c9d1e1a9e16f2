import { z } from "zod";
import { dayMs, isTimeZone } from "../../../db/lib/time";
import { type Broadcast, byId, withContent } from "../../../db/broadcasts/broadcasts";
import type { FieldError } from "../../../views/components/forms/field-errors";
import { number } from "../../../views/components/list";
import { byWhom } from "../../../views/components/who";
import {
  type InboxWords,
  Question,
  questionTitle,
  type QuestionView,
} from "../../../views/dashboard/broadcasts/question";
import { path, titleOf } from "../../../views/dashboard/broadcasts/state";
import { maxAheadMs, timeToStopMs } from "../../../db/broadcasts/rules";
import type { JSX } from "../../../views/jsx/jsx-runtime";
import { confirmBroadcast, writeBroadcast } from "../../broadcasts/freeze";
import type { WrittenLetter } from "../../broadcasts/letter/letter";
import { filled, nobody } from "../../broadcasts/letter/merge-fields";
import { senderOf } from "../../mail/headers";
import { isLive } from "../../mail/open";
import type { Config } from "../../platform/config";
import { actorOf, managerFor } from "../../security/session";
import type { Deps } from "../deps";
import { Confirmation, localTime, maxUntyped, momentOf, numberIn } from "../form-input";
import { frameOf, managerNames, pages } from "../pages";
import { forManagers } from "../permissions";
import { unknownZone } from "../preferences";
import { seeOther, showDialog } from "../responses";
import { audienceWords } from "../segments/words";
import { extras, gone } from "./broadcasts";
import { durationOf } from "./run";

/** The question before a broadcast is sent or scheduled. */
export const broadcastQuestion = (deps: Deps) =>
  pages(path, deps, forManagers)
    .get("/:id/send", ({ request, params: { id } }) => open(deps, request, id))
    .post("/:id/send", ({ request, params: { id }, body }) => send(deps, request, id, body));

const Answer = Confirmation.extend({ when: z.enum(["now", "at"]).catch("now").default("now") });
type Answer = z.output<typeof Answer>;

async function open(deps: Deps, request: Request, id: string) {
  const broadcast = await byId(deps.db, id);
  if (!broadcast || broadcast.deletedAt) return gone(deps, request);
  if (broadcast.kind === "step") return withItsSequence(request, broadcast);
  return broadcast.state === "draft" ? askToSend(deps, request, broadcast) : tooLate(deps, request, broadcast);
}

const withItsSequence = (request: Request, { id }: Broadcast) =>
  seeOther(request, `${path}/${id}`, { kind: "bad", text: "This email is sent by its sequence." });

/** Says who confirmed it first, on the page of what was confirmed. */
async function tooLate(deps: Deps, request: Request, { id, confirmedBy }: Broadcast) {
  const isOwn = confirmedBy === managerFor(request).manager.email;
  const who = isOwn ? "by you" : confirmedBy && byWhom(confirmedBy, await managerNames(deps));
  const text = `Nothing changed: this broadcast was already confirmed${who ? ` ${who}` : ""}.`;
  return seeOther(request, `${path}/${id}`, { kind: "bad", text });
}

type Asked = { beside?: JSX.Element | undefined; answer?: Answer; errors?: FieldError[]; status?: number };

/** Shows the question, with what was answered wrong. */
export async function askToSend(deps: Deps, request: Request, { id }: Broadcast, asked: Asked = {}) {
  const { beside, answer, errors = [], status = errors.length ? 422 : 200 } = asked;
  const [frame, broadcast] = await Promise.all([frameOf(deps, request), withContent(deps.db, id)]);
  if (!broadcast) return gone(deps, request);
  const { config, db } = deps;
  const { checks, audience, written } = await writeBroadcast({ config, db }, broadcast, deps.now());
  const zone = frame.preferences.timeZone;
  const { when, day, time } = answer ?? timeBefore(broadcast, frame.now, zone);
  const { typed = "", fine = [] } = answer ?? {};
  const [words = ""] = await audienceWords(db, [broadcast], frame.preferences);
  const view: QuestionView = {
    frame,
    broadcast,
    audience,
    checks,
    errors,
    maxUntyped,
    audienceWords: words,
    inbox: inboxOf(config, broadcast, written),
    duration: await durationOf(deps, audience),
    isSimulated: !isLive(config),
    sent: { when, day, time, typed, fine },
  };
  const children = <Question {...view} />;
  const back = { href: `${path}/${id}`, text: titleOf(broadcast) };
  return showDialog(request, {
    frame,
    title: questionTitle(view),
    back,
    extras,
    status,
    children,
    ...(beside && { beside }),
  });
}

/** Begins with the time that it had before it was unscheduled, so that no one sends it sooner by mistake. */
function timeBefore({ scheduledAt }: Broadcast, now: Date, zone: string): Pick<Answer, "when" | "day" | "time"> {
  const isAhead = scheduledAt && scheduledAt > now;
  const tomorrow = `${localTime(new Date(now.getTime() + dayMs), zone).slice(0, 10)}T08:00`;
  const [day = "", time = ""] = (isAhead ? localTime(scheduledAt, zone) : tomorrow).split("T");
  return { when: isAhead ? "at" : "now", day, time };
}

async function send(deps: Deps, request: Request, id: string, body: unknown) {
  const broadcast = await withContent(deps.db, id);
  if (!broadcast || broadcast.deletedAt) return gone(deps, request);
  if (broadcast.kind === "step") return withItsSequence(request, broadcast);
  if (broadcast.state !== "draft") return tooLate(deps, request, broadcast);
  const answer = Answer.parse(body ?? {});
  const at = momentIn(answer, deps.now());
  const { checks, audience } = await writeBroadcast(deps, broadcast, deps.now());
  const errors = [
    ...changed(broadcast, answer),
    ...timeErrors(answer, at, deps.now()),
    ...checks.flatMap(({ kind, code, sentence }) =>
      kind === "warn" && !answer.fine.includes(code) ? [{ field: "fine", message: `Confirm: ${sentence}` }] : [],
    ),
    ...numberErrors(audience, answer),
  ];
  if (errors.length || !at) return askToSend(deps, request, broadcast, { answer, errors });
  const by = actorOf(request);
  const result = await confirmBroadcast(deps, id, { at, by, version: broadcast.version }, deps.now());
  if (result.outcome === "blocked") return askToSend(deps, request, broadcast, { answer, status: 422 });
  if (result.outcome === "gone") return gone(deps, request);
  if (result.outcome === "conflict") return tooLate(deps, request, result.broadcast);
  return seeOther(request, `${path}/${id}`);
}

const changed = ({ version }: Broadcast, answer: Answer): FieldError[] =>
  version === answer.version
    ? []
    : [{ field: "version", message: "The broadcast was changed in the meantime. This is the current version." }];

/** Returns undefined if it is not a time, or in an unknown zone. */
function momentIn({ when, day, time, zone }: Answer, now: Date): Date | undefined {
  if (when === "now") return new Date(now.getTime() + timeToStopMs);
  return isTimeZone(zone) ? momentOf(`${day}T${time.slice(0, 5)}`, zone) : undefined;
}

function timeErrors({ when, zone }: Answer, at: Date | undefined, now: Date): FieldError[] {
  if (when === "at" && !isTimeZone(zone)) return [{ field: "day", message: unknownZone }];
  if (!at) return [{ field: "day", message: "Enter a day and a time." }];
  if (at <= now) return [{ field: "day", message: "That time is in the past." }];
  return at.getTime() - now.getTime() > maxAheadMs
    ? [{ field: "day", message: "Choose a time within the next year." }]
    : [];
}

function numberErrors(audience: number, { typed }: Answer): FieldError[] {
  if (audience <= maxUntyped || numberIn(typed) === audience) return [];
  const people = number(audience);
  const message = typed ? `You entered ${typed}. There are ${people} people: enter that number.` : `Enter ${people}.`;
  return [{ field: "typed", message }];
}

/** What an inbox shows of a draft, as someone without a name reads it. */
export function inboxOf({ MAIL_FROM }: Config, { fromName }: Broadcast, letter: WrittenLetter): InboxWords {
  const { name, address } = senderOf(MAIL_FROM);
  const from = { name: fromName || name, address };
  return { from, subject: filled(letter.subject, nobody), preheader: filled(letter.preheader, nobody) };
}
