import { knownOf } from "../../db/newsletter/by-row";
import { detailsOf } from "../../db/newsletter/details";
import { statusOf } from "../../db/newsletter/rules";
import type { Db } from "../../db/engine/open";
import { boxOf } from "../../db/contact/messages";
import * as rows from "../../db/people/overview";
import type { Traces } from "../../db/people/traces";
import { placesOf } from "../../db/sequences/report";
import { ofAddress } from "../../db/suppressions/suppressions";

const format = "postroom-person/2";
/** What the file does not contain, as stated in it. */
const notIncluded = ["backups", "server logs", "what the email provider keeps", "what a manager with this address did"];

type Facts = Record<string, unknown>;

/**
 * Yields everything stored under an address as JSON (docs/people.md), while it is read. It contains no hashes, tokens
 * or other people, and nothing that a manager with this address did as a manager.
 */
export async function* personJson(db: Db, traces: Traces, now: Date): AsyncGenerator<string> {
  const head = { format, exportedAt: now, address: traces.address.email, ...(await about(db, traces)) };
  yield JSON.stringify(head, null, 2).slice(0, -2); // without its end
  for (const [name, pages] of Object.entries(listsOf(db, traces))) yield* list(name, pages);
  yield `,\n  "notIncluded": ${JSON.stringify(notIncluded)}\n}\n`;
}

async function* list(name: string, pages: AsyncGenerator<Facts[]>): AsyncGenerator<string> {
  yield `,\n  ${JSON.stringify(name)}: [`;
  let between = "\n    ";
  for await (const page of pages)
    for (const facts of page) {
      yield between + JSON.stringify(facts);
      between = ",\n    ";
    }
  yield between.startsWith(",") ? "\n  ]" : "]";
}

async function about(db: Db, { address, subscriber }: Traces): Promise<Facts> {
  const suppression = await ofAddress(db, address.email);
  const profiles = await db.read((orm) => knownOf(orm, subscriber ? [subscriber.row] : []));
  const { tags = [], topics = [], fields = [] } = profiles.get(subscriber?.row ?? 0) ?? {};
  const sequences = subscriber ? await placesOf(db, subscriber.row) : [];
  const { email, pendingAt, pausedUntil, confirmedAt, unsubscribedAt } = subscriber ?? {};
  return {
    subscription: subscriber
      ? {
          email,
          ...detailsOf(subscriber),
          tags,
          topics: slugsOf(topics, true),
          topicsLeft: slugsOf(topics, false),
          sequences,
          fields: Object.fromEntries(fields.map(({ field, value }) => [field.key, value])),
          status: statusOf(subscriber),
          consent: subscriber.consentNote,
          consentAt: subscriber.consentAt,
          consentUrl: subscriber.consentUrl,
          joinedAt: subscriber.createdAt,
          pendingAt,
          pausedUntil,
          confirmedAt,
          unsubscribedAt,
        }
      : null,
    suppression: suppression
      ? { reason: suppression.reason, detail: suppression.detail, since: suppression.createdAt }
      : null,
  };
}

const slugsOf = (topics: { slug: string; chosen: boolean }[], isChosen: boolean) =>
  topics.filter(({ chosen }) => chosen === isChosen).map(({ slug }) => slug);

const listsOf = (db: Db, traces: Traces): Record<string, AsyncGenerator<Facts[]>> => ({
  events: mapped(rows.eventsOf(db, traces.subscriberIds), ({ createdAt: at, kind, via, source, note, userAgent }) => ({
    at,
    kind,
    via,
    source,
    note,
    userAgent,
  })),
  emails: mapped(
    rows.emailsOf(db, traces.emailIds),
    ({ createdAt: at, kind, recipient, state, sentAt, lastError }) => ({
      at,
      kind,
      recipient,
      state,
      sentAt,
      error: lastError,
    }),
  ),
  broadcasts: mapped(
    rows.broadcastsOf(db, traces.subscriber?.row ?? 0),
    ({ row: _, kind: __, broadcastId: id, softAt, state, ...facts }) => ({
      id,
      state: rows.recipientStateNames[state],
      bouncedTemporarilyAt: softAt,
      ...facts,
    }),
  ),
  messages: mapped(rows.messagesOf(db, traces.address.key), (message) => {
    const { createdAt: at, name, email, source, message: text } = message;
    return { at, name, email, source, box: boxOf(message), message: text };
  }),
  conversation: mapped(rows.conversationOf(db, traces.address.key), ({ createdAt: at, kind, name, email, text }) => ({
    at,
    kind,
    name,
    email,
    text,
  })),
  providerReports: mapped(rows.reportsOf(db, traces.hash ?? ""), ({ at, type, bounceType, detail }) => ({
    at,
    type,
    bounceType,
    detail,
  })),
  changes: mapped(rows.entriesOf(db, traces.auditIds), ({ createdAt: at, action }) => ({ at, action })),
});

async function* mapped<Row>(pages: AsyncGenerator<Row[]>, facts: (row: Row) => Facts): AsyncGenerator<Facts[]> {
  for await (const page of pages) yield page.map(facts);
}
