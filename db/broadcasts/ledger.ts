import type { Broadcast } from "./broadcasts";
import { isEnded } from "./rules";

/* What the figures of a broadcast mean. Pure, so that pages, commands and files say the same. */

/** Where the recipients of a broadcast are. The other figures always add up to `recipients`. */
export type Ledger = {
  recipients: number;
  /** The email provider took the email. */
  accepted: number;
  /** Only logged, because no provider was configured. */
  simulated: number;
  /** The email provider certainly did not take the email. */
  refused: number;
  /** Whether the provider took the email is not known. */
  uncertain: number;
  /** Got nothing: unsubscribed or suppressed before their turn, or the broadcast was cancelled before it. */
  left: number;
  /** Their turn, or the provider's response, is still to come. */
  waiting: number;
};

type Counters = Pick<
  Broadcast,
  | ("state" | "audience" | "ceiling" | "cursor" | "claimed")
  | ("accepted" | "simulated" | "failed" | "uncertain" | "skipped")
>;

/** Whether everyone was looked at: who was counted at the confirmation, and is in no batch, gets nothing. */
export const everyoneHadTheirTurn = (broadcast: Pick<Counters, "state" | "ceiling" | "cursor">) =>
  isEnded(broadcast) || (broadcast.ceiling !== null && broadcast.cursor >= broadcast.ceiling);

/** Returns where the recipients of a broadcast are, in any state. */
export function ledgerOf(broadcast: Counters): Ledger {
  const { audience, claimed, accepted, simulated, failed, uncertain, skipped } = broadcast;
  const recipients = Math.max(audience ?? 0, claimed);
  const unclaimed = recipients - claimed;
  const isOver = everyoneHadTheirTurn(broadcast);
  return {
    recipients,
    accepted,
    simulated,
    refused: failed,
    uncertain,
    left: skipped + (isOver ? unclaimed : 0),
    waiting: claimed - accepted - simulated - failed - uncertain - skipped + (isOver ? 0 : unclaimed),
  };
}

/** Whether the provider took the email to everyone who was still to get it when their turn came. */
export function wentOutWhole(broadcast: Counters): boolean {
  const { recipients, accepted, left } = ledgerOf(broadcast);
  return broadcast.state === "sent" && accepted > 0 && accepted + left === recipients;
}

/** What was reported about accepted emails, each counted once; undefined is not known (docs/decisions/sending.md). */
export type Reports = {
  delivered: number | undefined;
  bounced: number | undefined;
  softBounced: number | undefined;
  complained: number | undefined;
  /** About which nothing was reported. With the others except `complained`, it adds up to the accepted. */
  unreported: number;
};

type Reported = Pick<Broadcast, "accepted" | "uncertain" | "delivered" | "bounced" | "softBounced" | "complained">;

/**
 * Returns what is known about accepted emails. A provider that never reports a delivery may not report any, so 0 is
 * then not known; the same is true of bounces and complaints without any report.
 */
export function reportsOf({ accepted, uncertain, delivered, bounced, softBounced, complained }: Reported): Reports {
  const isUnsent = accepted + uncertain === 0; // there is nothing to report
  const reported = (count: number, isKnown: boolean) => (isKnown || isUnsent ? count : undefined);
  const hasReports = delivered + bounced + softBounced > 0;
  return {
    delivered: reported(delivered, delivered > 0),
    bounced: reported(bounced, hasReports),
    softBounced: reported(softBounced, hasReports),
    complained: reported(complained, delivered + complained > 0),
    unreported: Math.max(0, accepted - delivered - bounced - softBounced), // older figures may overlap
  };
}
