import { readFile, stat } from "node:fs/promises";
import type { Db } from "../../db/engine/open";
import { byId, type Broadcast, type ChangeResult } from "../../db/broadcasts/broadcasts";
import { create } from "../../db/broadcasts/edit";
import { list } from "../../db/broadcasts/list";
import { isEverybody, readSegment } from "../../db/broadcasts/audience/segment";
import { cancel, pause, resume } from "../../db/broadcasts/states";
import { sendTests } from "../../db/broadcasts/test-emails";
import type { Actor } from "../../db/audit";
import { confirmBroadcast } from "../broadcasts/confirm";
import { line, lines } from "../http/text/schemas";
import { isOneAddress } from "../mail/headers";
import { summaryOf } from "./broadcast-summary";
import { actor, type Command, complain, print, withData } from "./command";

const maxBytes = 200_000;
const by = { actor };
const segmentFields = "anyOf, noneOf, joinedFrom, joinedUntil, confirmedOnly and without";

export const commands: Command[] = [
  {
    usage: "broadcasts create <file.md> [--subject=S] [--segment=JSON]",
    about:
      'Create a draft from a Markdown file and print its ID. Without --subject, the first line must be a heading. --segment limits who gets it, such as {"anyOf":["blog"]}',
    options: { subject: { type: "string" }, segment: { type: "string" } },
    run: ([file = ""], { subject, segment }) =>
      withData(async ({ db, now }) => {
        const text = await textOf(file);
        const who = readSegment(String(segment ?? "{}"));
        if (!who)
          throw new Error(`The segment is not valid. Use ${segmentFields} as JSON, such as {"anyOf":["blog"]}.`);
        if (who.without && !(await byId(db, who.without)))
          throw new Error("There is no broadcast with the ID in without. “broadcasts list” prints the IDs.");
        const archive = isEverybody(who) ? ("listed" as const) : ("unlisted" as const);
        const fields = { ...titled(text, subject), preheader: "", fromName: "", archive, segment: who };
        print((await create(db, { kind: "own" }, fields, by, now)).id);
      }),
  },
  {
    usage: "broadcasts list",
    about: "List broadcasts, newest first (ID, status, subject, accepted, audience)",
    run: () =>
      withData(async ({ db }) => {
        for (let page = 1, seen = 0; ; page++) {
          const { rows, total } = await list(db, { tab: "all" }, { page, per: 100 });
          for (const { id, state, subject, accepted, audience } of rows)
            print(id, state, subject, accepted, audience ?? "–");
          if ((seen += rows.length) >= total) return;
        }
      }),
  },
  {
    usage: "broadcasts show <id> [--json]",
    about: "Show the status, audience and counters of a broadcast",
    options: { json: { type: "boolean" } },
    run: ([id = ""], { json }) =>
      withData(async ({ db }) => {
        const shown = summaryOf(await found(db, id), new Date());
        if (json) return void process.stdout.write(`${JSON.stringify(shown)}\n`);
        for (const [name, value] of Object.entries(shown)) print(name, value ?? "–");
      }),
  },
  {
    usage: "broadcasts test <id> <address>",
    about: "Send a test email of the current version of a broadcast",
    run: ([id = "", address = ""]) =>
      withData(async ({ db, now }) => {
        if (!isOneAddress(address)) throw new Error(`${address} is not an email address.`);
        const outcome = await sendTests(db, id, [address], by, now);
        if (outcome === "gone") throw new Error(`No broadcast with the ID ${id}.`);
        if (outcome === "too-many") throw new Error("The limit is 20 test emails an hour. Try again later.");
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
        for (const { sentence } of result.checks) complain(sentence);
        if (result.outcome === "blocked") return 1;
        print(id, (await changed(db, id, result)).state);
      }),
  },
  transition("pause", "Pause a broadcast that is being sent", pause),
  transition("resume", "Resume a paused broadcast", resume),
  transition("cancel", "Cancel a broadcast; no one else receives it", cancel),
];

type Verb = (db: Db, seen: Broadcast, by: Actor, now: Date) => Promise<ChangeResult>;

/** A command that changes the state; the running service acts on it. */
function transition(name: string, about: string, verb: Verb): Command {
  return {
    usage: `broadcasts ${name} <id>`,
    about,
    run: ([id = ""]) =>
      withData(async ({ db, now }) => {
        print(id, (await changed(db, id, await verb(db, await found(db, id), by, now))).state);
      }),
  };
}

async function found(db: Db, id: string): Promise<Broadcast> {
  const broadcast = await byId(db, id);
  if (!broadcast) throw new Error(`No broadcast with the ID ${id}.`);
  return broadcast;
}

/** @throws the current state, if nothing was changed */
async function changed(db: Db, id: string, result: ChangeResult): Promise<Broadcast> {
  if (result.outcome === "changed") return result.broadcast;
  const { state, deletedAt } = await found(db, id);
  throw new Error(`Nothing was changed: the broadcast is ${deletedAt ? "in the trash" : state}.`);
}

async function textOf(file: string): Promise<string> {
  const found = await stat(file).catch(() => undefined);
  if (!found?.isFile()) throw new Error(`File not found: ${file}.`);
  if (found.size > maxBytes) throw new Error(`${file} is larger than 200 KB.`);
  return readFile(file, "utf8");
}

/** The subject is the given one, or the heading in the first line, which is then removed from the text. */
function titled(text: string, subject: unknown): { subject: string; content: string } {
  const [, heading, rest = ""] = /^\uFEFF?\s*# +([^\n]+)(?:\n([\s\S]*))?$/.exec(text) ?? [];
  const given = line({ min: 1, max: 150 }).safeParse(subject ?? heading ?? "");
  if (!given.success) throw new Error(`The subject ${given.error.issues[0]?.message}.`);
  return { subject: given.data, content: lines({ max: maxBytes }).parse(subject === undefined ? rest : text) };
}

function momentOf(at: unknown, now: Date): Date {
  if (at === undefined) return now;
  const moment = new Date(String(at));
  const [, day] = /^(\d{4}-\d\d-\d\d)T\d\d:\d\d(:\d\d(\.\d+)?)?(Z|[+-]\d\d:\d\d)$/.exec(String(at)) ?? [];
  // 30 February would be read as 2 March
  if (!day || Number.isNaN(moment.getTime()) || !new Date(day).toISOString().startsWith(day))
    throw new Error("--at must be a time with its zone, such as 2026-12-24T09:00:00+01:00.");
  if (moment < now || moment.getTime() - now.getTime() > 366 * 86_400_000)
    throw new Error("--at must be in the future, at most a year from now.");
  return moment;
}
