import { expect, spyOn, test } from "bun:test";
import sharp from "sharp";
import { create } from "../../db/broadcasts/edit";
import { withContent } from "../../db/broadcasts/broadcasts";
import { subscribe } from "../../db/newsletter/subscribers";
import { all as allSettings, stampOf } from "../../db/settings/settings";
import { replace } from "../../db/storage/replace";
import { trash } from "../../db/storage/trash";
import { findStored } from "../../db/storage/files";
import { look } from "../../test/support/look";
import { countQuestions } from "../../test/support/questions";
import { testService } from "../../test/support/service";
import { set } from "../../test/support/settings";
import { draw } from "../../test/support/storage/pictures";
import { store } from "../../test/support/storage/stored-files";
import { wholeOf } from "../mail/provider";
import { compose } from "../emails/compose";
import { writeLetter } from "./freeze";
import { writeEmails } from "./letter/emails";

/* Colours, author, footer line and replies: settings of the site, in its emails and on its pages. */

const reader: [number, string, string | null, string, string] = [1, "ada@reader.example", null, "t".repeat(43), "de"];

async function branded(settings: Record<string, string>) {
  const service = await testService({ BASE_URL: "https://site.example", OWNER_EMAIL: "noor@site.example" });
  const { db, now, config } = service;
  for (const [key, value] of Object.entries(settings)) await set(db, key, value, { by: "cli" }, now());
  const fields = { subject: "Rain", preheader: "", content: "[a](https://a.example)", fromName: "", segment: {} };
  const draft = await create(
    db,
    { source: { kind: "own" }, fields: { ...fields, archive: "listed" } },
    { actor: "cli" },
    now(),
  );
  /** Written as it would be sent now, for someone who reads German. */
  const sent = async () => {
    const broadcast = await withContent(db, draft.id);
    if (!broadcast) throw new Error("There is no broadcast");
    const [email] = writeEmails(
      (await writeLetter({ config, db }, broadcast, now())).frozen.letter,
      [reader],
      draft.id,
    );
    return { ...email, html: wholeOf(email?.html ?? ""), text: wholeOf(email?.text ?? "") };
  };
  return { ...service, sent };
}

test("a broadcast has the site's colours, its author and its footer line, in every language", async () => {
  const { sent } = await branded({
    brandAccent: "#ffd84d",
    brandAuthor: "Noor <b>",
    brandFooter: "Sent on Sundays.",
  });
  const { html, text, replyTo } = await sent();
  expect(html).toContain("border-top:5px solid #ffd84d");
  expect(html).not.toContain("#095d6c");
  expect(html).toMatch(/\d{4} · Noor &lt;b&gt;</);
  for (const part of [html, text]) expect(part).toContain("Sent on Sundays.");
  expect(text).toContain(
    "Wurde Ihnen diese E-Mail weitergeleitet? Newsletter abonnieren: https://site.example/newsletter",
  );
  expect(html).toContain('href="https://site.example/newsletter"');
  expect(replyTo).toBe("noor@site.example");
  expect(text).not.toContain("nicht gelesen");
});

test("where replies are not read, there is no Reply-To, and the email says so", async () => {
  const { sent } = await branded({ brandReplies: "false" });
  const { html, text, replyTo } = await sent();
  expect(replyTo).toBeUndefined();
  for (const part of [html, text]) expect(part).toContain("Antworten auf diese E-Mail werden nicht gelesen.");
});

test("a confirmation and a welcome email look alike", async () => {
  const { db, config, now } = await branded({ brandAccent: "#8a1c1c", brandFooter: "From Ballstad." });
  for (const isDouble of ["false", "true"]) {
    await set(db, "doubleOptIn", isDouble, { by: "cli" }, now());
    await subscribe(db, { email: `ada-${isDouble}@reader.example` }, { via: "form" }, now());
  }
  const mails = await look(db, "select id, kind, recipient, subject_id, payload, created_at from outbox order by id");
  expect(mails.map(({ kind }) => kind)).toEqual(["welcome", "confirm"]);
  for (const { kind, recipient } of mails) {
    const mail = { kind, recipient, subjectId: null, payload: {}, createdAt: now() };
    const email = await compose({ config, db }, mail as never);
    expect([kind, email?.html]).toEqual([kind, expect.stringContaining("border-top:5px solid #8a1c1c")]);
    for (const part of [email?.html, email?.text])
      expect([kind, part]).toEqual([kind, expect.stringContaining("From Ballstad.")]);
  }
});

test("the pages for visitors link a style sheet with the site's colours, at once after a change", async () => {
  const { db, get, now } = await branded({});
  const styles = async () => {
    const response = await get("/assets/brand.css");
    expect([response.status, response.headers.get("content-type")]).toEqual([200, "text/css; charset=utf-8"]);
    return response.text();
  };
  expect(await styles()).toBe("");
  await set(db, "siteTitle", "Noor “N”", { by: "cli", isPublic: true }, now());
  expect(await styles()).toContain(`.letter::before {\n  content: "Noor \\201c N\\201d ";`); // whose page it is
  await set(db, "brandAccent", "#FFD84D", { by: "cli" }, now());
  expect(await styles()).toContain("background: #ffd84d; color: #000000");
  for (const path of ["/newsletter", "/api/newsletter/unsubscribe?email=a&token=b", "/nothing-here"])
    expect([path, await (await get(path)).text()]).toEqual([path, expect.stringContaining("/assets/brand.css")]);
});

test.each(["red", "#12345", "#1234567", "#12345g", "url(x)"])("%p is not an accent colour", async (value) => {
  await expect(branded({ brandAccent: value })).rejects.toThrow();
});

test("sites read the brand with a key, and can look alike", async () => {
  const { get, key } = await branded({ brandAccent: "#8a1c1c", brandReplies: "false" });
  const answer = await get("/api/v1/settings", await key());
  const { data } = (await answer.json()) as { data: { settings: object } };
  expect(data.settings).toEqual({ brandAccent: "#8a1c1c", brandReplies: "false" });
});

/** The same with a picture in Storage that a manager has chosen as the logo. */
async function withLogo(drawn: Parameters<typeof draw>[0] & { filename?: string }) {
  const service = await branded({ siteTitle: 'Noor “N” <b>"' });
  const manager = await service.signIn();
  const { filename = "logo.png", ...how } = drawn;
  const [id = ""] = await store(service, {
    filename,
    mimeType: "image/png",
    body: await draw({ format: "png", ...how }),
  });
  const path = `/media/${id}/${filename}`;
  const choose = (value: string) =>
    manager.submit("/dashboard/settings/brand", { brandLogo: value, "brandLogo.stamp": "none" });
  const styles = async () => (await service.get("/assets/brand.css")).text();
  return { ...service, manager, id, path, choose, styles };
}

test("the logo is above emails, at most 240 × 64 and loaded at most twice as wide, with the site's name as its text", async () => {
  const { choose, get, path, sent, id, db, now } = await withLogo({ width: 1_200, height: 300, isTransparent: true });
  expect((await sent()).html).not.toContain("<img");
  expect((await choose(path)).status).toBe(303);
  const { html, text } = await sent();
  const [, src = ""] =
    /<img src="https:\/\/site\.example([^"]+)" width="240" height="60" alt="Noor “N” (?:&lt;|<)b(?:&gt;|>)&(?:quot|#34);"/.exec(
      html,
    ) ?? [];
  expect(src.replaceAll("&amp;", "&")).toBe(`${path}?w=480&as=jpeg`);
  expect(text).not.toContain("/media/");
  const answer = await get(src.replaceAll("&amp;", "&"), { accept: "image/webp" });
  const picture = await fetch(answer.headers.get("location") ?? "");
  expect([picture.headers.get("content-type"), (await sharp(await picture.arrayBuffer()).metadata()).width]).toEqual([
    "image/png",
    480,
  ]);
  expect(await trash(db, id, { actor: "cli" }, now())).toBe("in use");
});

test.each([
  [64, 64, 'width="64" height="64"', "w=128"],
  [100, 20, 'width="100" height="20"', "w=192"], // never larger than it is
  [3_000, 100, 'width="240" height="8"', "w=480"],
  [10, 640, 'width="1" height="64"', "w=64"],
])("a logo of %p × %p pixels keeps its proportions", async (width, height, size, loaded) => {
  const { choose, path, sent } = await withLogo({ width, height });
  await choose(path);
  expect((await sent()).html).toContain(`${loaded}&amp;as=jpeg" ${size}`);
});

test("a logo that was uploaded a moment ago is in the preview of the brand before it is saved", async () => {
  const { manager, path } = await withLogo({ width: 480, height: 128 });
  const query = new URLSearchParams({ as: "email", brandLogo: path });
  const preview = await manager.get(`/dashboard/settings/brand/preview?${query}`);
  expect(await preview.text()).toMatch(/<img src="[^"]+" width="240" height="64"/);
});

test("the logo is above the pages for visitors, which load it from nowhere else, and named by the site", async () => {
  const { choose, get, path, styles } = await withLogo({ width: 480, height: 128, format: "jpeg" });
  expect((await get("/assets/logo")).status).toBe(404);
  await choose(path);
  const sheet = await styles();
  expect(sheet).toContain('content: "" / "Noor \\201c N\\201d  \\3c b\\3e \\22 ";');
  const [, url = ""] = /url\("(\/assets\/logo\?v=\w+)"\)/.exec(sheet) ?? [];
  const answer = await get(url);
  expect([answer.status, answer.headers.get("content-type")]).toEqual([200, "image/jpeg"]);
  expect(await sharp(await answer.arrayBuffer()).metadata()).toMatchObject({ format: "jpeg", width: 480 });
  expect((await get(url, { "if-none-match": answer.headers.get("etag") ?? "" })).status).toBe(304);
});

test("strangers who ask for the logo do not ask the database, nor a node that does not give it within ten seconds", async () => {
  const { choose, clock, get, path, storage } = await withLogo({ width: 480, height: 128 });
  const status = async () => (await get("/assets/logo")).status;
  expect([await status(), await countQuestions(status)]).toEqual([404, 0]);
  await choose(path);
  const read = spyOn(storage, "readPicture").mockResolvedValueOnce(undefined);
  expect([await status(), await status(), read.mock.calls.length]).toEqual([404, 404, 1]);
  clock.time += 10_000;
  expect([await status(), await status()]).toEqual([200, 200]); // the second sees that a size was made
  expect([await countQuestions(status), read.mock.calls.length]).toEqual([0, 2]);
});

test("a replaced logo is shown in its new size, and one that is gone leaves the name", async () => {
  const { choose, db, get, now, path, id, sent, storage, styles, ...service } = await withLogo({
    width: 480,
    height: 128,
  });
  await choose(path);
  const before = await styles();
  const [other = ""] = await store(
    { ...service, storage },
    {
      ...{ filename: "b.png", mimeType: "image/png", body: await draw({ format: "png", width: 60, height: 30 }) },
    },
  );
  await storage.readPictures();
  expect(await replace(db, { id, other }, { actor: "cli" }, now())).toMatchObject({ outcome: "replaced" });
  expect((await sent()).html).toContain('width="60" height="30"');
  const after = await styles();
  expect([after === before, after.includes("inline-size: 60px")]).toEqual([false, true]);
  await set(db, "brandLogo", "/media/00000000-0000-0000-0000-000000000000/x.png", { by: "cli" }, now());
  expect((await sent()).html).not.toContain("<img");
  expect(await styles()).toContain('content: "Noor ');
  expect((await get("/assets/logo")).status).toBe(404);
});

test("a logo that can hardly be seen on its light background is saved with a warning, another one without", async () => {
  const { manager, ...service } = await withLogo({ width: 48, height: 48 });
  const isWarned = async (ink: string, ground = "none") => {
    const drawing = `<svg xmlns="http://www.w3.org/2000/svg" width="960" height="256">
      <rect width="960" height="256" fill="${ground}"/><path d="M80 60h4v130h-4zm60 0h4v130h-4z" fill="${ink}"/></svg>`;
    const body = await sharp(Buffer.from(drawing)).png().toBuffer();
    const [id = ""] = await store(service, { filename: "l.png", mimeType: "image/png", body });
    const before = (await allSettings(service.db)).find(({ key }) => key === "brandLogo");
    const fields = { brandLogo: `/media/${id}/l.png`, "brandLogo.stamp": before ? stampOf(before) : "none" };
    const answer = await manager.submit("/dashboard/settings/brand", fields, {
      "hx-request": "true",
      "hx-request-type": "partial",
      "hx-current-url": "https://site.example/dashboard/settings/brand",
    });
    expect(answer.status).toBe(200);
    return (await answer.text()).includes("can hardly be seen");
  };
  expect(await isWarned("#fff")).toBe(true);
  expect(await isWarned("#fd5", "#fff")).toBe(true); // yellow, 1.3 : 1
  expect(await isWarned("#222")).toBe(false); // thin lines, 0.4 % of the picture
});

test("what cannot be a logo is refused with the reason, and without script it is chosen on a page", async () => {
  const { choose, db, id, manager, path, ...service } = await withLogo({ width: 48, height: 48 });
  const [text = "", broken = ""] = await store(service, {}, { filename: "b.png", mimeType: "image/png" });
  const missing = "00000000-0000-0000-0000-000000000000";
  for (const [value, why] of [
    ["https://site.example/logo.png", "Its path starts with /media/"],
    [`/media/${missing}/a.png`, "This picture is not in Storage."],
    [`/media/${text}/a.txt`, "This picture could not be read."],
    [`/media/${broken}/b.png`, "This picture could not be read."],
  ]) {
    const answer = await choose(value ?? "");
    expect([answer.status, await answer.text()]).toEqual([422, expect.stringContaining(why ?? "")]);
  }
  const back = "/dashboard/settings/brand";
  const choice = await manager.submit(`/dashboard/posts/pictures?for=brand-brandLogo&back=${back}`, {
    brandAuthor: "Ada",
  });
  expect([choice.status, await choice.text()]).toEqual([200, expect.stringContaining(`value="${id}"`)]);
  const again = await manager.submit(back, { brandAuthor: "Ada", picture: id, pictureFor: "brand-brandLogo" });
  const page = await again.text();
  expect([again.status, page]).toEqual([200, expect.stringContaining(`value="${path}"`)]);
  expect(page).toContain('value="Ada"');
  expect((await findStored(db, id))?.picture).toBeNull(); // nothing was saved
});
