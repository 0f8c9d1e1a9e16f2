import { type CopiedColumn, type CopiedTable, copiedTables, derived, type Row, type Value } from "./copy/copy";

/* What `export all` does with each table. Every table is named here: a test fails for one that is not, so that no one
   forgets a new one (portable.test.ts). */

/** A row by the names of its columns. */
export type NamedRow = Record<string, Value>;

type Fate =
  /** Every row, as it is. */
  | "whole"
  /** No row, for this reason. */
  | { left: string }
  /** Without some columns, some rows, or with other values. */
  | {
      /** Columns that only this installation can use. */
      without?: string[];
      /** Returns the row as it is exported; undefined if it is not. */
      adapt?: (row: NamedRow) => NamedRow | undefined;
    };

const soonGone = { left: "it is meaningless after a day" };
const account = { left: "accounts and what they are opened with stay: managers are invited again" };

/** The old installation may have sent it since: it is repeated under the same key, and uncertain when that has ended. */
const inDoubt = (row: NamedRow) =>
  row.state === "queued" ? { ...row, in_doubt_since: row.in_doubt_since ?? row.created_at ?? null } : row;

/** Emails of its people may have been sent since. */
const pausedSequence = (row: NamedRow) =>
  row.state === "on" || row.state === "paused" ? { ...row, state: "paused", reason: "restored" } : row;

/** Posts that were published since may have been sent by it. */
const ruleOff = (row: NamedRow) => ({ ...row, off_reason: row.off_reason ?? "restored" });

/** Whether it was sent since is not known. */
const mailingOver = (row: NamedRow) => ({ ...row, state: "done" });

/** As in a restored backup: a manager decides whether it goes on, as it may have here since it was paused. */
const paused = (row: NamedRow) =>
  ["scheduled", "sending", ...(row.kind === "step" ? [] : ["paused"])].includes(String(row.state))
    ? { ...row, state: "paused", state_reason: "restored", state_detail: null, rest_until: null, rest_reason: null }
    : row;

export const fates: Record<string, Fate> = {
  access_rules: "whole",
  alerts: { left: "it is noticed again" },
  api_batches: soonGone,
  api_key_callers: { left: "it belongs to the keys" },
  api_keys: { left: "keys are generated anew; keys.csv lists them" },
  audience_counts: "whole",
  audience_tags: "whole",
  audit_events: "whole",
  bounce_mailbox: { left: "the new installation reads its own mailbox, and reports have their effect once" },
  broadcast_batches: "whole",
  broadcast_files: "whole",
  broadcast_letters: "whole",
  broadcast_recipients: "whole",
  broadcasts: { adapt: paused },
  daily_counts: "whole",
  digests: { adapt: mailingOver },
  erasures: "whole",
  field_values: "whole",
  file_variants: { left: "sizes of pictures are made again when someone asks for them" },
  folders: "whole",
  idempotency_keys: soonGone,
  // The key that the addresses of suppressed and erased people are hashed with, and whether it is sample content. Everything else names this installation
  installation: { adapt: (row) => (["addressKey", "sampleContent"].includes(String(row.name)) ? row : undefined) },
  jobs: { left: "it names the processes of this installation" },
  limits_reached: soonGone,
  managers: account,
  message_entries: "whole",
  // Who was to answer has another account there, and the site another key
  messages: { adapt: (row) => ({ ...row, assignee_id: null, api_key_id: null }) },
  one_time_tokens: account,
  outbox: { adapt: inDoubt },
  passkeys: account,
  pending_import_files: soonGone,
  pending_imports: soonGone,
  post_counts: "whole",
  post_files: "whole",
  post_mailings: { adapt: mailingOver },
  post_revisions: "whole",
  post_rules: { adapt: ruleOff },
  post_slugs: "whole",
  post_tags: "whole",
  posts: "whole",
  project_files: "whole",
  projects: "whole",
  provider_events: "whole",
  rate_limit_hits: soonGone,
  recovery_codes: account,
  saved_views: account,
  scheduled_posts: "whole",
  segments: "whole",
  sequence_people: "whole",
  sequence_steps: "whole",
  sequences: { adapt: pausedSequence },
  sessions: account,
  setting_files: "whole",
  settings: "whole",
  snippets: "whole",
  storage_nodes: {
    left: "it has the keys to this installation’s storage; files are stored on the nodes of the new one",
  },
  subscriber_counts: "whole",
  subscriber_days: "whole",
  subscriber_events: "whole",
  subscriber_fields: "whole",
  subscriber_tags: "whole",
  subscriber_topics: "whole",
  subscribers: "whole",
  suppressions: "whole",
  tags: "whole",
  topics: "whole",
  uploads: {
    without: ["node_id", "etag", "provider_upload_id", "url_expires_at"],
    adapt: (row) => (row.state === "completed" ? row : undefined),
  },
  versions: "whole",
  visit_salts: soonGone,
  visits: soonGone,
  webhook_deliveries: { left: "the old installation has delivered it" },
  // Turned off, so that no endpoint is called before someone has given it the new secret
  webhook_endpoints: {
    without: ["secret", "old_secret", "old_until"],
    adapt: (row) => ({ ...row, state: "off" }),
  },
};

/** Rows of these tables refer to a file, in this column. */
export const fileColumns: Record<string, string> = {
  broadcast_files: "file_id",
  post_files: "file_id",
  project_files: "file_id",
  setting_files: "file_id",
  uploads: "id",
};

/** A new installation has rows in these, too. */
const keptBeside = new Set(["audit_events", "installation", ...derived]);

export type PortableTable = CopiedTable & {
  /** Its columns in an export. */
  exported: Pick<CopiedTable, "columns">;
  adapt: (row: NamedRow) => NamedRow | undefined;
  /** Whether it is empty in an installation that nobody has used. */
  isEmptyAtFirst: boolean;
};

/** The tables that are exported, each after those it refers to. */
export async function portableTables(): Promise<PortableTable[]> {
  return (await copiedTables()).flatMap((table) => {
    const fate = fates[table.name];
    if (!fate) throw new Error(`Nothing says whether the table ${table.name} is exported.`);
    if (fate !== "whole" && "left" in fate) return [];
    const { without = [], adapt = (row: NamedRow) => row } = fate === "whole" ? {} : fate;
    const columns = table.columns.filter(({ name }) => !without.includes(name));
    return [{ ...table, exported: { columns }, adapt, isEmptyAtFirst: !keptBeside.has(table.name) }];
  });
}

/* A row as a line of JSON: times in ISO 8601, flags as true and false, JSON as it is, bytes in base64. */

type Columns = { columns: CopiedColumn[] };

export const namedRow = ({ columns }: Columns, row: Row): NamedRow =>
  Object.fromEntries(columns.map(({ name }, at) => [name, row[at] ?? null]));

export const lineOf = ({ columns }: Columns, row: NamedRow): string =>
  `${JSON.stringify(Object.fromEntries(columns.map((column) => [column.name, legible(column, row[column.name] ?? null)])))}\n`;

function legible({ kind }: CopiedColumn, value: Value): unknown {
  if (value === null) return null;
  if (value instanceof Uint8Array) return Buffer.from(value).toString("base64");
  if (kind === "time") return new Date(Number(value)).toISOString();
  if (kind === "flag") return value === 1;
  return kind === "json" ? JSON.parse(String(value)) : value;
}

/**
 * Reads a line. A column that an earlier version did not export gets its initial value.
 *
 * @throws if the line has a column that is unknown here, or lacks one that a row needs
 */
export function rowIn({ columns }: Columns, line: string): NamedRow {
  const object: unknown = JSON.parse(line);
  if (typeof object !== "object" || object === null) throw new Error("is not an object");
  const values = new Map<string, unknown>(Object.entries(object));
  const row: NamedRow = {};
  for (const column of columns) {
    const value = values.has(column.name) ? storedValue(column, values.get(column.name)) : column.initial;
    if (value === undefined) throw new Error(`has no ${column.name}`);
    row[column.name] = value;
    values.delete(column.name);
  }
  const [unknown] = values.keys();
  if (unknown !== undefined) throw new Error(`has the unknown column ${unknown}`);
  return row;
}

function storedValue({ kind, name }: CopiedColumn, value: unknown): Value {
  if (value === null) return null;
  if (kind === "json") return JSON.stringify(value);
  if (kind === "flag" && typeof value === "boolean") return Number(value);
  if (kind === "bytes" && typeof value === "string") return new Uint8Array(Buffer.from(value, "base64"));
  if (kind === "time" && typeof value === "string") {
    const time = Date.parse(value);
    if (Number.isSafeInteger(time)) return time;
  }
  if (kind === "plain" && (typeof value === "string" || typeof value === "number")) return value;
  throw new Error(`has an invalid ${name}`);
}
