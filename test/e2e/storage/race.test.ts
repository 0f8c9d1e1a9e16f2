import { expect, setDefaultTimeout, test } from "bun:test";
import { join } from "node:path";
import { openDb } from "../../../db/open";
import * as folders from "../../../db/storage/folders";
import { storageNodes } from "../../../db/schema/storage";
import * as nodes from "../../../db/storage/nodes/nodes";
import { temporaryFolder } from "../../support/processes";
import { locationOf, look } from "../../support/look";
import { testTimeoutMs } from "../../support/within";

setDefaultTimeout(testTimeoutMs);

const capacities = [100_003, 250_001, 50_021]; // less than half of what is requested
const [processes, each] = [6, 300];

test("six processes reserving simultaneously take what there is and never more", async () => {
  using folder = temporaryFolder();
  const file = join(folder.path, "postroom.sqlite");
  const db = await openDb(file);
  const access = { endpoint: "", publicEndpoint: "", region: "", bucket: "", accessKey: "", secret: "" };
  await db.write((orm) =>
    orm
      .insert(storageNodes)
      .values(
        capacities.map((capacityBytes, i) => ({ ...access, name: `node ${i}`, capacityBytes, maxPutBytes: 1e12 })),
      )
      .run(),
  );
  const program = join(import.meta.dir, "reserve-many.ts");
  const children = Array.from({ length: processes }, () =>
    Bun.spawn([process.execPath, program, locationOf(db, file), String(each)], {
      env: { PATH: process.env.PATH ?? "" },
      stdout: "pipe",
    }),
  );
  const got = await Promise.all(children.map(async (child) => JSON.parse(await child.stdout.text())));
  const sum = (what: string) => got.reduce((n: number, one: Record<string, number>) => n + (one[what] ?? 0), 0);
  const rows = (await look(db, "select count(*) n from uploads where state = 'pending'"))[0] as { n: number };

  expect([sum("reserved") + sum("full"), sum("unreachable")]).toEqual([processes * each, 0]);
  expect(sum("full")).toBeGreaterThan(0);
  expect(rows.n).toBe(sum("reserved"));
  expect(await nodes.imbalances(db)).toEqual([]);
  for (const { capacityBytes, usedBytes, reservedBytes } of await nodes.list(db)) {
    expect([usedBytes, reservedBytes <= capacityBytes]).toEqual([0, true]);
    expect(reservedBytes).toBeGreaterThan(capacityBytes - 1_000); // full, as far as the sizes allow
  }
  expect(await folders.list(db)).toHaveLength(22); // each once: the root, "team" and twenty in it
  await db.close();
});
