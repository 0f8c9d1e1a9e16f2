import { expect, test } from "bun:test";
import * as subscribers from "../../db/newsletter/subscribers";
import { days, placesIn, startedSequence } from "../../test/support/broadcasts/sequences";
import { look } from "../../test/support/look";
import { importer } from "../../test/support/lists/importer";
import { testService } from "../../test/support/service";
import { exportCsv } from "../content/csv/subscribers";
import { preferencesLink } from "../security/links";

const email = "ada@example.com";
const nineOClock = 9 * 60;

async function start() {
  const service = await testService(); // 2026-11-21T12:00:00Z
  const zoneOf = async (address = email) => (await subscribers.byEmail(service.db, address))?.timeZone;
  const subscribe = (body: object) => service.post("/api/newsletter/subscribe", { email, ...body });
  const link = preferencesLink(service.config, email);
  const save = (timeZone: string, address = email) =>
    service.send(preferencesLink(service.config, address), {
      method: "POST",
      body: new URLSearchParams({ do: "save", timeZone }),
    });
  return { ...service, zoneOf, subscribe, link, save };
}

test("a visitor says where they live; a zone that nobody knows is none, and refuses no one", async () => {
  const { subscribe, zoneOf } = await start();
  expect((await subscribe({ timeZone: "europe/madrid" })).status).toBe(201);
  expect(await zoneOf()).toBe("Europe/Madrid");
  expect((await subscribe({ timeZone: "Asia/Tokyo" })).status).toBe(200); // anyone can type this address
  expect(await zoneOf()).toBe("Europe/Madrid");
  for (const [at, timeZone] of ["Mars/Olympus", "", null].entries()) {
    const other = `${at}@example.com`;
    expect([timeZone, (await subscribe({ email: other, timeZone })).status]).toEqual([timeZone, 201]);
    expect([timeZone, await zoneOf(other)]).toEqual([timeZone, null]);
  }
  expect((await subscribe({ email: "long@example.com", timeZone: "x".repeat(65) })).status).toBe(400);
});

test("a program says it, changes it, takes it away, and is told what was ignored", async () => {
  const { key, post, send, zoneOf } = await start();
  const headers = {
    ...(await key("Shop", ["newsletter:read", "newsletter:write"])),
    "content-type": "application/json",
  };
  const consent = { how: "Box ticked at checkout", at: "2026-11-20T10:00:00Z" };
  const body = { email, consent, timeZone: "Europe/Madrid" };
  type Answer = { data: { ignored: string[]; subscriber: { id: string; timeZone: string | null } } };
  const made = (await (await post("/api/v1/subscribers", body, headers)).json()) as Answer;
  expect([made.data.ignored, made.data.subscriber.timeZone]).toEqual([[], "Europe/Madrid"]);
  const patch = async (change: object) => {
    const path = `/api/v1/subscribers/${made.data.subscriber.id}`;
    const { data } = (await (
      await send(path, { method: "PATCH", headers, body: JSON.stringify(change) })
    ).json()) as Answer;
    return [data.ignored, data.subscriber.timeZone];
  };
  expect(await patch({ timeZone: "Mars/Olympus" })).toEqual([["timeZone"], "Europe/Madrid"]);
  expect(await patch({ name: "Ada" })).toEqual([[], "Europe/Madrid"]);
  expect(await patch({ timeZone: "Asia/Tokyo" })).toEqual([[], "Asia/Tokyo"]);
  expect(await patch({ timeZone: null })).toEqual([[], null]);
  const again = await post("/api/v1/subscribers", { ...body, timeZone: "Mars/Olympus" }, headers);
  expect(((await again.json()) as Answer).data.ignored).toEqual(["timeZone"]);
  await post("/api/v1/subscribers", body, headers);
  expect(await zoneOf()).toBe("Europe/Madrid"); // it was empty
});

test("a manager corrects it, and a name that nobody knows is refused", async () => {
  const { db, signIn, subscribe, zoneOf } = await start();
  await subscribe({ name: "Ada", language: "es", timeZone: "Europe/Madrid" });
  const { id = "" } = (await subscribers.byEmail(db, email)) ?? {};
  const owner = await signIn();
  const path = `/dashboard/newsletter/${id}`;
  expect(await (await owner.get(`${path}/edit`)).text()).toContain('value="Europe/Madrid"');
  const fields = { name: "Ada", language: "es", source: "", tags: "", hadTags: "" };
  const refused = await owner.submit(`${path}/edit`, { ...fields, timeZone: "Mars/Olympus" });
  expect([refused.status, await refused.text()]).toEqual([422, expect.stringContaining("such as Europe/Lisbon.")]);
  expect((await owner.submit(`${path}/edit`, { ...fields, timeZone: "Asia/Tokyo" })).status).toBe(303);
  expect(await zoneOf()).toBe("Asia/Tokyo");
  expect(await (await owner.get(path)).text()).toContain("Time zone set to Asia/Tokyo by Olive Owner");
});

test("a file brings it, an export has it, and a row with another word is imported without", async () => {
  const { bring, db } = await importer();
  const { columns } = await bring("email,time_zone\nada@example.com,Europe/Madrid\nbo@example.com,GMT minus a bit\n");
  expect(columns).toEqual(["email", "timeZone"]);
  let csv = "";
  for await (const lines of exportCsv(db)) csv += lines;
  const [header = "", ...rows] = csv.trimEnd().split("\r\n");
  const at = header.split(",").indexOf("time_zone");
  expect(rows.map((row) => row.split(",")[at]).sort()).toEqual(["", "Europe/Madrid"]);
});

test("a zone that Mailchimp guessed from an IP address is not what someone said", async () => {
  const { upload } = await importer();
  const file = `Email Address,MEMBER_RATING,GMTOFF,DSTOFF,TIMEZONE,LEID\n${email},2,1,2,Europe/Berlin,77\n`;
  expect((await upload(file)).columns[4]).toBe("");
});

test("their own page offers it once an email comes at an hour; what waits then comes at that hour there", async () => {
  const { db, get, now, save, link, subscribe, zoneOf } = await start();
  const page = async () => (await get(link)).text();
  const course = { waits: [days(2, nineOClock)] };
  await startedSequence(db, now(), { ...course, trigger: { trigger: "confirmed" }, name: "For nobody" });
  await subscribe({ timeZone: "Europe/Madrid" });
  const offered = await page();
  expect(offered).toContain('<option value="Europe/Madrid" selected>');
  expect(offered).toContain('<option value="UTC">UTC</option>');
  expect(offered).not.toContain("Etc/"); // its GMT+1 is an hour behind UTC
  await look(db, "delete from sequences");
  expect(await page()).not.toContain('name="timeZone"');

  await startedSequence(db, now(), course);
  const other = "bo@example.com";
  await subscribe({ email: other, timeZone: "Europe/Madrid" });
  const saved = async (zone: string) => {
    expect((await save(zone, other)).status).toBe(303);
    return [await zoneOf(other), (await placesIn(db))[other]];
  };
  expect(await saved("Europe/Madrid")).toEqual(["Europe/Madrid", "waiting 2026-11-23T08:00:00.000Z"]);
  expect(await saved("Asia/Tokyo")).toEqual(["Asia/Tokyo", "waiting 2026-11-23T00:00:00.000Z"]);
  expect(await saved("Mars/Olympus")).toEqual(["Asia/Tokyo", "waiting 2026-11-23T00:00:00.000Z"]);
  expect(await saved("")).toEqual([null, "waiting 2026-11-23T09:00:00.000Z"]); // the site's, UTC
});
