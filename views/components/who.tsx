import { Icon } from "./icon";

/** Managers' names by address. A removed manager has none, and is shown by the address. */
export type Names = ReadonlyMap<string, string>;

const actors = new Map([
  ["cli", "Command line"],
  ["system", "Postroom"],
  ["visitor", "Unknown visitor"],
]);

/** The name of the person or program that did something. */
export const nameOf = (actor: string, names: Names) => actors.get(actor) ?? (names.get(actor) || actor);

/** The same within a sentence: "by the command line". */
export const byWhom = (actor: string, names: Names) =>
  actor === "cli" ? "by the command line" : `by ${nameOf(actor, names)}`;

/** "NH" of “Noor Halvorsen”, or the first letter of an address. */
const initials = (name: string) =>
  name
    .trim()
    .split(/[\s@]+/, 2)
    .map((word) => [...word][0] ?? "")
    .slice(0, name.includes("@") ? 1 : 2)
    .join("")
    .toUpperCase();

const tones = 4;
const toneOf = (name: string) =>
  [...name].reduce((hash, sign) => (hash * 31 + (sign.codePointAt(0) ?? 0)) % 9973, 0) % tones;

/** The initials of someone in a circle, always of the same colour. No picture is asked of anyone. */
export const Avatar = ({ name, tone }: { name: string; tone?: "plain" }) => (
  <span class="avatar" data-tone={tone ? undefined : toneOf(name)} aria-hidden="true">
    {initials(name)}
  </span>
);

type WhoProps = { actor: string; names: Names };

/** The name, with the address as a tooltip. */
export const Who = ({ actor, names }: WhoProps) => <span title={titleOf(actor, names)}>{nameOf(actor, names)}</span>;

/** "by Ada", with the address as a tooltip. */
export const By = ({ actor, names }: WhoProps) => <span title={titleOf(actor, names)}>{byWhom(actor, names)}</span>;

const titleOf = (actor: string, names: Names) => (names.get(actor) ? actor : undefined);

/** Explains to managers why something is for owners only: `what` completes "Only owners can …". */
export const OwnersNote = ({ what }: { what: string }) => (
  <div class="note info owners">
    <Icon name="user-cog" />
    <p>Only owners can {what}. Ask an owner.</p>
  </div>
);
