import { expect, test } from "bun:test";
import { additionsTo } from "./postgres/additions";
import { allTables } from "./postgres/tables";

const names = [...new Bun.Glob("**/*.sql").scanSync(import.meta.dir)].filter((name) => name !== "snapshot.sql").sort();
const textOf = (name: string) => Bun.file(`${import.meta.dir}/${name}`).text();

test("a migration never changes, because databases that have applied it would not get the change", async () => {
  const sums = (await textOf("SHA256SUMS")).trimEnd().split("\n");
  const found = await Promise.all(
    names.map(async (name) => `${new Bun.CryptoHasher("sha256").update(await textOf(name)).digest("hex")}  ${name}`),
  );
  const listed = new Set(sums.map((line) => line.slice(66)));
  const unlisted = (line: string) => !listed.has(line.slice(66));
  expect({
    changedOrRemoved: sums.filter((line) => !found.includes(line)),
    addToSHA256SUMS: found.filter(unlisted),
  }).toEqual({ changedOrRemoved: [], addToSHA256SUMS: [] });
});

test("every file of db/schema is known to the migrations", async () => {
  const files = [...new Bun.Glob("*.ts").scanSync(`${import.meta.dir}/../schema`)].map((file) => file.slice(0, -3));
  const text = await textOf("postgres/tables.ts");
  const named = [...text.matchAll(/import\("\.\.\/\.\.\/schema\/(\w+)"\)/g)].map(([, name = ""]) => name);
  expect(named).toEqual(files.sort());
});

test("what db/schema has is in the migrations of PostgreSQL; npm run db:generate adds what is missing", async () => {
  const migrations = await Promise.all(names.filter((name) => name.startsWith("postgres/")).map(textOf));
  expect(additionsTo(migrations.join("\n"), await allTables())).toEqual([]);
});
