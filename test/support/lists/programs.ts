/* Lists of subscribers as eight programs write them: their columns, their words and their dates. */

/** What really happened to a person, whatever a program calls it. */
export type Truth = "subscribed" | "left" | "unconfirmed" | "never" | "unknown";
type Person = { n: number; email: string; first: string; last: string; truth: Truth; joined: Date };
/** How dates are written in a file. */
export type WriteDate = (date: Date) => string;
type File = { name: string; text: string; people: Person[]; isDated: boolean };

const firsts = ["Jürgen", "Zoë", "Renée", "Søren", "Íñigo", "João", "Ana", "Grace"];
const lasts = ["Müller", "Núñez", "Lefèvre", "Ångström", "Conceição", "O’Neill", "van den Berg", "Hopper"];
const words = ["unsubscribed", "bounced", "complained"] as const;
const of = <T>(list: readonly T[], n: number): T => list[n % list.length] ?? never();

function never(): never {
  throw new Error("An empty list");
}

/** People of all kinds; those who left are spread over the whole file, and absent from its first rows. */
function people(count: number, kinds: readonly Truth[], offset = 0): Person[] {
  return Array.from({ length: count }, (_, at) => {
    const n = at + offset;
    const truth = n % 7 === 6 && at > 30 ? of(kinds, Math.floor(n / 7)) : "subscribed";
    const joined = new Date(Date.UTC(2019, n % 12, (n % 28) + 1, n % 24, n % 60));
    return { n, email: `reader${n}@example.com`, first: of(firsts, n), last: of(lasts, n), truth, joined };
  });
}

const cell = (text: string) => (/[",;\t\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text);

/** Writes a file: the first line names the columns. */
function table(separator: string, header: string[], rows: string[][]): string {
  return [header, ...rows].map((row) => row.map(cell).join(separator)).join("\r\n");
}

type Layout = {
  file: string;
  separator?: string;
  kinds: readonly Truth[];
  header: string[];
  row: (person: Person, date: WriteDate) => string[];
};

const whole = ({ first, last }: Person) => `${first} ${last}`;
const ifLeft = ({ truth, joined }: Person, date: WriteDate) => (truth === "left" ? date(joined) : "");
const all = ["left", "unconfirmed", "left", "unknown"] as const;
const said = (names: Partial<Record<Truth, string | readonly string[]>>) => (person: Person) =>
  of([names[person.truth] ?? ""].flat(), Math.floor(person.n / 28));

const mailchimp = [
  ...["Email Address", "First Name", "Last Name", "Company", "ZIP Code", "Interests", "MEMBER_RATING", "OPTIN_TIME"],
  ...[
    "OPTIN_IP",
    "CONFIRM_TIME",
    "CONFIRM_IP",
    "LATITUDE",
    "LONGITUDE",
    "GMTOFF",
    "DSTOFF",
    "TIMEZONE",
    "CC",
    "REGION",
  ],
  "LAST_CHANGED",
];
const mailchimpRow = ({ n, email, first, last, joined }: Person, date: WriteDate) => [
  ...[email, first, last, n % 4 ? "" : "Ada & Söhne", `0${1_000 + (n % 90)}`, n % 2 ? "Recipes" : "Recipes, News"],
  ...["2", date(joined), "203.0.113.7", date(joined), "203.0.113.7", "50.9", "6.9", "1", "2", "Europe/Berlin"],
  ...["DE", "NW", date(joined)],
];

/** Columns as in the exports of each program, with what its documentation calls each status. */
export const layouts: Record<string, Layout> = {
  mailchimp: {
    file: "audience_export_1a2b3c.csv",
    kinds: ["left"],
    header: [...mailchimp, "UNSUB_TIME", "UNSUB_CAMPAIGN_TITLE", "UNSUB_REASON", "LEID", "EUID", "NOTES", "TAGS"],
    row: (person, date) => [
      ...[...mailchimpRow(person, date), ifLeft(person, date), "", person.truth === "left" ? "NORMAL" : ""],
      ...[String(person.n), `e${person.n}`, "", person.n % 3 ? '"Editors"' : '"Editors","VIP"'],
    ],
  },
  substack: {
    file: "email_list.blog.csv",
    kinds: ["left"],
    header: [
      ...["email", "active_subscription", "expiry", "plan", "email_disabled", "prefer_digests", "created_at"],
      ...["first_payment_at", "name"],
    ],
    row: (person, date) => [
      ...[person.email, "false", "", "other", String(person.truth === "left"), "false", date(person.joined), ""],
      whole(person),
    ],
  },
  ghost: {
    file: "members.2026-11-23.csv",
    kinds: ["left"],
    header: [
      ...["id", "email", "name", "note", "subscribed_to_emails", "complimentary_plan", "stripe_customer_id"],
      ...["created_at", "deleted_at", "labels", "tiers", "gift_id", "custom_fields.city", "custom_fields.orders"],
    ],
    row: (person, date) => [
      ...[String(person.n), person.email, whole(person), "", String(person.truth !== "left"), "false", ""],
      ...[date(person.joined), "", "Imported, VIP", "", "", person.n % 2 ? "Köln" : "", String(person.n % 5)],
    ],
  },
  listmonk: {
    file: "subscribers.csv",
    kinds: ["left", "unknown"],
    header: ["uuid", "email", "name", "attributes", "status", "created_at", "updated_at"],
    row: (person, date) => [
      ...[`uuid-${person.n}`, person.email, whole(person)],
      person.n % 3
        ? "{}"
        : JSON.stringify({ city: "Köln", orders: person.n % 9, shop: { member: person.n % 2 === 0 } }),
      said({ subscribed: "enabled", left: ["blocklisted", "disabled"], unknown: "gone" })(person),
      ...[date(person.joined), date(person.joined)],
    ],
  },
  buttondown: {
    file: "subscribers.csv",
    kinds: all,
    header: ["email_address", "notes", "metadata", "tags", "creation_date", "type", "name"],
    row: (person, date) => [
      ...[person.email, "", JSON.stringify(person.n % 4 ? {} : { city: "Lübeck", joined_by: "friend" })],
      ...[person.n % 2 ? "Editors,VIP" : "", date(person.joined)],
      // within the first rows too, as in the file that once made everyone active
      person.n === 3 ? "past_due" : said({ ...buttondownWords, left: [...words, "spammy", "removed"] })(person),
      whole(person),
    ],
  },
  beehiiv: {
    file: "subscribers_export.csv",
    kinds: all,
    header: [
      ...["email", "First Name", "Last Name", "status", "tier", "created_at", "stripe_customer_id", "Free Tier"],
      ...["Premium Tier", "unsubscribed_at", "City", "tags"],
    ],
    row: (person, date) => [
      ...[person.email, person.first, person.last],
      said({ subscribed: "active", left: ["inactive", "invalid"], unconfirmed: "pending", unknown: "needs_attention" })(
        person,
      ),
      ...["free", date(person.joined), "", "Yes", "No", ifLeft(person, date), "Aarhus", "Editors, VIP"],
    ],
  },
  kit: {
    file: "subscribers.csv",
    kinds: ["left", "unknown"],
    header: ["first_name", "email_address", "state", "created_at", "tags", "last_name", "city", "orders"],
    row: (person, date) => [
      ...[person.first, person.email],
      said({ subscribed: "active", left: ["cancelled", "bounced", "complained"], unknown: "cold" })(person),
      ...[date(person.joined), "Editors, VIP", person.last, "Aarhus", String(person.n % 5)],
    ],
  },
  keila: {
    file: "contacts.csv",
    separator: ";",
    kinds: ["left", "unknown"],
    header: ["Email", "First name", "Last name", "Data", "Status", "Joined"],
    row: (person, date) => [
      ...[person.email, person.first, person.last, "{}"],
      said({ subscribed: "active", left: ["unsubscribed", "unreachable"], unknown: "odd" })(person),
      date(person.joined),
    ],
  },
  // German words in a column that no program names: Excel's own list
  spreadsheet: {
    file: "Newsletter.csv",
    separator: "\t",
    kinds: ["left", "unconfirmed", "unknown"],
    header: ["E-Mail-Adresse", "Vorname", "Nachname", "Zustand", "Anmeldedatum"],
    row: (person, date) => [
      ...[person.email, person.first, person.last],
      said({
        subscribed: ["angemeldet", "inscrit", "suscrita", "inscrito", "aangemeld"],
        left: ["abgemeldet", "désabonné", "dado de baja", "descadastrado", "uitgeschreven"],
        unconfirmed: "unbestätigt",
        unknown: "vielleicht",
      })(person),
      date(person.joined),
    ],
  },
};

const buttondownWords = { subscribed: "regular", unconfirmed: "unactivated", unknown: ["unpaid", "past_due"] };

/** Writes a list as a program does. */
export function listOf(program: string, count: number, date: WriteDate, offset = 0): File {
  const { file: name, separator = ",", kinds, header, row } = layouts[program] ?? never();
  const list = people(count, kinds, offset).map((person) =>
    program === "buttondown" && person.n === 3 ? { ...person, truth: "unknown" as const } : person,
  );
  const rows = list.map((person) => row(person, date));
  return { name, text: table(separator, header, rows), people: list, isDated: true };
}

const two = (n: number) => String(n).padStart(2, "0");
const day = (at: Date) => two(at.getUTCDate());
const month = (at: Date) => two(at.getUTCMonth() + 1);
const clock = (at: Date) => `${two(at.getUTCHours())}:${two(at.getUTCMinutes())}:00`;

/** The six forms of dates that lists come in, and one with names of months. */
export const dateForms: Record<string, WriteDate> = {
  iso: (at) => at.toISOString(),
  us: (at) => `${at.getUTCMonth() + 1}/${at.getUTCDate()}/${at.getUTCFullYear()} ${clock(at)}`,
  german: (at) => `${day(at)}.${month(at)}.${at.getUTCFullYear()} ${clock(at)}`,
  rfc2822: (at) => at.toUTCString().replace("GMT", "+0000"),
  seconds: (at) => String(at.getTime() / 1_000),
  milliseconds: (at) => String(at.getTime()),
  words: (at) =>
    `${at.toLocaleDateString("en-US", { month: "short", timeZone: "UTC" })} ${day(at)}, ${at.getUTCFullYear()} ${clock(at)}`,
};

const windows1252 = new Map(
  Array.from({ length: 256 }, (_, byte) => [new TextDecoder("windows-1252").decode(new Uint8Array([byte])), byte]),
);

/** How a file may be saved. Every name above exists in each of them. */
export const saved: Record<string, (text: string) => Uint8Array<ArrayBuffer>> = {
  "utf-8": (text) => new TextEncoder().encode(text),
  "utf-8 with a byte order mark": (text) => new TextEncoder().encode(`\ufeff${text}`),
  "utf-16le": (text) => new Uint8Array(Buffer.from(text, "utf16le")),
  "utf-16le with a byte order mark": (text) => new Uint8Array(Buffer.from(`\ufeff${text}`, "utf16le")),
  "utf-16be": (text) => new Uint8Array(Buffer.from(text, "utf16le").swap16()),
  "utf-16be with a byte order mark": (text) => new Uint8Array(Buffer.from(`\ufeff${text}`, "utf16le").swap16()),
  "windows-1252": (text) => Uint8Array.from(text, (character) => windows1252.get(character) ?? never()),
};
