import { expect, test } from "bun:test";
import * as projectList from "../../db/projects/list";
import { testService } from "../../test/support/service";
import { importProjects } from "./import-projects";

test.each(["imageUrl", "liveUrl", "githubUrl"])("a project whose %s would run something is refused", async (field) => {
  const { db, now } = await testService();
  const addresses = [
    "javascript:alert(1)",
    "JavaScript:alert(1)",
    " data:text/html,x",
    "vbscript:x",
    "file:///etc/passwd",
  ];
  const items = addresses.map((address) => ({ title: "Lamps", [field]: address }));
  const { saved, refused } = await importProjects(db, JSON.stringify(items), { actor: "cli" }, now());
  expect([saved, refused.length]).toEqual([[], addresses.length]);
  expect(refused[0]?.reason).toStartWith(`${field} must be`);
  expect((await projectList.list(db, {}, { page: 1, per: 25 })).total).toBe(0);
});
