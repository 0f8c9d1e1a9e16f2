import { z } from "zod";
import { inSlices } from "../../../db/async/in-slices";
import { joinNames } from "../../../db/lib/text";
import { isDeeperThan } from "../../http/request-body";
import { type DumpRow, insertedRows } from "./mysql-dump";
import { csvLine, type OpenFile } from "./reader";

/*
 * Lists of people that are no CSV and say what the CSV of the same program does not: on which lists people are, and
 * which they left. They become a CSV file, which is then read and shown like any other. A dump is read, never run.
 */

const maxJsonBytes = 16 * 2 ** 20; // parsed in one go, during which nobody else is served
const maxDepth = 32;
const maxKept = 2_000_000; // rows of a dump
const headBytes = 4_096;

/** Returns the list as CSV: of listmonk's or Ghost's API, or of a dump of either. Undefined if it is CSV already. */
export async function asCsv(open: OpenFile): Promise<Buffer | undefined> {
  const head = (await start(open())).toString("utf8").replace(/^\ufeff/, "");
  if (/^\s*[{[]/.test(head)) return fromJson(await whole(open()));
  if (/^-- (MySQL|MariaDB) dump /m.test(head)) return fromGhostDump(open());
  return /^-- PostgreSQL database dump/m.test(head) ? fromDump(open()) : undefined;
}

async function start(chunks: AsyncIterable<Uint8Array>): Promise<Buffer> {
  let read = Buffer.alloc(0);
  for await (const chunk of chunks) {
    read = Buffer.concat([read, chunk.subarray(0, headBytes)]);
    if (read.length >= headBytes) break;
  }
  return read;
}

async function whole(chunks: AsyncIterable<Uint8Array>): Promise<Buffer> {
  const parts: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of chunks) {
    size += chunk.length;
    if (size > maxJsonBytes) throw new Error("The JSON is larger than 16 MB. Fetch the people in several pages.");
    parts.push(chunk);
  }
  return Buffer.concat(parts);
}

/** A list that someone is or was on. Lists that the public cannot see become tags. */
type Membership = { name: string; isPublic: boolean; is: "on" | "left" | "unconfirmed" };
type Person = {
  email: string;
  name: string;
  status: string;
  createdAt: string;
  attributes: string;
  tags: string[];
  lists: Membership[];
};

const header = ["email", "name", "status", "created_at", "attributes", "tags", "topics", "topics_left"];

function lineOf({ email, name, status, createdAt, attributes, tags, lists }: Person): string {
  const named = (is: Membership["is"], isPublic: boolean) =>
    lists.filter((list) => list.is === is && list.isPublic === isPublic).map((list) => list.name);
  const cells = [
    cell(attributes, 6_000),
    cell(joinNames([...tags, ...named("on", false)]), 1_000),
    cell(joinNames(named("on", true)), 1_000),
    cell(joinNames(named("left", true)), 1_000),
  ];
  return csvLine([cell(email, 300), cell(name, 300), cell(status, 60), cell(createdAt, 60), ...cells]);
}

/** A cell that leaves the row within its limit: nobody who left is refused because too much is known of them. */
const cell = (text: string, max: number) => (csvLine([text]).length > max ? "" : text);

const nobody: Person = { email: "", name: "", status: "", createdAt: "", attributes: "", tags: [], lists: [] };

const text = z.string().catch("");
const named = z.array(z.object({ name: z.string() }));

const ListmonkPerson = z.object({
  email: z.string(),
  name: text,
  status: z.string(),
  created_at: text,
  attribs: z.record(z.string(), z.unknown()).catch({}),
  lists: z.array(
    z.object({
      name: z.string(),
      type: z.string().optional(),
      optin: z.string().optional(),
      subscription_status: z.string(),
    }),
  ),
});

const GhostPerson = z.object({
  email: z.string(),
  name: text,
  created_at: text,
  subscribed: z.boolean().optional(),
  labels: named.catch([]),
  newsletters: named,
  email_suppression: z.object({ suppressed: z.boolean() }).optional().catch(undefined),
});

const People = z.union([
  z.object({ data: z.object({ results: z.array(z.unknown()) }) }).transform(({ data }) => data.results),
  z.object({ results: z.array(z.unknown()) }).transform(({ results }) => results),
  z.object({ members: z.array(z.unknown()) }).transform(({ members }) => members),
  z.array(z.unknown()),
]);

const unknownJson = "The file is JSON, but no list of subscribers of listmonk’s API or of members of Ghost’s.";

/** @throws a message for whoever imports it */
async function fromJson(bytes: Buffer): Promise<Buffer> {
  if (isDeeperThan(maxDepth, bytes)) throw new Error(unknownJson);
  const { data: people } = People.safeParse(parsed(bytes.toString("utf8").replace(/^\ufeff/, "")));
  let isKnown = false;
  const csv = await csvOf(people ?? [], (json) => {
    const person = listmonkPerson(json) ?? ghostPerson(json);
    isKnown ||= person !== undefined;
    return person ?? nobody;
  });
  if (!isKnown) throw new Error(unknownJson);
  return csv;
}

const rowsPerTurn = 200;

/** Writes the people, while other requests run in between. */
async function csvOf<Row>(rows: Row[], personIn: (row: Row) => Person): Promise<Buffer> {
  const parts = [Buffer.from(csvLine(header))];
  await inSlices(
    (function* () {
      for (let at = 0; at < rows.length; at += rowsPerTurn) {
        const lines = rows.slice(at, at + rowsPerTurn).map((row) => lineOf(personIn(row)));
        parts.push(Buffer.from(lines.join("")));
        yield;
      }
    })(),
  );
  return Buffer.concat(parts);
}

function parsed(json: string): unknown {
  try {
    return JSON.parse(json);
  } catch {
    throw new Error("The file begins like JSON, but is not valid JSON.");
  }
}

function listmonkPerson(json: unknown): Person | undefined {
  const { data } = ListmonkPerson.safeParse(json);
  if (!data) return undefined;
  const lists = data.lists.map((list) => membership(list, list.subscription_status));
  const attributes = Object.keys(data.attribs).length ? JSON.stringify(data.attribs) : "";
  const { email, name, created_at: createdAt } = data;
  return { email, name, status: listmonkStatus(data.status, lists), createdAt, attributes, tags: [], lists };
}

/** On a list without double opt-in, "unconfirmed" is what everyone is whom listmonk writes to. */
function membership(list: { name: string; type?: string | undefined; optin?: string | undefined }, status: string) {
  const isOn = status === "confirmed" || (status === "unconfirmed" && list.optin === "single");
  const is: Membership["is"] = isOn ? "on" : status === "unsubscribed" ? "left" : "unconfirmed";
  return { name: list.name, isPublic: list.type !== "private", is };
}

/** listmonk writes to nobody who is on no list: such people are "enabled" all the same. */
function listmonkStatus(status: string, lists: Membership[]): string {
  if (status !== "enabled" || lists.some(({ is }) => is === "on")) return status;
  if (!lists.length) return "on no list";
  return lists.some(({ is }) => is === "left") ? "unsubscribed" : "unconfirmed";
}

function ghostPerson(json: unknown): Person | undefined {
  const { data } = GhostPerson.safeParse(json);
  if (!data) return undefined;
  const isOn = data.newsletters.length > 0 && data.subscribed !== false;
  const status = data.email_suppression?.suppressed ? "suppressed" : isOn ? "subscribed" : "unsubscribed";
  const lists = data.newsletters.map(({ name }): Membership => ({ name, isPublic: true, is: isOn ? "on" : "left" }));
  const tags = data.labels.map(({ name }) => name);
  return { email: data.email, name: data.name, status, createdAt: data.created_at, attributes: "", tags, lists };
}

/** Reads the tables of listmonk in a dump that `pg_dump` wrote as text. @throws a message for whoever imports it */
async function fromDump(chunks: AsyncIterable<Uint8Array>): Promise<Buffer> {
  const lists = new Map<string, { name: string; type: string; optin: string }>();
  const memberships = new Map<string, [list: string, status: string][]>();
  const people: DumpRow[] = [];
  let kept = 0;
  for await (const { table, row } of dumpRows(chunks)) {
    await afterKept(++kept);
    const of = (column: string) => row.get(column) ?? "";
    if (table === "lists") lists.set(of("id"), { name: of("name"), type: of("type"), optin: of("optin") });
    else if (table === "subscribers") people.push(row);
    else {
      const mine = memberships.get(of("subscriber_id")) ?? [];
      mine.push([of("list_id"), of("status")]);
      memberships.set(of("subscriber_id"), mine);
    }
  }
  if (!people.length)
    throw new Error("The dump has no people of listmonk. Make it with pg_dump as plain text, and without --inserts.");
  return csvOf(people, (row) => {
    const of = (column: string) => row.get(column) ?? "";
    const mine = (memberships.get(of("id")) ?? []).flatMap(([id, status]) => {
      const list = lists.get(id);
      return list ? membership(list, status) : [];
    });
    const attributes = of("attribs") === "{}" ? "" : of("attribs");
    const person = { email: of("email"), name: of("name"), createdAt: of("created_at") };
    return { ...person, status: listmonkStatus(of("status"), mine), attributes, tags: [], lists: mine };
  });
}

const ghostTables = new Set([
  "members",
  "newsletters",
  "members_newsletters",
  "labels",
  "members_labels",
  "members_subscribe_events",
  "suppressions",
]);

/** What the tables of Ghost say, while they are read. Keys of newsletters of members are "member newsletter". */
class GhostTables {
  readonly members: DumpRow[] = [];
  private readonly newsletters = new Map<string, { name: string; isActive: boolean }>();
  private readonly labels = new Map<string, string>();
  private readonly gets = new Map<string, string[]>();
  private readonly labelled = new Map<string, string[]>();
  private readonly changes = new Map<string, Map<string, { at: string; isOn: boolean }>>();
  private readonly suppressed = new Set<string>();

  add(table: string, row: DumpRow): void {
    const of = (column: string) => row.get(column) ?? "";
    if (table === "members") this.members.push(row);
    else if (table === "newsletters")
      this.newsletters.set(of("id"), { name: of("name"), isActive: of("status") === "active" });
    else if (table === "labels") this.labels.set(of("id"), of("name"));
    else if (table === "members_newsletters") collect(this.gets, of("member_id"), of("newsletter_id"));
    else if (table === "members_labels") collect(this.labelled, of("member_id"), of("label_id"));
    else if (table === "suppressions") this.suppressed.add(of("email").toLowerCase());
    else this.addChange(of("member_id"), of("newsletter_id"), { at: of("created_at"), isOn: of("subscribed") === "1" });
  }

  private addChange(member: string, newsletter: string, change: { at: string; isOn: boolean }): void {
    const theirs = this.changes.get(member) ?? new Map<string, typeof change>();
    if ((theirs.get(newsletter)?.at ?? "") <= change.at) theirs.set(newsletter, change);
    this.changes.set(member, theirs);
  }

  /** A newsletter that was archived is sent to nobody. Of the others, the last change says which someone left. */
  person(row: DumpRow): Person {
    const of = (column: string) => row.get(column) ?? "";
    const [gets, changes] = [new Set(this.gets.get(of("id"))), this.changes.get(of("id"))];
    const lists = [...this.newsletters].flatMap(([id, { name, isActive }]): Membership[] => {
      const is = gets.has(id) ? "on" : changes?.get(id)?.isOn === false ? "left" : undefined;
      return is && isActive ? [{ name, isPublic: true, is }] : [];
    });
    const isSuppressed = of("email_disabled") === "1" || this.suppressed.has(of("email").toLowerCase());
    const isOn = lists.some(({ is }) => is === "on");
    const tags = (this.labelled.get(of("id")) ?? []).flatMap((id) => this.labels.get(id) ?? []);
    const createdAt = of("created_at").replace(/^(\S+) (\S+)$/, "$1T$2Z"); // Ghost stores UTC
    const status = isSuppressed ? "suppressed" : isOn ? "subscribed" : "unsubscribed";
    return { email: of("email"), name: of("name"), status, createdAt, attributes: "", tags, lists };
  }
}

const collect = (into: Map<string, string[]>, key: string, value: string) => {
  const values = into.get(key);
  if (values) values.push(value);
  else into.set(key, [value]);
};

/** Reads the tables of Ghost in a dump of MySQL. @throws a message for whoever imports it */
async function fromGhostDump(chunks: AsyncIterable<Uint8Array>): Promise<Buffer> {
  const ghost = new GhostTables();
  let kept = 0;
  for await (const { table, row } of insertedRows(chunks, ghostTables)) {
    await afterKept(++kept);
    ghost.add(table, row);
  }
  if (!ghost.members.length) throw new Error("The dump has no members of Ghost.");
  return csvOf(ghost.members, (row) => ghost.person(row));
}

/** Lets others have their turn, and refuses what is too much. @param kept rows so far */
async function afterKept(kept: number): Promise<void> {
  if (kept % rowsPerTurn === 0) await new Promise((turn) => setImmediate(turn));
  if (kept > maxKept)
    throw new Error(`The dump has more than ${maxKept.toLocaleString("en-GB")} rows of people and lists.`);
}

const copyLine = /^COPY (?:\w+\.)?(lists|subscribers|subscriber_lists) \(([\w", ]+)\) FROM stdin;$/;

/** Yields the rows of the three tables. Everything else in the dump is passed over. */
async function* dumpRows(chunks: AsyncIterable<Uint8Array>): AsyncGenerator<{ table: string; row: DumpRow }> {
  let table: string | undefined;
  let columns: string[] = [];
  for await (const line of linesIn(chunks)) {
    if (table === undefined) {
      const [, name, list = ""] = copyLine.exec(line) ?? [];
      table = name;
      columns = list.split(",").map((column) => column.trim().replaceAll('"', ""));
    } else if (line === "\\.") table = undefined;
    else {
      const cells = line.split("\t");
      yield { table, row: new Map(columns.map((column, at) => [column, valueOf(cells[at] ?? "\\N")])) };
    }
  }
}

const escapes: Record<string, string> = { b: "\b", f: "\f", n: "\n", r: "\r", t: "\t", v: "\v" };

/** A value as COPY writes it; `\N` is none. */
const valueOf = (written: string): string | null =>
  written === "\\N"
    ? null
    : written.replace(/\\(x[0-9a-fA-F]{1,2}|[0-7]{1,3}|.)/gs, (_, code: string) => {
        if (/^x./.test(code)) return String.fromCharCode(Number.parseInt(code.slice(1), 16));
        return /^[0-7]/.test(code) ? String.fromCharCode(Number.parseInt(code, 8)) : (escapes[code] ?? code);
      });

const maxLine = 1_000_000; // bytes; longer ones, such as the texts of campaigns, are passed over

async function* linesIn(chunks: AsyncIterable<Uint8Array>): AsyncGenerator<string> {
  let rest: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of chunks) {
    let at = 0;
    for (let end = chunk.indexOf(10); end >= 0; end = chunk.indexOf(10, at)) {
      const part = chunk.subarray(at, end);
      if (size + part.length <= maxLine)
        yield Buffer.concat([...rest, part])
          .toString("utf8")
          .replace(/\r$/, "");
      [rest, size, at] = [[], 0, end + 1];
    }
    const more = chunk.subarray(at);
    size += more.length;
    if (size <= maxLine) rest.push(more);
    else rest = [];
  }
  if (size && size <= maxLine) yield Buffer.concat(rest).toString("utf8");
}
