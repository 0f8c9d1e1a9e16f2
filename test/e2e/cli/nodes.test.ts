import { expect, setDefaultTimeout, test } from "bun:test";
import { readdirSync, readFileSync, rmSync, truncateSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { startService } from "../../support/processes";
import { cliService, rows } from "./service";
import { testTimeoutMs } from "../../support/within";

setDefaultTimeout(testTimeoutMs);

type Stored = { key: string; size: number; etag: string };
type Granted = { data: { uploadUrl: string; _meta: { reservationId: string } } };

test("what was removed, cut short or added on the disk of a node is said by nodes check, and the rest matches", async () => {
  using at = cliService();
  await using service = await startService(at.dataDir);
  const key = (await at.run("keys", "create", "test")).out.trim();
  const post = (path: string, body: object) =>
    fetch(`${service.url}/api/v1/storage/${path}`, {
      method: "POST",
      headers: { "x-api-key": key, "content-type": "application/json" },
      body: JSON.stringify(body),
    });
  for (const size of [10, 20, 30]) {
    const file = { filename: `${size}.txt`, mimeType: "text/plain", size };
    const { data } = (await (await post("upload", file)).json()) as Granted;
    await fetch(data.uploadUrl, { method: "PUT", body: "a".repeat(size) });
    expect((await post(`uploads/${data._meta.reservationId}/complete`, {})).status).toBe(200);
  }
  const checked = async () => {
    const { code, out, err } = await at.run("nodes", "check");
    return { code, lines: rows(out).map(([, ...rest]) => rest), summary: err };
  };
  expect(await checked()).toEqual({
    code: 0,
    lines: [],
    summary: "embedded: 3 matching files, 60 bytes, 0 differences\n",
  });

  const folder = join(at.dataDir, "storage/buckets/uploads/objects");
  const bytesOf = ({ etag }: Stored) =>
    join(folder, readdirSync(folder).find((name) => name.endsWith(`-${etag}`)) ?? "none");
  const described = readdirSync(folder)
    .filter((name) => name.endsWith(".json"))
    .map((name): Stored => JSON.parse(readFileSync(join(folder, name), "utf8")));
  const [removed, cut] = described.sort((a, b) => a.size - b.size);
  if (!removed || !cut) throw new Error("There are no objects");
  rmSync(bytesOf(removed));
  truncateSync(bytesOf(cut), 7);
  const added = { key: "u/stray", type: "text/plain", size: 4, etag: "e", at: new Date().toISOString() };
  const name = new Bun.CryptoHasher("sha256").update(added.key).digest("hex");
  writeFileSync(join(folder, `${name}-e`), "1234");
  writeFileSync(join(folder, `${name}.json`), JSON.stringify(added));

  const { code, lines, summary } = await checked();
  expect([code, summary]).toEqual([1, "embedded: 1 matching file, 30 bytes, 3 differences\n"]);
  expect(lines.sort()).toEqual([
    ["missing", removed.key, "10", "-", "left"],
    ["size", cut.key, "20", "7", "left"],
    ["unknown", "u/stray", "-", "4", "left"],
  ]);
});
