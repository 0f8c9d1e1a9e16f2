import type { Leaving } from "../../../db/broadcasts/report/recipients";
import type { SubscriberEvent } from "../../../db/events/subscriber-events";
import { capitalized } from "../../components/list";
import { languageLabel } from "../../languages/names";
import { byWhom, type Names } from "../../components/who";
import type { Entry as Written } from "../../../db/contact/conversation";
import { paths } from "../../paths";

/** `actor`: the address of the manager named in the text. `words`: the beginning of what was written, at `href`. */
type Entry = {
  at: Date;
  icon: string;
  text: string;
  warning?: string | undefined;
  actor?: string | undefined;
  href?: string;
  words?: string;
  quote?: "said" | "noted" | undefined;
};

const maxWords = 160; // characters

/** The first words of a text, in one line. */
export function beginning(text: string): string {
  const all = [
    ...text
      .slice(0, 4 * maxWords)
      .replace(/\s+/g, " ")
      .trim(),
  ];
  return all.length > maxWords
    ? `${all
        .slice(0, maxWords)
        .join("")
        .replace(/\s+\S*$/, "")}…`
    : all.join("");
}

/** What was written to and by someone, newest first. */
export const written = (entries: Written[], names: Names): Entry[] =>
  entries.map(({ messageId, kind, author, text, createdAt }) => ({
    at: createdAt,
    icon: icons[kind],
    text: kind === "answer" ? "Answered by email" : `${kinds[kind]}${author ? ` ${byWhom(author, names)}` : ""}`,
    actor: author && names.has(author) ? author : undefined,
    href: `${paths.contact}/${messageId}`,
    words: beginning(text),
    quote: kind === "answer" ? "said" : kind === "note" ? "noted" : undefined,
  }));

const kinds = { reply: "Reply sent", note: "Note" };
const icons = { reply: "reply", note: "sticky-note", answer: "inbox" };

/** The history of a subscription, newest first. */
export const timeline = (events: SubscriberEvent[], names: Names): Entry[] =>
  events.map((event) => ({
    at: event.createdAt,
    icon: iconOf(event.kind),
    text: textOf(event, names),
    actor: event.actor && names.has(event.actor) ? event.actor : undefined,
    warning: event.probableScanner ? scanner : undefined,
  }));

function iconOf(kind: SubscriberEvent["kind"]): string {
  if (kind === "changed") return "pencil";
  if (kind === "confirm-sent") return "mail";
  if (kind === "paused") return "pause";
  return hasLeft.includes(kind) ? "ban" : "check";
}

const hasLeft: SubscriberEvent["kind"][] = ["unsubscribed", "suppressed", "expired", "deleted", "erased"];

function textOf({ kind, via, actor, source, note }: SubscriberEvent, names: Names): string {
  const by = actor ? ` ${byWhom(actor, names)}` : "";
  if (kind === "subscribed")
    return via === "manager" ? `Added${by}` : source ? `Subscribed via ${source}` : "Subscribed";
  if (kind === "unsubscribed") return via === "manager" && actor ? `Unsubscribed${by}` : `Unsubscribed ${ways[via]}`;
  if (kind === "reactivated" && via === "import") return `Reactivated by an import${by}${agreed(note)}`;
  if (kind === "reactivated") return via === "manager" ? `Reactivated${by}` : "Subscribed again";
  if (kind === "restored") return `Restored${by} after a mail scanner had unsubscribed them`;
  if (kind === "imported") return `Imported${by}${agreed(note)}`;
  if (kind === "confirmed" && via === "manager") return `Confirmed${by} (${note ?? "no note"})`;
  if (kind === "confirm-sent") return `Confirmation link requested${by}`;
  if (kind === "deleted") return `Deleted${by}`;
  if (kind === "suppressed") return note ? `Suppressed${by} (${note})` : `Suppressed${by}`;
  if (kind === "changed") return `${changeIn(note)}${by}`;
  if (kind === "paused") return `Paused${note ? ` ${note}` : ""}${by}`;
  if (kind === "resumed") return via === "clock" ? "Pause ended" : `Resumed${by}`;
  if (kind === "lifted") return note ? `Suppression lifted${by} (${note})` : `Suppression lifted${by}`;
  return events[kind];
}

/** How someone left by the email of a broadcast: everything, or one topic. */
export function leavingText({ kind, via, note, probableScanner }: Leaving): string {
  const way = kind === "changed" ? `${changeIn(note)} ${ways[via]}` : capitalized(ways[via]);
  return probableScanner ? `${way}. ${scanner}` : way;
}

/** What a manager changed; null after an erasure. */
function changeIn(note: string | null): string {
  const changes = (note ?? "").split("\n").map(lineOf);
  return note ? changes.map((text, at) => (at ? text : capitalized(text))).join(", ") : "Changed";
}

/** One line of a note (db/newsletter/change-people.ts). */
function lineOf(line: string): string {
  if (/^[+−]/.test(line)) return `tags changed (${line})`;
  const [, part = line, value] = /^([a-z ]+): (.*)$/s.exec(line) ?? [];
  if (value === undefined) return `${part} changed`;
  if (part !== "language" && part !== "time zone") return `${part} changed (${value})`;
  const ofTheSite = value === "none" && "that of the site";
  return `${part} set to ${ofTheSite || (part === "language" ? languageLabel(value) : value)}`;
}

const agreed = (note: string | null) => (note ? `. How they agreed: ${note}` : "");

const events = {
  confirmed: "Confirmed",
  paused: "Paused",
  resumed: "Resumed",
  expired: "Not confirmed in time",
  erased: "Erased",
};

const scanner = "Probably a mail scanner";

const ways: Record<SubscriberEvent["via"], string> = {
  link: "via the link in an email",
  "one-click": "via the email app’s unsubscribe button",
  page: "on the unsubscribe page",
  form: "via a form",
  manager: "by a manager",
  import: "during an import",
  cli: "on the command line",
  provider: "by the email provider",
  confirm: "by the link in the confirmation email",
  api: "by a program with an API key",
  preferences: "on the page of their own",
  clock: "by the clock",
};
