import { beforeAll, describe, expect, test } from "bun:test";
import { mkdirSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { store } from "../../../test/support/storage/stored-files";
import { temporaryFolder } from "../../../test/support/storage/storage";
import { testService } from "../../../test/support/service";
import { attachment, inline } from "./disposition";

const names = [
  "été à Åre.txt",
  "Straße, Œuvre & Łódź.txt",
  "日本語 👍.pdf",
  "a;b, c=d.txt",
  "a; filename=b.txt",
  "it's 50% off %41.txt",
  ".hidden",
  "-o",
  `${"ü".repeat(125)}.jpeg`, // 255 bytes
  `${"x".repeat(250)}.jpeg`,
];

describe("the real curl, asked to save a file under its name,", () => {
  const folder = temporaryFolder();
  let service: Awaited<ReturnType<typeof testService>>;
  beforeAll(async () => void (service = await testService()));

  /** The names that `curl -OJ` saves for an uploaded file. */
  async function saved(filename: string): Promise<string[]> {
    const [id = ""] = await store(service, { filename, body: "hello" });
    const url = await service.storage.downloadUrl(id);
    const into = join(folder, id);
    mkdirSync(into);
    const { exitCode } = await Bun.$`curl -sS -OJ ${url}`.cwd(into).quiet();
    expect(exitCode).toBe(0);
    for (const name of readdirSync(into)) expect(await Bun.file(join(into, name)).text()).toBe("hello");
    return readdirSync(into);
  }

  test.skipIf(!Bun.which("curl")).each(names)("does so: %p", async (filename) => {
    expect(await saved(filename)).toEqual([filename]);
  });

  test.skipIf(!Bun.which("curl"))("has _ for what no program agrees on", async () => {
    expect(await saved('say "hi".txt')).toEqual(["say _hi_.txt"]);
  });
});

test.each([
  ["été à Åre.txt", "ete a Are.txt"],
  ["Straße, Œuvre & Łódź – “a”.txt", "Strasse, OEuvre & Lodz - 'a'.txt"],
  ["日本語 👍.pdf", "___ _.pdf"],
  ["한글.pdf", "__.pdf"],
  ['say "hi" \\ .txt', "say _hi_ _ .txt"],
])("a server that is not known to repeat bytes gets %p as %p, and in full for browsers", (filename, plain) => {
  const full = `filename*=UTF-8''${encodeURIComponent(filename).replaceAll("'", "%27")}`;
  for (const server of [undefined, null, "", "AmazonS3", "nginx", "NotMinIO"]) {
    expect(attachment(filename, server)).toBe(`attachment; filename="${plain}"; ${full}`);
    expect(inline(filename, server)).toBe(`inline; filename="${plain}"; ${full}`);
  }
});

test.each(["MinIO", "MinIO/RELEASE.2025", "Ceph Object Gateway (pacific)", "Postroom"])(
  "%p is told it in UTF-8",
  (server) => {
    expect(attachment("é.txt", server)).toBe(`attachment; filename="é.txt"; filename*=UTF-8''%C3%A9.txt`);
  },
);
