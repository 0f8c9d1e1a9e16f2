import { confirmBroadcast } from "../broadcasts/freeze";
import type { WriteEmails } from "../broadcasts/deliveries";
import { Sender } from "../broadcasts/sender";
import { startSequence } from "../broadcasts/sequence";
import type { Mail } from "../mail/open";
import { Pace } from "../mail/pace";
import type { Config } from "../platform/config";
import { createLog } from "../platform/log";
import { addToDay } from "../../db/visits";
import { byId } from "../../db/broadcasts/broadcasts";
import { create } from "../../db/broadcasts/edit";
import { pause } from "../../db/broadcasts/states";
import type { Db } from "../../db/engine/open";
import { dayOf } from "../../db/lib/time";
import * as demo from "../../db/ops/demo";
import { unsubscribe } from "../../db/newsletter/subscribers";
import { bySlug } from "../../db/posts/posts";
import { recordReport, type Report } from "../../db/provider-reports";
import { addStep, createSequence } from "../../db/sequences/edit";
import type { Versioned } from "../../db/sequences/sequences";
import { draftSamples, pausedSample, type SentSample, scheduledSample, sequenceSamples } from "./mailings";

export const by = { actor: "noor@halvorsen.example" };
const unlimited = 1e9; // a second
const [minuteMs, hourMs] = [60_000, 3_600_000];

/** A clock that goes from day to day, and a sender that hands everything over to nobody. */
export class SampleSending {
  private time = 0;
  /** Called before each request, with how many there have been. */
  private beforeRequest: (count: number) => Promise<void> = () => Promise.resolve();
  private requests = 0;
  private readonly sender: Sender;

  constructor(private readonly needs: { config: Config; db: Db }) {
    const now = () => new Date(this.time);
    const mail: Mail = { pace: new Pace(now, unlimited), provider: this.provider(), metrics: () => "" };
    const log = createLog("silent");
    this.sender = new Sender({ ...needs, log, mail, now }, { write: writeNothing });
  }

  /** Accepts everything, and sends nothing. */
  private provider(): Mail["provider"] {
    const accepted = (count: number) => ({
      kind: "accepted" as const,
      ids: Array.from({ length: count }, () => crypto.randomUUID()),
    });
    return {
      name: "resend",
      maxBatch: 50,
      maxConcurrent: 1,
      isIdempotent: true,
      send: () => Promise.resolve(accepted(1)),
      sendBatch: async (emails) => {
        await this.beforeRequest(++this.requests);
        return accepted(emails.length);
      },
      close: () => Promise.resolve(),
    };
  }

  /** Does what is due at this time: emails of sequences, and newsletters. */
  async runAt(at: Date): Promise<void> {
    this.time = at.getTime();
    await this.sender.drain();
  }

  /** Starts a sequence that is on, and leaves the others as drafts. */
  async addSequence({ name, trigger, isOn, steps }: (typeof sequenceSamples)[number], at: Date): Promise<void> {
    const { db } = this.needs;
    const made = await createSequence(db, { name, trigger, segment: {} }, by, at);
    if (made.outcome !== "saved") throw new Error(`The sample sequence is ${made.outcome}`);
    let seen: Versioned = made.sequence;
    for (const { waitHours, atMinute, ...step } of steps) {
      const added = await addStep(db, { seen, step: { ...step, wait: { waitHours, atMinute } } }, by, at);
      if (added.outcome === "changed") seen = added.sequence;
    }
    if (!isOn) return;
    const { outcome } = await startSequence(this.needs, seen, by, at);
    if (outcome !== "changed") throw new Error(`The sample sequence is ${outcome}`);
  }

  /** Sends a newsletter at a time, and records what came back within a day. */
  async send(sample: SentSample, at: Date): Promise<void> {
    const { db } = this.needs;
    const id = await this.confirm(sample, at, at);
    await this.runAt(new Date(at.getTime() + minuteMs));
    const people = await demo.recipientsOf(db, id);
    const someone = picker(people);
    const report = (kind: Report["kind"], detail: string, hours: number) => {
      const when = new Date(at.getTime() + hours * hourMs);
      const { row, email } = someone();
      const recipient = { broadcastId: id, row };
      const about = {
        id: `demo-${crypto.randomUUID()}`,
        type: `email.${kind}`,
        kind,
        at: when,
        email,
        recipient,
        detail,
      };
      return recordReport(db, about, when);
    };
    for (let count = 0; count < sample.bounced; count++) await report("bounced", bounces[count % 2] ?? "", 0.1);
    await demo.deliverAll(db, id, new Date(at.getTime() + 5 * minuteMs));
    for (let count = 0; count < sample.complained; count++) await report("complained", "Reported as spam", 3 + count);
    for (let count = 0; count < sample.left; count++) {
      const { row, email } = someone();
      const via = count % 2 ? "one-click" : "link";
      await unsubscribe(db, email, { via }, new Date(at.getTime() + (2 + 5 * count) * hourMs), row);
    }
    await this.visit(id, at, sample.visits);
  }

  /** Two thirds read it on the web on the day it came. */
  private visit(id: string, at: Date, visits: number): Promise<void> {
    const parts = [Math.round(visits * 0.66), Math.round(visits * 0.22)];
    const days = [...parts, visits - parts.reduce((sum, part) => sum + part, 0)];
    return this.needs.db.write(async (orm) => {
      for (const [later, count] of days.entries())
        await addToDay(orm, dayOf(at) + later, { page: new Map([[id, count]]) });
    });
  }

  /** Leaves a newsletter paused after more than half of it, one scheduled, and drafts. */
  async prepare(before: (days: number) => Date): Promise<void> {
    const { db } = this.needs;
    const at = before((pausedSample.minutesAgo * minuteMs) / 86_400_000);
    const id = await this.confirm(pausedSample, at, at);
    const first = this.requests;
    this.beforeRequest = async (count) => {
      const broadcast = count === first + requestsUntilPause ? await byId(db, id) : undefined;
      if (broadcast) await pause(db, broadcast, by, new Date(at.getTime() + 4 * minuteMs));
    };
    await this.runAt(new Date(at.getTime() + minuteMs));
    this.beforeRequest = () => Promise.resolve();
    await demo.deliverAll(db, id, new Date(at.getTime() + 5 * minuteMs));
    await this.confirm(scheduledSample, before(-scheduledSample.inDays), before(0.8));
    for (const [place, sample] of draftSamples.entries()) await this.draft(sample, before(1.5 - place));
  }

  private async draft({ post: slug, ...sample }: (typeof draftSamples)[number], now: Date) {
    const post = slug && (await bySlug(this.needs.db, slug, now));
    const source = post ? ({ kind: "post", postId: post.id } as const) : ({ kind: "own" } as const);
    return create(this.needs.db, { source, fields: { ...sample, fromName: "", segment: {} } }, by, now);
  }

  private async confirm(sample: (typeof draftSamples)[number], at: Date, now: Date): Promise<string> {
    const { id } = await this.draft(sample, new Date(now.getTime() - 2 * hourMs));
    const { outcome, checks } = await confirmBroadcast(this.needs, id, { at, by }, now);
    if (outcome !== "changed") throw new Error(`The sample newsletter is ${outcome}: ${JSON.stringify(checks)}`);
    return id;
  }
}

/** Nobody reads what is sent to nobody. */
const writeNothing: WriteEmails = (_letter, recipients) =>
  recipients.map(([, to]) => ({ from: by.actor, to, subject: "", html: "", text: "", headers: {} }));

const requestsUntilPause = 5; // of fifty emails each

const bounces = ["550 5.1.1 The address does not exist", "550 5.2.1 The mailbox is closed"];

/** Returns one after the other, never the same again, from everywhere in the list. */
function picker<Item>(items: Item[]): () => Item {
  let place = 0;
  return () => {
    const item = items.splice((place += 37) % items.length, 1)[0];
    if (item === undefined) throw new Error("There are too few sample subscribers");
    return item;
  };
}
