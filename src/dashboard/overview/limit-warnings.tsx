import type { HourlyLimit } from "../../../db/limits/hourly-limits";
import type { Frame } from "../../../views/components/frame";
import { number, plural } from "../../../views/components/list";
import { Time } from "../../../views/components/time";
import type { Warning } from "../../../views/dashboard/overview/overview";
import { paths } from "../../../views/paths";

/** The hourly limits, and what is waiting because of them. */
type LimitFacts = {
  /** The limits reached in the last 24 hours, with their current values. */
  reached: { limit: HourlyLimit; reachedAt: Date; max: number }[];
  quarantined: number;
  awaitingTurn: number;
};

const settings = { href: `${paths.settings}#limits`, text: "View limits" };
const icon = "shield-alert";

/** Says which limits were reached, when, and what happened above them. */
export function limitWarnings({ reached, quarantined, awaitingTurn }: LimitFacts, frame: Frame): Warning[] {
  const warning = (limit: HourlyLimit, what: string, consequence: string, link = settings): Warning[] =>
    reached
      .filter((one) => one.limit === limit)
      .map(({ reachedAt, max }) => ({
        icon,
        text: (
          <>
            The limit of {max > 0 && number(max)} {what} an hour was reached <Time at={reachedAt} clock={frame} />.{" "}
            {consequence}
          </>
        ),
        link,
      }));
  const quarantine: Warning = {
    icon,
    text: `${plural(quarantined, "message is", "messages are")} in quarantine, because too many arrived within an hour.`,
    link: { href: `${paths.contact}?box=quarantine`, text: "Review messages" },
  };
  return [
    ...warning("newSubscribersPerHour", "new subscribers", "Visitors above the limit are asked to try again later."),
    ...warning("storedMessagesPerHour", "stored messages", "Visitors above the limit are asked to try again later."),
    ...(quarantined
      ? [quarantine]
      : warning("messagesPerHourBeforeQuarantine", "messages", "The quarantine is empty.")),
    ...warning(
      "emailsToStrangersPerHour",
      "emails to new subscribers",
      awaitingTurn
        ? `${plural(awaitingTurn, "email is", "emails are")} waiting for the limit. All others are sent as usual.`
        : "No emails are waiting for it.",
      { href: `${paths.mails}?state=queued`, text: "View emails" },
    ),
  ];
}
