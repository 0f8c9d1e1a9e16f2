import { type Broadcast, byId, type ChangeResult } from "../../db/broadcasts/broadcasts";
import { ledgerOf, reportsOf } from "../../db/broadcasts/ledger";
import { stat } from "node:fs/promises";
import type { Db } from "../../db/engine/open";
import { create, sendTests } from "../../db/broadcasts/edit";
import { list } from "../../db/broadcasts/list";
import { archiveFor, unknownIn } from "../../db/broadcasts/audience";
import { readSegment, type Segment } from "../../db/newsletter/segments/definition";
import { bouncesIn, maxAheadMs, maxSubject, maxTestsPerHour, needsReview } from "../../db/broadcasts/rules";
import { cancel, pause, resume } from "../../db/broadcasts/states";
import type { Actor } from "../../db/audit";
import { confirmBroadcast } from "../broadcasts/freeze";
import type { Check } from "../broadcasts/letter/checks";
import { line, lines } from "../platform/text/schemas";
import { isOneAddress } from "../mail/headers";
import { plural } from "../../views/components/list";
import { actor, type Command, complain, print, textOf, withData } from "./command";

/**
 * The JSON of a broadcast: its state, where its recipients are (the figures after `recipients` add up to it), and what
 * was reported about accepted emails. null is not known.
 */
export function summaryOf(broadcast: Broadcast, now: Date) {
  const { id, subject, state, stateReason, stateDetail, audience, ...rest } = broadcast;
  const { unsubscribed, version, slug } = rest;
  const times = {
    scheduledAt: (state !== "draft" && rest.scheduledAt?.toISOString()) || null,
    startedAt: rest.startedAt?.toISOString() ?? null,
    finishedAt: rest.finishedAt?.toISOString() ?? null,
  };
  const isPaused = rest.pausedUntil !== null && rest.pausedUntil > now; // an expired pause stays in the row until the next sending
  const pause = {
    pausedUntil: isPaused ? rest.pausedUntil?.toISOString() : null,
    pausedFor: isPaused ? rest.pausedFor : null,
  };
  const { delivered = null, bounced = null, softBounced = null, complained = null, unreported } = reportsOf(broadcast);
  return {
    id,
    slug,
    subject,
    state,
    stateReason,
    stateDetail,
    version,
    ...times,
    ...pause,
    audience,
    ...ledgerOf(broadcast),
    delivered,
    bounced,
    softBounced,
    unreported,
    complained,
    unsubscribed,
  };
}

const maxBytes = 200_000;
const by = { actor };
const example = '{"v":2,"all":[{"field":"source","is":"any","of":["blog"]}]}';

/** Reads who gets emails, everyone if nothing is said. @throws if it is not valid */
export async function segmentOf(db: Db, json: unknown): Promise<Segment> {
  const segment = readSegment(String(json ?? "{}"));
  if (!segment)
    throw new Error(`The segment is not valid. Use conditions as JSON, such as ${example} (docs/newsletter.md).`);
  if ((await db.read((orm) => unknownIn(orm, segment))).length)
    throw new Error(
      "There is no broadcast or sequence with an ID in the segment. “broadcasts list” and “sequences list” print the IDs.",
    );
  return segment;
}

export const commands: Command[] = [
  {
    usage: "broadcasts create <file.md> [--subject=S] [--segment=JSON]",
    about: `Create a draft from a Markdown file and print its ID. Without --subject, the first line must be a heading. --segment limits who gets it, such as ${example}`,
    options: { subject: { type: "string" }, segment: { type: "string" } },
    run: ([file = ""], { subject, segment }) =>
      withData(async ({ db, now }) => {
        const text = await smallTextOf(file);
        const who = await segmentOf(db, segment);
        const fields = {
          ...titled(text, subject),
          preheader: "",
          fromName: "",
          archive: archiveFor(who),
          segment: who,
        };
        print((await create(db, { source: { kind: "own" }, fields }, by, now)).id);
      }),
  },
  {
    usage: "broadcasts list",
    about: "List broadcasts, newest first (ID, status, subject, accepted, recipients)",
    run: () =>
      withData(async ({ db }) => {
        for (let page = 1, seen = 0; ; page++) {
          const { rows, total } = await list(db, { tab: "all" }, { page, per: 100 });
          for (const broadcast of rows) {
            const { id, state, subject } = broadcast;
            const { accepted, recipients } = ledgerOf(broadcast);
            print(id, state, subject, accepted, broadcast.audience === null ? "–" : recipients);
          }
          if ((seen += rows.length) >= total) return;
        }
      }),
  },
  {
    usage: "broadcasts show <id> [--json]",
    about: "Show the status of a broadcast, where its recipients are, and what was reported (– is not known)",
    options: { json: { type: "boolean" } },
    run: ([id = ""], { json }) =>
      withData(async ({ db }) => {
        const summary = summaryOf(await broadcastOf(db, id), new Date());
        if (json) return void process.stdout.write(`${JSON.stringify(summary)}\n`);
        for (const [name, value] of Object.entries(summary)) print(name, value ?? "–");
      }),
  },
  {
    usage: "broadcasts test <id> <address>",
    about: "Send a test email of the current version of a broadcast",
    run: ([id = "", address = ""]) =>
      withData(async ({ db, now }) => {
        if (!isOneAddress(address)) throw new Error(`${address} is not an email address.`);
        const outcome = await sendTests(db, { id, addresses: [address] }, by, now);
        if (outcome === "gone") throw new Error(`No broadcast with the ID ${id}.`);
        if (outcome === "too-many")
          throw new Error(`The limit is ${maxTestsPerHour} test emails an hour. Try again later.`);
        print(id, "queued", address);
      }),
  },
  {
    usage: "broadcasts send <id> --yes [--at=ISO]",
    about: "Confirm a draft: it is sent immediately, or at a time such as 2026-12-24T09:00:00+01:00",
    options: { yes: { type: "boolean" }, at: { type: "string" } },
    run: ([id = ""], { yes, at }) =>
      withData(async ({ config, db, now }) => {
        if (!yes) throw new Error("Sending cannot be undone. Add --yes to confirm.");
        const result = await confirmBroadcast({ config, db }, id, { at: momentOf(at, now), by }, now);
        for (const check of result.checks) for (const words of wordsOf(check)) complain(words);
        if (result.outcome === "blocked") return 1;
        print(id, (await changed(db, id, result)).state);
      }),
  },
  transition("pause", "Pause a broadcast that is being sent", pause),
  {
    usage: "broadcasts resume <id> [--reviewed]",
    about:
      "Resume a paused broadcast. After bounces or complaints, or from a backup, --reviewed confirms that you have looked at it",
    options: { reviewed: { type: "boolean" } },
    run: ([id = ""], { reviewed }) =>
      withData(async ({ db, now }) => {
        const broadcast = await broadcastOf(db, id);
        const review = broadcast.state === "paused" && !reviewed && reviewOf(broadcast);
        if (review) throw new Error(`Nothing was changed. ${review} Add --reviewed to resume.`);
        print(id, (await changed(db, id, await resume(db, broadcast, by, now))).state);
      }),
  },
  transition("cancel", "Cancel a broadcast; no one else receives it", cancel),
];

/** What to look at before a paused broadcast is resumed, as on its page; undefined if nothing. */
function reviewOf(broadcast: Broadcast): string | undefined {
  if (!needsReview(broadcast)) return;
  const { stateReason, complained } = broadcast;
  if (stateReason === "restored") return "It comes from a backup, so some people may get it twice.";
  return stateReason === "complaints"
    ? `${plural(complained, "recipient")} reported it as spam: review them in the dashboard.`
    : `${plural(bouncesIn(broadcast), "address does", "addresses do")} not exist: review them in the dashboard.`;
}

type Verb = (db: Db, seen: Broadcast, by: Actor, now: Date) => Promise<ChangeResult>;

/** A command that changes the state; the running service acts on it. */
function transition(name: string, about: string, verb: Verb): Command {
  return {
    usage: `broadcasts ${name} <id>`,
    about,
    run: ([id = ""]) =>
      withData(async ({ db, now }) => {
        print(id, (await changed(db, id, await verb(db, await broadcastOf(db, id), by, now))).state);
      }),
  };
}

async function broadcastOf(db: Db, id: string): Promise<Broadcast> {
  const broadcast = await byId(db, id);
  if (!broadcast) throw new Error(`No broadcast with the ID ${id}.`);
  return broadcast;
}

/** @throws the current state, if nothing was changed */
async function changed(db: Db, id: string, result: ChangeResult): Promise<Broadcast> {
  if (result.outcome === "changed") return result.broadcast;
  const { state, deletedAt } = await broadcastOf(db, id);
  throw new Error(`Nothing was changed: the broadcast is ${deletedAt ? "in the trash" : state}.`);
}

async function smallTextOf(file: string): Promise<string> {
  const stats = await stat(file).catch(() => undefined);
  if (!stats?.isFile()) throw new Error(`File not found: ${file}.`);
  if (stats.size > maxBytes) throw new Error(`${file} is larger than 200 KB.`);
  return textOf(file);
}

/** The subject is the given one, or the heading in the first line, which is then removed from the text. */
function titled(text: string, subject: unknown): { subject: string; content: string } {
  const [, heading, rest = ""] = /^\uFEFF?\s*# +([^\n]+)(?:\n([\s\S]*))?$/.exec(text) ?? [];
  const parsed = line({ min: 1, max: maxSubject }).safeParse(subject ?? heading ?? "");
  if (!parsed.success) throw new Error(`The subject ${parsed.error.issues[0]?.message}.`);
  return { subject: parsed.data, content: lines({ max: maxBytes }).parse(subject === undefined ? rest : text) };
}

const maxPlaces = 5;

/** A check, and below it where in the text it is. */
const wordsOf = ({ sentence, places = [] }: Check): string[] => [
  sentence,
  ...places.slice(0, maxPlaces).map(({ part, line, what }) => {
    const where = line ? `line ${line} of the ${part}` : `the ${part}`;
    return `  In ${where}: ${what.replaceAll(/\s+/g, " ").slice(0, 200)}`;
  }),
  ...(places.length > maxPlaces ? [`  and ${plural(places.length - maxPlaces, "other place")}`] : []),
];

function momentOf(at: unknown, now: Date): Date {
  if (at === undefined) return now;
  const moment = new Date(String(at));
  const [, day] = /^(\d{4}-\d\d-\d\d)T\d\d:\d\d(:\d\d(\.\d+)?)?(Z|[+-]\d\d:\d\d)$/.exec(String(at)) ?? [];
  // 30 February would be read as 2 March
  if (!day || Number.isNaN(moment.getTime()) || !new Date(day).toISOString().startsWith(day))
    throw new Error("--at must be a time with its zone, such as 2026-12-24T09:00:00+01:00.");
  if (moment < now || moment.getTime() - now.getTime() > maxAheadMs)
    throw new Error("--at must be in the future, at most a year from now.");
  return moment;
}
