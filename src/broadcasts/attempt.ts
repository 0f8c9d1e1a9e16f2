import type { FrozenRecipient } from "../../db/schema/broadcasts";
import type { Mail } from "../mail/open";
import type { Email, Outcome } from "../mail/provider";
import type { Job } from "./work";

/** Writes the emails of a batch from frozen data alone, so that a retry has the same bytes. */
export type WriteEmails = (letter: unknown, recipients: FrozenRecipient[], broadcastId: string) => Email[];

/**
 * Makes one attempt to send a batch, under the key of its epoch. Simulated emails are not even written.
 *
 * @throws if the letter cannot be written
 */
export async function attempt(
  { provider }: Pick<Mail, "provider">,
  { letter, broadcast, batch }: Job,
  write: WriteEmails,
  signal: AbortSignal,
): Promise<Outcome> {
  if (provider.name === "simulated") return { kind: "accepted", ids: [] };
  const emails = write(letter, batch.frozen, broadcast.id);
  const key = `b/${broadcast.id}/${batch.row}/${batch.epoch}`;
  const [first] = emails;
  if (!first) throw new Error("There is no email in the batch");
  return provider.maxBatch === 1 ? provider.send(first, key, signal) : provider.sendBatch(emails, key, signal);
}
