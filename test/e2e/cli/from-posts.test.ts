import { expect, setDefaultTimeout, test } from "bun:test";
import { cliService, rows } from "./service";
import { testTimeoutMs } from "../../support/within";

setDefaultTimeout(testTimeoutMs);

test("rules for published posts are added, listed, turned off and deleted on the command line", async () => {
  using at = cliService();
  const run = (...args: string[]) => at.run("from-posts", ...args);
  const added = await run("add", "digest", "--day=friday", "--at=17:30", "--zone=Europe/Lisbon");
  expect(added).toMatchObject({ code: 0, err: "" });
  const id = added.out.trim();
  const other = (await run("add", "draft")).out.trim();
  expect(rows((await run("list")).out)).toEqual([
    [id, "on", "–", "digest", "–", "friday 17:30 Europe/Lisbon", "0"],
    [other, "on", "–", "draft", "–", "–", "0"],
  ]);
  expect((await run("off", id)).out).toBe(`${id}\toff\n`);
  const [rule] = JSON.parse((await run("list", "--json")).out);
  expect(rule).toMatchObject({
    id,
    status: "off",
    reason: "manager",
    digest: { day: "friday", next: null },
    waiting: [],
  });
  expect((await run("on", id)).out).toBe(`${id}\ton\n`);
  const [again] = JSON.parse((await run("list", "--json")).out);
  expect(new Date(again.digest.next).getTime()).toBeGreaterThan(Date.now());
  expect((await run("delete", id)).out).toBe(`${id}\tdeleted\n`);
  expect(await run("off", id)).toMatchObject({ code: 1, err: `postroom: No rule with the ID ${id}.\n` });
});

test("a rule that could not work is not added, and says why", async () => {
  using at = cliService();
  const add = async (...args: string[]) => (await at.run("from-posts", "add", ...args)).err;
  expect(await add("letter")).toContain("A post becomes draft, send, digest, none.");
  expect(await add("digest", "--day=someday")).toContain("--day is monday,");
  expect(await add("digest", "--at=8")).toContain('--at is a time, such as "08:00".');
  expect(await add("digest", "--zone=Europe/Atlantis")).toContain("--zone is the name of a time zone");
  expect(await add("send", "--topic=none")).toContain("There is no topic with this slug.");
  expect(await add("send", "--tag=Unheard of")).toContain("No post has this tag.");
});
