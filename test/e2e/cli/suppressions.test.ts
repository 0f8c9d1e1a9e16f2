import { readFileSync } from "node:fs";
import { expect, test } from "bun:test";
import { postroomOnTerminal } from "../../support/processes";
import { cliService, rows } from "./service";

test("suppressions are added, imported, listed, lifted with a reason, and exported", async () => {
  using at = cliService();
  expect((await at.run("suppressions", "add", "ada@example.com", "--note=Asked by phone")).out).toBe(
    "suppressed\tada@example.com\n",
  );
  expect((await at.run("suppressions", "add", "ADA@example.com")).out).toContain("already suppressed");
  const list = at.file("in.csv", "email,reason\nbo@example.com,hard bounce\neve@example.com,complaint\nbad\n");
  const imported = await at.run("suppressions", "import", list);
  expect(imported).toMatchObject({ code: 1, err: "line 4: email must be a valid email address\n" });
  expect(rows(imported.out)).toEqual([
    ["added", "2"],
    ["already", "0"],
    ["invalid", "1"],
  ]);
  const listed = rows((await at.run("suppressions", "list")).out).map(([email, reason, , detail]) => [
    email,
    reason,
    detail,
  ]);
  expect(listed.sort()).toEqual([
    ["ada@example.com", "manual", "Asked by phone"],
    ["bo@example.com", "import", "hard bounce"],
    ["eve@example.com", "complaint", ""],
  ]);
  expect((await at.run("suppressions", "lift", "ada@example.com")).err).toContain('--note="…"');
  expect((await at.run("suppressions", "lift", "ada@example.com", "--note=Wants it again")).code).toBe(0);
  expect(await at.run("suppressions", "lift", "ada@example.com", "--note=x")).toMatchObject({ code: 1 });
  await at.run("people", "erase", "eve@example.com", "--yes");
  const erased = await at.run("suppressions", "lift", "eve@example.com", "--note=Asked again"); // as on the page
  expect(erased).toMatchObject({ code: 1, err: expect.stringContaining("was erased. Its owner can subscribe again") });
  const out = at.file("out.csv");
  expect((await at.run("suppressions", "export", out)).code).toBe(0);
  expect(readFileSync(out, "utf8")).toStartWith("email,reason,detail,since\r\n");
  expect(readFileSync(out, "utf8")).not.toContain("ada@example.com");
});

test("a figure has a thousands separator on a terminal, and none where a program reads it", async () => {
  using at = cliService();
  const list = at.file("in.csv", `email\n${Array.from({ length: 1_234 }, (_, i) => `p${i}@example.com\n`).join("")}`);
  const shown = await postroomOnTerminal(at.dataDir, ["suppressions", "import", list]);
  expect(shown).toMatch(/^added\s+1,234\r?$/m);
  expect(rows((await at.run("suppressions", "import", list)).out)).toContainEqual(["already", "1234"]);
});

test("doubleOptIn accepts true or false", async () => {
  using at = cliService();
  expect(await at.run("settings", "set", "doubleOptIn", "yes")).toMatchObject({
    code: 1,
    err: "postroom: The key takes true or false.\n",
  });
  expect((await at.run("settings", "set", "doubleOptIn", "true")).out).toBe("doubleOptIn\ttrue\n");
});
