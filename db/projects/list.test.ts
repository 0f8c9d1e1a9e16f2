import { expect, test } from "bun:test";
import { look, lookAt } from "../../test/support/look";
import { countQuestions } from "../../test/support/questions";
import { openDb } from "../open";
import * as endpoints from "../webhooks/endpoints";
import { applyAction } from "./list";

const by = { actor: "ada@example.com" };
const now = new Date("2026-11-22T12:00:00Z");
const names = Array.from({ length: 100 }, (_, n) => `p${n + 100}`);

test("a bulk action asks a few questions, reports each project, and places them last in their order", async () => {
  const db = await openDb(":memory:");
  const endpoint = { name: "Blog", url: "https://example.com/", events: [], withPeople: false };
  await endpoints.add(db, { fields: endpoint, secret: "sealed" }, by, now);
  await look(
    db,
    `insert into projects (id, slug, title, description, image_url, live_url, github_url, author, tech, status, featured,
      display_order, created_at, updated_at) select value, value, value, '', '', '', '', '', '[]', 'DRAFT',
      case when value = 'p100' then 1 else 0 end, 7, 1, 1 from json_each(?)`,
    [JSON.stringify(names)],
  );
  for (const action of ["publish", "feature", "trash", "restore"] as const) {
    const selection = action === "restore" ? { ids: names.slice(0, 50) } : { matching: {} };
    expect(await countQuestions(() => applyAction(db, { action, selection }, by, now))).toBeLessThan(8);
  }
  const rows = await lookAt(db, "select id, display_order, status, featured, version from projects order by id");
  expect(rows).toEqual(names.map((id, at) => [id, 7 + at, "PUBLISHED", 1, at ? 3 : 2]));
  const reports = "select subject_id, count(*) from webhook_deliveries group by subject_id order by subject_id";
  expect(await lookAt(db, reports)).toEqual(names.map((id, at) => [id, (at ? 3 : 2) + (at < 50 ? 1 : 0)]));
});
