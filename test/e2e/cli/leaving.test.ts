import { expect, setDefaultTimeout, test } from "bun:test";
import {
  appendFileSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  truncateSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { openSqlite } from "../../../db/engine/sqlite/open";
import { sqliteSide } from "../../../db/ops/copy/sqlite";
import { migrate } from "../../../db/ops/migrate";
import { add as addNode } from "../../../db/storage/nodes/edit";
import { loadConfig } from "../../../src/platform/config";
import { header } from "../../../src/platform/tar";
import { newExport, openExport } from "../../../src/portable/folder";
import { importAll } from "../../../src/portable/import";
import { answersOf, exportedFiles, furnish, twoInstallations } from "../../support/leaving";
import { look } from "../../support/look";
import { postroom, temporaryFolder } from "../../support/processes";
import { testTimeoutMs } from "../../support/within";

setDefaultTimeout(testTimeoutMs);

test("what was exported and imported elsewhere answers every GET with the same bytes, and is exported the same again", async () => {
  using folder = temporaryFolder();
  const at = (name: string) => join(folder.path, name);
  const installation = twoInstallations();
  const [old, fresh] = [installation(at("old")), installation(at("fresh"))];
  const open = () => openSqlite(join(at("old"), "postroom.sqlite"), (database) => migrate(database));
  await furnish(old, open, folder.path);
  const before = await answersOf(old);

  const exported = await old.run("export", "all", at("first"));
  expect([exported.code, exported.err]).toEqual([0, ""]);
  expect(emptyTables(at("first"))).toEqual([]); // furnish gives each table a row
  const imported = await fresh.run("import", "all", at("first"));
  expect([imported.code, imported.err, imported.out]).toEqual([0, "", exported.out]);
  expect(await fresh.run("export", "all", at("second.tar"))).toMatchObject({ code: 0, err: "" });
  unpack(at("second.tar"), at("second"));
  expect(exportedFiles(at("second"))).toEqual(exportedFiles(at("first")));
  expect(readFileSync(join(at("first"), "files/by-id", ...byId(at("first"))), "utf8")).toBe("high water 06:12");
  expect(await answersOf(fresh)).toEqual(before);

  const again = await fresh.run("import", "all", at("first"));
  expect([again.code, again.err]).toEqual([1, expect.stringContaining("The installation is not empty")]);
});

/** With the tar of the system. */
function unpack(file: string, folder: string): void {
  mkdirSync(folder);
  const { exitCode, stderr } = Bun.spawnSync(["tar", "-xf", file, "-C", folder]);
  expect([exitCode, stderr.toString()]).toEqual([0, ""]);
}

const emptyTables = (folder: string) =>
  readdirSync(join(folder, "data")).filter((name) => !readFileSync(join(folder, "data", name), "utf8"));

/** The one file whose name not every file system has. */
const byId = (folder: string) => {
  const lines = readFileSync(join(folder, "files.jsonl"), "utf8").trim().split("\n");
  const paths = lines.map((line): string => JSON.parse(line).path);
  const own = ["files/by-id/", "files/lamp.svg", "files/notes/empty.txt"]; // the others are sample content
  expect(paths.map((path) => path.replace(/by-id\/.*/, "by-id/"))).toEqual(expect.arrayContaining(own));
  return [
    paths
      .find((path) => path.includes("by-id"))
      ?.split("/")
      .at(-1) ?? "",
  ];
};

test("an export that was changed, is not complete or of another version is refused, and changes nothing", async () => {
  using folder = temporaryFolder();
  const at = (name: string) => join(folder.path, name);
  const installation = twoInstallations();
  const [old, fresh] = [installation(at("old")), installation(at("fresh"))];
  await old.run("demo");
  const refused = async (name: string, change: (path: string) => void) => {
    expect(await old.run("export", "all", at(name))).toMatchObject({ code: 0 });
    change(at(name));
    const { code, out, err } = await fresh.run("import", "all", at(name));
    expect([code, out]).toEqual([1, ""]);
    return err;
  };
  expect(await refused("changed", (path) => appendFileSync(join(path, "data/posts.jsonl"), "{}\n"))).toContain(
    "data/posts.jsonl is not as it was exported",
  );
  expect(await refused("cut", (path) => rmSync(join(path, "manifest.json")))).toContain("not a complete export");
  expect(await refused("partial", (path) => rmSync(join(path, "data/posts.jsonl")))).toContain(
    "posts.jsonl is missing",
  );
  const rewrite = (path: string, from: string, to: string) => {
    const file = join(path, "manifest.json");
    const text = readFileSync(file, "utf8");
    expect(text).toContain(from);
    void Bun.write(file, text.replace(from, to));
  };
  expect(await refused("newer", (path) => rewrite(path, '"posts":', '"dreams": 1, "posts":'))).toContain(
    "has a table that this version does not know: dreams",
  );
  expect(await refused("format", (path) => rewrite(path, '"format": 1', '"format": 2'))).toContain("has the format 2");
  const into = await old.run("export", "all", at("changed"));
  expect([into.code, into.err]).toEqual([1, expect.stringContaining("is not empty")]);
  const listed = await fresh.run("subscribers", "export", at("none.csv"));
  expect([listed.code, readFileSync(at("none.csv"), "utf8").trim().split("\n").length]).toEqual([0, 1]);
});

test("an export without files has none, and its import brings the rest and names what is missing", async () => {
  using folder = temporaryFolder();
  const at = (name: string) => join(folder.path, name);
  const installation = twoInstallations();
  const [old, fresh] = [installation(at("old")), installation(at("fresh"))];
  await old.run("demo");
  const exported = await old.run("export", "all", at("rest"), "--without-files");
  expect([exported.code, exported.err, exported.out]).toEqual([0, "", expect.stringContaining("files\t0\n")]);
  expect(readdirSync(at("rest")).filter((name) => name.startsWith("files"))).toEqual([]);
  const imported = await fresh.run("import", "all", at("rest"));
  expect([imported.code, imported.out]).toEqual([1, exported.out]);
  const missing = imported.err.trim().split("\n");
  expect(missing.length).toBe(Number(/^uploads\t(\d+)$/m.exec(exported.out)?.[1]));
  for (const line of missing) expect(line).toEndWith(": it is not part of the export");
});

test("an export with files is refused where no file can be stored, and imported once there is a node", async () => {
  using folder = temporaryFolder();
  const at = (name: string) => join(folder.path, name);
  const installation = twoInstallations();
  const old = installation(at("old"));
  await old.run("demo");
  const exported = await old.run("export", "all", at("all"));
  const refused = await postroom(at("bare"), ["import", "all", at("all")], { NODE_ENV: "production" });
  expect([refused.code, refused.out]).toEqual([1, ""]);
  expect(refused.err).toStartWith("postroom: No file could be stored, so nothing was imported: no storage node");
  const imported = await postroom(at("bare"), ["import", "all", at("all")]);
  expect([imported.code, imported.err, imported.out]).toEqual([0, "", exported.out]);
});

test("an export in one file is imported as it is, and appears whole or not at all", async () => {
  using folder = temporaryFolder();
  const at = (name: string) => join(folder.path, name);
  const installation = twoInstallations();
  const [old, fresh] = [installation(at("old")), installation(at("fresh"))];
  await old.run("demo");
  const exported = await old.run("export", "all", at("all.tar"));
  expect([exported.code, exported.err, readdirSync(folder.path).sort()]).toEqual([0, "", ["all.tar", "old"]]);
  expect(statSync(at("all.tar")).mode & 0o777).toBe(0o600);
  const again = await old.run("export", "all", at("all.tar"));
  expect([again.code, again.err]).toEqual([1, expect.stringContaining("all.tar exists")]);
  writeFileSync(at("other.tar.part"), "");
  const beside = await old.run("export", "all", at("other.tar"));
  expect([beside.code, beside.err]).toEqual([
    1,
    expect.stringContaining("another export is writing it, or was killed"),
  ]);
  truncateSync(at("all.tar"), statSync(at("all.tar")).size - 1);
  const cut = await fresh.run("import", "all", at("all.tar"));
  expect([cut.code, cut.out, cut.err]).toEqual([1, "", expect.stringContaining("is not a complete export")]);
  truncateSync(at("all.tar"), statSync(at("all.tar")).size + 1); // the last byte was empty
  const imported = await fresh.run("import", "all", at("all.tar"));
  expect([imported.code, imported.err, imported.out]).toEqual([0, "", exported.out]);
});

const pieces = { "data/tags.jsonl": ["{}\n"], "empty.txt": [], [`posts/${"ü".repeat(120)}.mdx`]: ["one", "two"] };
const facts = { version: "1", schema: "1", at: "2026-01-01T00:00:00.000Z", tables: {} };

test("an export in one file that was killed, cut or changed, or got another file, is refused", async () => {
  using folder = temporaryFolder();
  const at = (name: string) => join(folder.path, name);
  const [whole, copy] = [at("whole.tar"), at("copy.tar")];
  const opened = async (bytes: Uint8Array) => {
    writeFileSync(copy, bytes);
    return (await openExport(copy)).files;
  };
  const killed: Buffer[] = [];
  const seen = () => void killed.push(readFileSync(`${whole}.part`));
  {
    await using out = await newExport(whole);
    for (const [name, texts] of Object.entries(pieces)) {
      await out.write(name, watched(texts, seen));
      seen();
    }
    await expect(out.write("lost", failing())).rejects.toBe("lost");
    expect(existsSync(whole)).toBe(false);
    await out.finish(facts);
  }
  const bytes = readFileSync(whole);
  const files = await opened(bytes);
  for (const [name, texts] of Object.entries(pieces)) expect(await files.get(name)?.text()).toBe(texts.join(""));
  expect(files.size).toBe(3);
  expect(readdirSync(folder.path).sort()).toEqual(["copy.tar", "whole.tar"]);

  const cuts = Array.from({ length: bytes.length / 512 }, (_, n) => bytes.subarray(0, n * 512));
  for (const part of [...killed, ...cuts, bytes.subarray(0, -1)]) await expect(opened(part)).rejects.toThrow();
  await expect(opened(Buffer.concat([bytes, Buffer.alloc(512)]))).rejects.toThrow("is not a complete export");
  for (const [where, byte] of bytes.subarray(0, bytes.indexOf("manifest.json")).entries())
    if (byte) {
      const changed = Buffer.from(bytes);
      changed.writeUInt8(byte ^ 1, where);
      await expect(opened(changed)).rejects.toThrow();
    }
  const added = Buffer.concat([header("more", 0), bytes]);
  await expect(opened(added)).rejects.toThrow("more was added to the export");
  await expect(opened(Buffer.concat([header("empty.txt", 0), bytes]))).rejects.toThrow("it has empty.txt twice");
});

async function* watched(texts: string[], seen: () => void) {
  for (const text of texts) {
    yield text;
    seen();
  }
}

async function* failing() {
  yield "a file that ends too early, and is longer than what comes after it".repeat(100);
  throw "lost";
}

test("an import that is killed right after its rows were saved has counted their files", async () => {
  using folder = temporaryFolder();
  const at = (name: string) => join(folder.path, name);
  const old = twoInstallations()(at("old"));
  await old.run("demo");
  expect(await old.run("export", "all", at("first"))).toMatchObject({ code: 0 });

  const config = loadConfig({ DATA_DIR: at("fresh"), APP_SECRET: "a".repeat(32) });
  const [file, now] = [join(at("fresh"), "postroom.sqlite"), new Date()];
  mkdirSync(at("fresh"));
  const db = await openSqlite(file, (database) => migrate(database));
  const key = { accessKey: "key", secret: "sealed" };
  const place = { endpoint: "https://s3.example", publicEndpoint: "https://s3.example", bucket: "b", region: "r" };
  await addNode(db, { name: "s3", ...place, ...key, capacityBytes: 1, maxPutBytes: 1 }, { actor: "test" }, now);
  const [{ id: nodeId } = { id: "" }] = await look<{ id: string }>(db, "select id from storage_nodes");
  const side = sqliteSide(file);
  const target: typeof side = { ...side, finish: (last) => side.finish(last).then(() => Promise.reject("killed")) };
  const options = { config, db, target, placeFile: async () => ({ nodeId, etag: "e" }), erasureLog: at("log"), now };
  await expect(importAll(at("first"), options)).rejects.toBe("killed");
  const [counted] = await look<{ used: number; size: number }>(
    db,
    "select sum(used_bytes) used, (select sum(size) from uploads) size from storage_nodes",
  );
  expect(counted?.size).toBeGreaterThan(0);
  expect(counted?.used).toBe(counted?.size);
  await side.close();
  await db.close();
});
