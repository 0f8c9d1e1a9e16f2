import { afterAll, beforeAll, expect, setDefaultTimeout, test } from "bun:test";
import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { version } from "../../../package.json";
import { servedBytes } from "../../../src/http/assets";
import { downloads } from "../../../src/openapi/packages";
import { assets } from "../../../views/assets";
import { postroom, startService, temporaryFolder } from "../../support/processes";
import { testTimeoutMs } from "../../support/within";

setDefaultTimeout(testTimeoutMs);

const root = join(import.meta.dir, "../../..");
const folder = temporaryFolder();
const dataDir = join(folder.path, "data");
/** Runs in a folder of its own, where there is nothing but its data, and finds no other program. */
const alone = { POSTROOM_EXECUTABLE: join(folder.path, "postroom"), PATH: "" };
const run = (...args: string[]) => postroom(dataDir, args, alone);

beforeAll(() => {
  mkdirSync(dataDir);
  const build = [
    process.execPath,
    "--no-env-file",
    "src/boot/build.ts",
    `--folder=${folder.path}`,
    "--revision=v9.8.7",
  ];
  const { exitCode, stderr } = Bun.spawnSync(build, { cwd: root, stdout: "ignore" });
  expect({ exitCode, stderr: stderr.toString() }).toEqual({ exitCode: 0, stderr: "" });
});
afterAll(() => folder[Symbol.dispose]());

test("the executable serves each file of the pages under the same name, with the same bytes", async () => {
  const service = await startService(join(folder.path, "served"), alone);
  const all = Object.values(assets).map(async (asset) => {
    const response = await fetch(service.url + asset.url);
    return Buffer.compare(await response.bytes(), await servedBytes(asset)) ? [asset.url] : [];
  });
  expect(all.length).toBeGreaterThan(20);
  expect((await Promise.all(all)).flat()).toEqual([]);
  expect((await postroom(dataDir, ["health"], { ...alone, PORT: String(service.port) })).code).toBe(0);
  await service.end();
  expect(await postroom(dataDir, ["health"], { ...alone, PORT: "1" })).toEqual({
    ...{ code: 1, out: "" },
    err: "postroom: http://127.0.0.1:1/healthz does not respond.\n",
  });
});

test("it hands out the client with the same bytes as the sources do, and the examples", async () => {
  const service = await startService(join(folder.path, "handing-out"), alone);
  const download = async (name: string) => (await fetch(`${service.url}/docs/${name}`)).bytes();
  const { "postroom-client.tgz": own } = await downloads(service.url);
  expect(Buffer.compare(await download("postroom-client.tgz"), own ?? Buffer.alloc(0))).toBe(0);
  expect((await download("postroom-examples.tgz")).length).toBeGreaterThan(5_000);
  await service.end();
});

test("it contains the guides, and the pages that are made from them", async () => {
  const service = await startService(join(folder.path, "documented"), alone);
  const page = async (path: string) => {
    const response = await fetch(service.url + path);
    return [path, response.status, (await response.text()).length > 2_000];
  };
  const paths = ["blog", "caching", "client", "forms", "keys", "previews", "uploading", "visitors"].flatMap((guide) => [
    `/docs/${guide}`,
    `/docs/${guide}.md`,
  ]);
  expect(await Promise.all(paths.map(page))).toEqual(paths.map((path) => [path, 200, true]));
  await service.end();
});

test("it has the sample content, copies databases, checks them, and searches them for the erased in processes of its own", async () => {
  expect(await run("demo")).toEqual({ code: 0, out: "Sample content added.\n", err: "" });
  const list = join(dataDir, "list.csv");
  expect((await run("subscribers", "export", list)).code).toBe(0);
  const email = /^([^,@]+@[^,]+)/m.exec(await Bun.file(list).text())?.[1] ?? "";
  const erased = await run("people", "erase", email, "--yes");
  expect([erased.code, erased.err]).toEqual([0, ""]);
  expect(erased.out).toContain("found in the database file\t");

  const copied = await run("db", "copy", dataDir, join(folder.path, "copied"));
  expect([copied.code, copied.err]).toEqual([0, expect.stringMatching(/^Copied and verified\./)]);

  const database = join(dataDir, "postroom.sqlite");
  expect(await run("internal", "db/ops/integrity.ts", database)).toEqual({ code: 0, out: "", err: "" });
  const copy = await postroom(dataDir, ["internal", "src/backups/run.ts"], alone, `{"what":"copy","share":1}`);
  expect([copy.code, Object.keys(JSON.parse(copy.out))]).toEqual([0, ["problem"]]);
});

test("it knows the passwords that are tried first", async () => {
  const env = { ...alone, MANAGER_EMAIL: "ada@example.com", MANAGER_PASSWORD: "1234qwerasdfzxcv", PORT: "0" };
  const { code, err } = await postroom(join(folder.path, "guessed"), ["serve"], env);
  expect([code, err]).toEqual([1, "postroom: MANAGER_PASSWORD: This password is too common. Choose another.\n"]);
});

test("it has every command, says which version it is, and calls itself postroom", async () => {
  const help = await run("--help");
  const sources = await postroom(dataDir, ["--help"]);
  expect(help).toEqual({ ...sources, out: sources.out.replace("npm run postroom -- ", "postroom ") });
  const { out } = await run("version");
  expect(out).toMatch(new RegExp(`^${version}\tv9\\.8\\.7\t\\d{4}_\\w+\t${Bun.version}\n$`));
});
