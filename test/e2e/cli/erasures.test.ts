import { expect, test } from "bun:test";
import { cliService } from "./service";

test("four people are erased at the same moment, and each check of the file is done", async () => {
  using at = cliService();
  const emails = [1, 2, 3, 4].map((n) => `person${n}@example.com`);
  await at.run(
    "subscribers",
    "import",
    at.file("list.csv", `email\n${emails.join("\n")}\n`),
    "--consent=Signed up there",
  );
  const erased = await Promise.all(emails.map((email) => at.run("people", "erase", email, "--yes")));
  expect(erased.map(({ code }) => code)).toEqual(emails.map(() => 0));
  for (const { out } of erased) expect(out).toContain("found in the database file\t0\n");
});
