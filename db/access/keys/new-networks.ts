import { and, eq, isNull, lte } from "drizzle-orm";
import type { Orm } from "../../engine/open";
import { emailKey } from "../../lib/email-key";
import { dayMs } from "../../lib/time";
import * as outbox from "../../mail/outbox";
import { apiKeyCallers, apiKeys } from "../../schema/access";
import * as managers from "../managers";
import { type ApiKey, isAcceptedKey } from "./api-keys";
import type { Calls } from "./callers";

const quietMs = 7 * dayMs;

/**
 * Queues an email to the owner, and to the manager who made the key, when a key that may name visitors and is not limited
 * to networks is used from a network from which it was not used lately: perhaps someone found it. Not within a day of its first
 * use, while a site is being set up, and at most once a week for each key, because some hosts change their addresses.
 * To be called before the calls are stored, in the same commit.
 *
 * @param owner returns the owner's address
 */
export async function warnOfNewNetworks(
  orm: Orm,
  calls: ReadonlyMap<string, Calls>,
  owner: () => Promise<string | undefined>,
  now: Date,
): Promise<void> {
  const accepted = [...calls.values()].filter(({ outcome }) => outcome === "accepted");
  for (const keyId of [...new Set(accepted.map((call) => call.keyId))].sort()) {
    const networks = await networksOf(orm, keyId);
    const elsewhere = accepted.find((call) => call.keyId === keyId && !networks.has(call.network));
    if (!elsewhere || !networks.size) continue;
    const key = await suspectedKey(orm, keyId, now);
    if (!key || (await isToldLately(orm, keyId, now))) continue;
    const { network, lastAt } = elsewhere;
    const notice = { payload: { about, network, at: lastAt.toISOString() }, at: lastAt };
    await enqueueNotice(orm, key, notice, await owner());
  }
}

const networksOf = async (orm: Orm, keyId: string): Promise<Set<string>> => {
  const isAccepted = and(eq(apiKeyCallers.keyId, keyId), eq(apiKeyCallers.outcome, "accepted"));
  const rows = await orm.selectDistinct({ network: apiKeyCallers.network }).from(apiKeyCallers).where(isAccepted).all();
  return new Set(rows.map(({ network }) => network));
};

async function suspectedKey(orm: Orm, id: string, now: Date): Promise<ApiKey | undefined> {
  const isInUse = lte(apiKeys.firstUsedAt, new Date(now.getTime() - dayMs));
  const isOpen = and(eq(apiKeys.id, id), isAcceptedKey(now), isNull(apiKeys.networks), isInUse);
  const key = await orm.select().from(apiKeys).where(isOpen).get();
  return key?.scopes?.includes("visitors") ? key : undefined;
}

const about = "api-key-network";
const isToldLately = (orm: Orm, subjectId: string, now: Date): Promise<boolean> =>
  outbox.isToldSince(orm, { subjectId, about }, new Date(now.getTime() - quietMs));

/** To the owner, and to the manager who made the key. */
export async function enqueueNotice(
  orm: Orm,
  { id, createdBy }: Pick<ApiKey, "id" | "createdBy">,
  { payload, at }: { payload: Record<string, string>; at: Date },
  owner: string | undefined,
): Promise<void> {
  const maker = await managers.keyMaker(orm, createdBy);
  const recipients = [owner, maker?.email].filter((email) => email !== undefined);
  for (const email of new Map(recipients.map((one) => [emailKey(one), one])).values())
    await outbox.enqueue(orm, { kind: "notice", recipient: email, subjectId: id, payload }, at);
}
