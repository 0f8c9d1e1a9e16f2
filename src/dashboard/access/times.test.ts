import { isTimeZone } from "../../../db/lib/time";
import { expect, test } from "bun:test";
import { look } from "../../../test/support/look";
import { testService } from "../../../test/support/service";

const path = "/dashboard/account";
const text = (html: string) => html.replace(/<[^>]+>/g, " ").replace(/\s+/g, " ");

async function service() {
  const own = await testService();
  const owner = await own.signIn();
  const page = async (from = path) => (await owner.get(from)).text();
  return { ...own, owner, page };
}

test("the browser's zone is offered; a chosen zone and format apply everywhere, while datetime stays UTC", async () => {
  const { owner, page } = await service(); // 2026-11-21T12:00:00Z
  const offer = await owner.get(path, { cookie: `${owner.headers.cookie}; tz=America/New_York` });
  expect(text(await offer.text())).toContain("Same as the browser (America/New York)");

  const saved = await owner.submit(`${path}/times`, { timeZone: "Asia/Kathmandu", dates: "en-US" });
  expect([saved.status, saved.headers.get("location")]).toEqual([303, `${path}#times`]);
  const account = await page();
  expect(account).toContain('<option value="Asia/Kathmandu" selected>');
  expect(text(account)).toMatch(/Time zone .* It is Nov 21, 2026, 5:45\sPM there now/);
  const log = await page("/dashboard/audit");
  expect(log).toMatch(
    /<time datetime="2026-11-21T12:00:00.000Z" title="Nov 21, 2026, 5:45\sPM · 21 Nov 2026, 12:00 UTC">/,
  );
  expect(text(log)).toMatch(/Exact time Nov 21, 2026, 5:45\sPM \(21 Nov 2026, 12:00 UTC\)/);

  await owner.submit(`${path}/times`, { timeZone: "", dates: "en-CA" });
  expect(await page("/dashboard/audit")).toContain('title="2026-11-21, 12:00 · 21 Nov 2026, 12:00 UTC"');
});

test("where a time is entered, the zone is named with what it is ahead of UTC", async () => {
  const { owner, page } = await service();
  await owner.submit(`${path}/times`, { timeZone: "America/St_Johns", dates: "en-GB" });
  expect(text(await page("/dashboard/posts/new"))).toContain("America/St Johns time (now UTC-3:30)");
});

test.each([
  [
    "an unknown zone",
    { timeZone: "Mars/Olympus", dates: "en-GB" },
    "That time zone is not known. Choose one from the list.",
  ],
  [
    "a very long zone",
    { timeZone: "Mars/".repeat(2_000), dates: "en-GB" },
    "That time zone is not known. Choose one from the list.",
  ],
  [
    "a zone that the list does not have",
    { timeZone: "+01:00", dates: "en-GB" },
    "That time zone is not known. Choose one from the list.",
  ],
  ["no zone", { dates: "en-GB" }, "That time zone is not known. Choose one from the list."],
  ["an unknown format", { timeZone: "UTC", dates: "tlh" }, "Choose one of the formats."],
])("%s is refused with a sentence, and nothing changes", async (_, fields, sentence) => {
  const { db, owner } = await service();
  const answer = await owner.submit(`${path}/times`, fields);
  expect([answer.status, text(await answer.text())]).toEqual([422, expect.stringContaining(sentence)] as never);
  expect(await look(db, "select preferences from managers")).toEqual([{ preferences: "{}" }]);
});

test("however many unknown zones were named, the others are still known", async () => {
  for (let i = 0; i < 1_000; i++) isTimeZone(`Nowhere/${i}`);
  expect([isTimeZone("America/Paramaribo"), isTimeZone("Nowhere/X")]).toEqual([true, false]);
});
