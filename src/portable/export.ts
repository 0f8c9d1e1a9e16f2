import { messageOf } from "../platform/log";
import { version } from "../../package.json";
import * as keys from "../../db/access/keys/api-keys";
import * as managers from "../../db/access/managers";
import type { Db } from "../../db/engine/open";
import type { Source } from "../../db/ops/copy/copy";
import { latestMigration } from "../../db/ops/migrate";
import { lineOf, namedRow, type NamedRow, type PortableTable, portableTables } from "../../db/ops/portable";
import { csvLine } from "../content/csv/reader";
import { exportCsv } from "../content/csv/subscribers";
import { exportPosts } from "../content/export-posts";
import { type Exported, filePath, type ReadFile, type Transferred } from "./files";
import { newExport, type NewExport } from "./folder";
import guide from "./guide.txt" with { type: "text" };

type Options = {
  db: Db;
  /** The same database, at one moment. */
  source: Source;
  /** Undefined: without files. */
  readFile: ReadFile | undefined;
  /** The log of erasures; may not exist. */
  erasureLog: string;
  now: Date;
};

/**
 * Writes everything that people have put in into a folder or one file, in formats that other programs read. In `data`,
 * each table is as it is in the database; `import all` reads these, and the files.
 *
 * @throws if something is there already
 */
export async function exportAll(path: string, options: Options): Promise<Transferred> {
  await using out = await newExport(path);
  const { uploads, ...tables } = await writeTables(out, options.source);
  await writeForPeople(out, options);
  const erasures = Bun.file(options.erasureLog);
  if (await erasures.exists()) await out.write("erasures.log", [await erasures.text()]);
  const { files, problems } = await writeFiles(out, uploads, options.readFile);
  await out.finish({ version, schema: latestMigration(), at: options.now.toISOString(), tables: tables.counts });
  return { tables: tables.counts, files, problems };
}

async function writeTables(out: NewExport, source: Source) {
  const counts: Record<string, number> = {};
  const uploads: NamedRow[] = [];
  const projects: NamedRow[] = [];
  const settings: NamedRow[] = [];
  const collected = new Map(Object.entries({ uploads, projects, settings }));
  await source.begin();
  for (const table of await portableTables()) {
    counts[table.name] = 0;
    const count = (row: NamedRow) => {
      counts[table.name] = (counts[table.name] ?? 0) + 1;
      collected.get(table.name)?.push(row);
    };
    await out.write(`data/${table.name}.jsonl`, lines(source, table, count));
  }
  await out.write("projects.json", [json(projects.filter(isNotTrashed).map(projectOf))]);
  await out.write("settings.json", [json(Object.fromEntries(settings.map(({ key, value }) => [key, value])))]);
  return { counts, uploads };
}

async function* lines(source: Source, table: PortableTable, each: (row: NamedRow) => void) {
  for await (const batch of source.rows(table)) {
    const rows = batch.map((row) => table.adapt(namedRow(table, row))).filter((row) => row !== undefined);
    for (const row of rows) each(row);
    if (rows.length) yield rows.map((row) => lineOf(table.exported, row)).join("");
  }
}

const json = (value: unknown) => `${JSON.stringify(value, null, 2)}\n`;
const isNotTrashed = (row: NamedRow) => row.deleted_at === null;

/** As `import projects` reads it. */
const projectOf = (row: NamedRow) => ({
  title: row.title,
  slug: row.slug,
  description: row.description,
  imageUrl: row.image_url,
  liveUrl: row.live_url,
  githubUrl: row.github_url,
  featured: row.featured === 1,
  status: row.status,
  displayOrder: row.display_order,
  clicks: row.clicks,
  tech: JSON.parse(String(row.tech)),
  author: row.author,
  createdAt: new Date(Number(row.created_at)).toISOString(),
});

/** What `import all` does not read: for other programs, and for what has to be set up again. */
async function writeForPeople(out: NewExport, { db, now }: Options): Promise<void> {
  await out.write("README.md", [guide]);
  for await (const { name, slug, text } of exportPosts(db))
    await out.write(`posts/${name ?? `${new Bun.CryptoHasher("sha256").update(slug).digest("hex")}.mdx`}`, [text]);
  await out.write("subscribers.csv", exportCsv(db));
  const people = await managers.list(db, now);
  await out.write("managers.csv", [
    csvLine(["email", "name", "role"]),
    ...people.map(({ email, name, role }) => csvLine([email, name, role])),
  ]);
  await out.write("keys.csv", [
    csvLine(["name", "active", "scopes", "networks", "expires"]),
    ...(await keys.list(db)).map(({ name, active, scopes, networks, expiresAt }) =>
      csvLine([name, String(active), scopes?.join(" "), networks?.join(" "), expiresAt?.toISOString()]),
    ),
  ]);
}

async function writeFiles(out: NewExport, rows: NamedRow[], readFile: ReadFile | undefined) {
  const problems: Transferred["problems"] = [];
  const exported: Exported[] = [];
  const taken = new Set<string>();
  if (!readFile) return { files: 0, problems };
  for (const row of rows) {
    const [id, filename, size] = [String(row.id), String(row.filename), Number(row.size)];
    try {
      const { path, bytes } = await readFile(id);
      const file = filePath(path, { id, filename }, taken);
      const { sha256 } = await out.write(file, bytes);
      exported.push({ id, path: file, type: String(row.mime_type), size, sha256 });
    } catch (error) {
      problems.push({ file: filename, reason: messageOf(error) });
    }
  }
  await out.write(
    "files.jsonl",
    exported.map((file) => `${JSON.stringify(file)}\n`),
  );
  return { files: exported.length, problems };
}
