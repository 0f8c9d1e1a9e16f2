import { describe, expect, test } from "bun:test";
import { cleanUp } from "../../../db/ops/cleanup";
import * as projects from "../../../db/projects/projects";
import { uploads } from "../../../db/schema/storage";
import { testService } from "../../../test/support/service";
import { store } from "../../../test/support/storage/stored-files";
import { look, lookAt } from "../../../test/support/look";

const path = "/dashboard/projects";
const htmx = { "hx-request": "true", "hx-request-type": "partial", "hx-current-url": `http://localhost:3000${path}` };
const blank = {
  ...{ title: "", slug: "", description: "", imageUrl: "", liveUrl: "", githubUrl: "", tech: "", author: "" },
  ...{ status: "DRAFT", version: "0", was: "{}" },
};
type Row = { id: string; slug: string; status: string; featured: number; display_order: number; version: number };

/** A service with these projects, in this order; a name with a star is featured. */
async function withProjects(...names: string[]) {
  const service = await testService();
  const { db, clock, get, key, now } = service;
  const manager = await service.signIn();
  const ids: Record<string, string> = {};
  for (const [at, name] of names.entries()) {
    const slug = name.replace("*", "").toLowerCase();
    const more = { featured: name.endsWith("*"), displayOrder: at + 1, status: "PUBLISHED" as const };
    ids[slug] = (await projects.save(db, { slug, title: name.replace("*", ""), ...more }, now())).id;
  }
  const row = async (slug: string) => (await look(db, "select * from projects where slug = ?", [slug]))[0] as Row;
  const text = async (query = "") => (await manager.get(path + query)).text();
  const listed = async (query = "") =>
    [...(await text(query)).matchAll(/class="sub mono">([^<]+)</g)].map(([, s]) => s);
  const keyed = await key();
  /** As a site reads them. */
  const read = async () => {
    const { data } = (await (await get("/api/v1/projects", keyed)).json()) as {
      data: { projects: { slug: string }[] };
    };
    return data.projects.map(({ slug }) => slug);
  };
  const stamp = async () => /name="stamp" value="([^"]+)"/.exec(await text())?.[1] ?? "";
  const act = async (to: string, fields: Record<string, string> = {}, more: Record<string, string> = htmx) => {
    const answer = await manager.submit(`${path}/${to}`, fields, more);
    return { status: answer.status, headers: answer.headers, text: await answer.text() };
  };
  const save = async (slug: string, fields: Record<string, string>) =>
    act((await row(slug))?.id ?? "", {
      ...blank,
      slug,
      status: "PUBLISHED",
      version: String((await row(slug))?.version),
      ...fields,
    });
  const events = async () =>
    await lookAt(db, "select action, target from audit_events where action like 'project%' order by id");
  return { ...service, manager, ids, row, text, listed, read, stamp, act, save, events, clock };
}

test("a button publishes a draft whatever status is chosen, keeps what else was typed, and no field hides it again", async () => {
  const { act, save, text, row } = await withProjects("Ash");
  expect((await act("", { ...blank, title: "Elm", do: "publish" }, {})).status).toBe(303);
  expect(await text()).toContain("“Elm” published.");
  const made = (await act("", { ...blank, title: "Fir", do: "publish" })).text;
  expect(made).toContain("“Fir” published.");
  expect(made).toMatch(/value="PUBLISHED" selected/);
  expect(await row("fir")).toMatchObject({ status: "PUBLISHED" });
  await act("", { ...blank, title: "Oak" });
  const { id } = (await row("oak")) ?? {};
  expect(await text(`/${id}`)).toContain(`value="publish"`);
  expect((await save("oak", { title: " ", status: "DRAFT", do: "publish" })).text).toContain("Enter a title");
  expect(await row("oak")).toMatchObject({ status: "DRAFT" });
  expect((await save("oak", { title: "Oak", status: "DRAFT", author: "Bo", do: "publish" })).text).toContain(
    "“Oak” published.",
  );
  expect(await row("oak")).toMatchObject({ status: "PUBLISHED", author: "Bo" });
  expect(await text(`/${id}`)).not.toContain(`value="publish"`);
});

test("the notice of a published project leads to it, if it is somewhere", async () => {
  const { act, save, text } = await withProjects("Ash");
  const link = /“\w+” published\.<\/p><a [^>]*href="https:\/\/elm\.example"[^>]*>View live</;
  const liveUrl = "https://elm.example";
  expect((await act("", { ...blank, title: "Elm", liveUrl, do: "publish" })).text).toMatch(link);
  expect((await save("elm", { title: "Elms", liveUrl })).text).not.toMatch(link);
  await act("", { ...blank, title: "Fir", liveUrl, do: "publish" }, {});
  expect(await text()).toMatch(link);
  expect((await act("", { ...blank, title: "Oak", do: "publish" })).text).toMatch(/“Oak” published\.<\/p><button/);
});

describe("the list", () => {
  test("shows every status in public order, in two groups; the API shows the published ones in the same order", async () => {
    const { db, listed, read, text, now } = await withProjects("One", "Two*", "Three", "Four*");
    await projects.save(db, { slug: "draft", title: "Draft", displayOrder: 2, status: "DRAFT" }, now());
    expect(await listed()).toEqual(["two", "four", "one", "draft", "three"]);
    expect(await read()).toEqual(["two", "four", "one", "three"]);
    expect(await text()).toMatch(/>Featured<\/h2>.*>Others<\/h2>/);
  });

  test("is filtered by status and searched in title, slug, description, author and tech, in any case", async () => {
    const { db, listed, now } = await withProjects("One", "Two");
    const more = { description: "Прилив", author: "Åsa", tech: ["C++"] };
    await projects.save(db, { slug: "three", title: "Straße", status: "ARCHIVED", ...more }, now());
    for (const q of ["STRASSE", "прилив", "åSA", "c%2B%2B", "THREE"])
      expect([q, await listed(`?q=${q}`)]).toEqual([q, ["three"]]);
    expect(await listed("?status=ARCHIVED")).toEqual(["three"]);
    expect(await listed("?q=o&status=PUBLISHED")).toEqual(["one", "two"]);
    expect(await listed("?q=%25")).toEqual([]);
    expect(await listed("?status=;drop&page=-1&per=x")).toHaveLength(3);
  });

  test("offers no order where neighbours are missing", async () => {
    const { text } = await withProjects("One", "Two");
    expect(await text()).toContain("data-handle");
    expect(await text("?q=o")).not.toContain("data-handle");
  });

  test("says what is missing: nothing yet, nothing that matches, nothing in the trash", async () => {
    expect(await (await withProjects()).text()).toContain("No projects yet");
    const { text } = await withProjects("One");
    expect(await text("?q=nothing")).toContain("No matching projects");
    expect(await text("?status=trash")).toContain("The trash is empty");
  });
});

describe("the order", () => {
  test("changes by one drop, for all sites, and is noted; updatedAt and version stay", async () => {
    const { ids, act, read, row, stamp, events } = await withProjects("A", "B", "C", "D*");
    const before = (await row("a")).version;
    const order = [ids.c, ids.a, ids.b].join();
    const { status, text } = await act("order", { order: order, moved: ids.c ?? "", stamp: await stamp() });
    expect([status, text.includes("“C” moved to position 1 of 3.")]).toEqual([200, true]);
    expect(await read()).toEqual(["d", "c", "a", "b"]);
    expect((await row("a")).version).toBe(before);
    expect(await events()).toEqual([["project.reorder", "C"]]);
  });

  test("can be undone", async () => {
    const { ids, act, read, stamp } = await withProjects("A", "B", "C");
    const { text } = await act("order", {
      order: [ids.c, ids.a, ids.b].join(),
      moved: ids.c ?? "",
      stamp: await stamp(),
    });
    const [, to, place = ""] = /action="\/dashboard\/projects\/([^"]+)"[^>]*>.*?name="to" value="(\d+)"/.exec(
      text.slice(text.indexOf("data-toast")),
    ) ?? ["", "", ""];
    expect([to, place]).toEqual([`${ids.c}/move`, "3"]);
    await act(to ?? "", { to: place });
    expect(await read()).toEqual(["a", "b", "c"]);
  });

  test("stays if someone else changed the list in the meantime: 409, and the current list", async () => {
    const { ids, act, read, stamp } = await withProjects("A", "B", "C");
    const seen = await stamp();
    await act(`${ids.b}/move`, { to: "up" });
    const late = await act("order", { order: [ids.c, ids.a, ids.b].join(), moved: ids.c ?? "", stamp: seen });
    expect([late.status, late.text.includes("someone else has changed the list")]).toEqual([409, true]);
    expect(late.headers.get("hx-retarget")).toBe("#list");
    expect(await read()).toEqual(["b", "a", "c"]);
  });

  test("is not stale because a visitor followed a link", async () => {
    const { db, ids, act, read, stamp } = await withProjects("A", "B");
    const seen = await stamp();
    await db.write((orm) => projects.addClicks(orm, new Map([[ids.a ?? "", 3]])));
    expect((await act("order", { order: [ids.b, ids.a].join(), moved: ids.b ?? "", stamp: seen })).status).toBe(200);
    expect(await read()).toEqual(["b", "a"]);
  });

  test.each([
    ["one is missing of the moved", ({ a, b }: Record<string, string>) => [a, b]],
    ["one is named twice", ({ a, c }: Record<string, string>) => [a, c, c]],
    ["one is of the other group", ({ c, d }: Record<string, string>) => [c, d]],
    ["one is unknown", ({ c }: Record<string, string>) => [c, "x"]],
  ])("is refused when %s", async (_, choose) => {
    const { ids, act, read, stamp } = await withProjects("A", "B", "C", "D*");
    const order = choose(ids).join();
    expect((await act("order", { order: order, moved: ids.c ?? "", stamp: await stamp() })).status).toBe(409);
    expect(await read()).toEqual(["d", "a", "b", "c"]);
  });

  test("those on another page keep their places", async () => {
    const { ids, act, read, stamp } = await withProjects("A", "B", "C", "D");
    await act("order", { order: [ids.d, ids.b].join(), moved: ids.d ?? "", stamp: await stamp() });
    expect(await read()).toEqual(["a", "d", "c", "b"]);
  });

  test("changes by buttons and by a number, without JavaScript too; past the end is the end", async () => {
    const { ids, act, read, manager } = await withProjects("A", "B", "C");
    const plain = await act(`${ids.a}/move`, { to: "down" }, {});
    expect([plain.status, plain.headers.get("location")]).toEqual([303, path]);
    expect(await (await manager.get(path)).text()).toContain("“A” moved to position 2 of 3.");
    expect(await read()).toEqual(["b", "a", "c"]);
    await act(`${ids.a}/move`, { to: "up" });
    expect((await act(`${ids.a}/move`, { to: "up" })).text).toContain("“A” is still at position 1 of 3.");
    await act(`${ids.a}/move`, { to: "99" });
    expect(await read()).toEqual(["b", "c", "a"]);
    expect(await (await manager.get(`${path}/${ids.a}/move`, htmx)).text()).toContain("Currently 3.");
  });

  test("a project that joins a group comes last in it", async () => {
    const { ids, act, read } = await withProjects("A", "B*", "C*");
    await act(`${ids.a}/feature`);
    expect(await read()).toEqual(["b", "c", "a"]);
    await act(`${ids.b}/unfeature`);
    expect(await read()).toEqual(["c", "a", "b"]);
  });
});

describe("the form", () => {
  test("makes a project: the slug from the title, the tech stack from a list", async () => {
    const { act, db, now, row, manager } = await withProjects();
    const answer = await act("", { ...blank, title: " Tide Table ", tech: "SVG, C++, , SVG", status: "PUBLISHED" }, {});
    expect([answer.status, answer.headers.get("location")]).toEqual([303, path]);
    expect(await projects.bySlug(db, "tide-table")).toMatchObject({ title: "Tide Table", tech: ["SVG", "C++"] });
    expect(await row("tide-table")).toMatchObject({ featured: 0, version: 1 });
    expect(await (await manager.get(path)).text()).toContain("“Tide Table” created.");
    expect(now()).toBeDate();
  });

  test.each([
    ["title", "", "Enter a title."],
    ["title", "x".repeat(201), "Enter a title (up to 200 characters)."],
    ["slug", "!!!", "Slug must contain a letter or digit."],
    ["description", "x".repeat(2_001), "Description must be at most 2,000 characters long."],
    ["liveUrl", "javascript:alert(1)", "Live URL must be an http(s) URL."],
    ["githubUrl", "ftp://a.example", "Source code URL must be an http(s) URL."],
    ["imageUrl", "//evil.example/x.png", "Picture must be a path starting with /"],
    ["tech", "x".repeat(51), "Each entry must be 1 to 50 characters long."],
    ["slug", "taken", "This slug is already used by “Taken”. Choose another."],
  ])("a wrong %s (%j) is refused, kept in its field, and changes nothing", async (field, value, reason) => {
    const { act, events } = await withProjects("Taken");
    for (const headers of [{}, htmx] as Record<string, string>[]) {
      const answer = await act("", { ...blank, title: "T", [field]: value }, headers);
      expect([answer.status, answer.text.includes(`id="project-${field}-error"`)]).toEqual([422, true]);
      expect(answer.text.replaceAll(",", "")).toContain(reason.replaceAll(",", ""));
      expect(answer.text).toContain(value);
      if (headers !== htmx) expect(answer.text).toContain("<title>New project");
    }
    expect(await events()).toEqual([]);
  });

  test("changes only what is another; saving the same again says so", async () => {
    const { save, row, events } = await withProjects("A");
    await save("a", { title: "Better" });
    expect((await row("a")).version).toBe(2);
    await save("a", { title: "Better" });
    expect([(await row("a")).version, await events()]).toEqual([2, [["project.change", "Better"]]]);
  });

  test("of two simultaneous edits the second shows both versions, with a choice", async () => {
    const { db, manager, save, act, ids, row } = await withProjects("A");
    const form = fieldsIn(await (await manager.get(`${path}/${ids.a}`)).text());
    await save("a", { title: "Theirs", description: "Their words", author: "Bo" });
    const late = await act(ids.a ?? "", { ...form, title: "Mine", tech: "SVG" });
    expect(late.status).toBe(409);
    for (const words of [`<span class="value">Mine</span>`, `<span class="value">Theirs</span>`, "Their words"])
      expect(late.text).toContain(words);
    expect((await row("a")).version).toBe(2);
    const again = fieldsIn(late.text);
    expect(again).toMatchObject({ "title.keep": "mine", "description.keep": "theirs", "tech.keep": "mine" });
    await act(ids.a ?? "", again);
    const saved = await projects.bySlug(db, "a");
    expect(saved).toMatchObject({ title: "Mine", description: "Their words", author: "Bo", tech: ["SVG"] });
  });

  test("asks again after another change in the meantime", async () => {
    const { manager, save, act, ids } = await withProjects("A");
    const form = fieldsIn(await (await manager.get(`${path}/${ids.a}`)).text());
    await save("a", { title: "Second" });
    const late = await act(ids.a ?? "", { ...form, title: "Mine" });
    await save("a", { title: "Third" });
    const later = await act(ids.a ?? "", fieldsIn(late.text));
    expect([later.status, later.text.includes("Third")]).toEqual([409, true]);
  });

  test("of a project that is in the trash says so", async () => {
    const { manager, save, act, ids } = await withProjects("A");
    await act(`${ids.a}/trash`);
    expect((await manager.get(`${path}/${ids.a}`)).status).toBe(404);
    expect((await save("a", { title: "Late" })).status).toBe(404);
  });
});

describe("publishing", () => {
  test("needs no question; to unpublish or archive what is published does, in the list and in the form", async () => {
    const { ids, act, save, row, read } = await withProjects("A", "B", "C");
    for (const [to, slug] of [
      ["unpublish", "a"],
      ["archive", "b"],
    ] as const) {
      const question = await act(`${ids[slug]}/${to}`);
      expect([question.status, question.text.includes("stop showing it immediately")]).toEqual([200, true]);
      expect((await row(slug)).status).toBe("PUBLISHED");
      await act(`${ids[slug]}/${to}`, { confirmed: "yes" });
    }
    const question = await save("c", { title: "See", status: "DRAFT" });
    expect((await row("c")).status).toBe("PUBLISHED");
    await act(ids.c ?? "", fieldsIn(question.text));
    const statuses = await Array.fromAsync(["a", "b", "c"], async (slug) => (await row(slug)).status);
    expect(statuses).toEqual(["DRAFT", "ARCHIVED", "DRAFT"]);
    expect(await read()).toEqual([]);
    await act(`${ids.b}/unpublish`);
    await act(`${ids.a}/publish`);
    expect([await read(), (await row("b")).status]).toEqual([["a"], "DRAFT"]);
  });

  test("twice is recorded once", async () => {
    const { ids, act, events } = await withProjects("A");
    expect((await act(`${ids.a}/publish`)).text).toContain("already done or deleted");
    expect(await events()).toEqual([]);
  });

  test("a copy is a draft with a slug of its own", async () => {
    const { ids, act, row, read } = await withProjects("A");
    await act(`${ids.a}/duplicate`);
    await act(`${ids.a}/duplicate`);
    expect([(await row("a-copy")).status, (await row("a-copy-2")).status, await read()]).toEqual([
      "DRAFT",
      "DRAFT",
      ["a"],
    ]);
  });

  test("what is in the trash is not copied", async () => {
    const { db, ids, act } = await withProjects("A");
    await act(`${ids.a}/trash`);
    await act(`${ids.a}/duplicate`);
    expect(await look(db, "select slug from projects")).toEqual([{ slug: "a" }]);
  });
});

test("a description is kept to the byte: blanks at its ends, uncomposed letters, and line ends that nobody touched", async () => {
  const { db, ids, save } = await withProjects("One");
  const stored = async () => (await projects.byId(db, ids.one ?? ""))?.description;
  const text = "  Cafe\u0301 \n\n";
  await save("one", { title: "One", description: text.replaceAll("\n", "\r\n") });
  expect(await stored()).toBe(text);
  await look(db, "update projects set description = ?", ["One \r\nTwo\r\n"]);
  await save("one", { title: "Uno", description: "One \r\nTwo\r\nThree\r\n" });
  expect(await stored()).toBe("One \r\nTwo\r\nThree\r\n");
  await save("one", { title: "Uno", description: " \r\n" });
  expect(await stored()).toBe("");
});

test("a copy of a project with a long name can be saved", async () => {
  const { db, save, act, ids } = await withProjects("A");
  await look(db, "update projects set title = ?, slug = ?", ["T".repeat(200), "s".repeat(100)]);
  await act(`${ids.a}/duplicate`);
  const copy = async () =>
    (await look(db, "select slug, title, author from projects where title like '%(copy)'"))[0] as Record<
      string,
      string
    >;
  const { title = "", slug = "" } = await copy();
  await save(slug, { title, author: "Ada" });
  expect(await copy()).toEqual({ title: `${"T".repeat(193)} (copy)`, slug: `${"s".repeat(90)}-copy`, author: "Ada" });
});

describe("the trash", () => {
  test("hides a project from sites, keeps it for 30 days, and can restore it", async () => {
    const { ids, act, read, listed, events, db, clock, now } = await withProjects("A", "B");
    expect((await act(`${ids.a}/trash`)).text).toContain("“A” moved to the trash.");
    expect([await read(), await listed(), await listed("?status=trash")]).toEqual([["b"], ["b"], ["a"]]);
    await act(`${ids.a}/restore`);
    expect(await read()).toEqual(["a", "b"]);
    await act(`${ids.a}/trash`);
    clock.time += 30 * 86_400_000 + 1;
    expect((await cleanUp(db, now())).trash).toBe(1);
    expect((await events()).map(([action]) => action)).toEqual(["project.trash", "project.restore", "project.trash"]);
  });

  test("works from the project's own page too, which leads to the list, with Undo", async () => {
    const { ids, manager, row, text } = await withProjects("One");
    const page = `${path}/${ids.one}`;
    const html = await (await manager.get(page)).text();
    expect(html).toContain(`formaction="${page}/trash"`);
    const answer = await manager.submit(`${page}/trash`, {}, { referer: `http://localhost:3000${page}` });
    expect([answer.status, answer.headers.get("location")]).toEqual([303, path]);
    expect(await text()).toMatch(/“One” moved to the trash\.[^]*Undo/);
    expect(await row("one")).toMatchObject({ deleted_at: expect.anything() as never });
  });

  test("is emptied manually, one at a time, after confirmation, and only of what is in it", async () => {
    const { ids, act, manager, row } = await withProjects("A", "B");
    await act(`${ids.b}/delete`, { confirmed: "yes" });
    expect(await row("b")).toBeDefined();
    await act(`${ids.a}/trash`);
    expect(await (await manager.get(`${path}/${ids.a}/delete`, htmx)).text()).toContain("Permanently delete “A”?");
    expect((await act(`${ids.a}/delete`, { confirmed: "yes" })).text).toContain("“A” permanently deleted.");
    expect(await row("a")).toBeUndefined();
    expect((await act(`${ids.a}/restore`)).text).toContain("already done or deleted");
  });

  test("keeps the slug: another project that wants it learns which one has it", async () => {
    const { ids, act } = await withProjects("A");
    await act(`${ids.a}/trash`);
    expect((await act("", { ...blank, title: "A" })).text).toContain(
      "This slug is already used by “A” (in the trash). Choose another.",
    );
  });
});

/** What a browser would submit from the form on this page. */
function fieldsIn(html: string): Record<string, string> {
  const fields: Record<string, string> = {};
  const form = html.slice(html.search(/<form[^>]*(id="project-form"|dashboard\/projects\/[0-9a-f-]+")/));
  for (const [tag] of form.matchAll(
    /<(input|textarea|select)\b[^>]*>([^<]*<\/textarea>|(<option[^>]*>[^<]*<\/option>)*)?/g,
  )) {
    const name = /name="([^"]*)"/.exec(tag)?.[1] ?? "";
    const value = tag.startsWith("<textarea")
      ? />([^<]*)</.exec(tag)?.[1]
      : /(?:selected[^>]*|<input[^>]*)value="([^"]*)"|value="([^"]*)"[^>]*selected/.exec(tag)?.slice(1).find(Boolean);
    if (name === "_token" || (/type="(radio|checkbox)"/.test(tag) && !/ checked/.test(tag))) continue;
    fields[name] = unescaped(value ?? "");
  }
  return fields;
}

const unescaped = (text: string) =>
  text.replaceAll("&quot;", '"').replaceAll("&#34;", '"').replaceAll("&lt;", "<").replaceAll("&amp;", "&");

describe("bulk actions", () => {
  const selected = (ids: Record<string, string>, ...slugs: string[]) => slugs.map((slug) => ids[slug] ?? "");

  test("the selected projects are published, hidden, featured and deleted, with one entry each", async () => {
    const { act, events, ids, manager, read, row } = await withProjects("A", "B", "C");
    const bulk = async (move: string, more: Record<string, string | string[]> = {}) => {
      const answer = await manager.submit(`${path}/bulk`, { do: move, ids: selected(ids, "a", "c"), ...more }, htmx);
      return { status: answer.status, text: await answer.text() };
    };
    expect((await bulk("archive")).text).toContain("Archive 2 projects?");
    expect(await read()).toEqual(["a", "b", "c"]);
    expect((await bulk("archive", { confirmed: "yes", asked: "2" })).text).toContain("2 projects archived.");
    expect(await read()).toEqual(["b"]);
    expect((await bulk("archive", { confirmed: "yes", asked: "2" })).text).toContain("Nothing changed: already done");
    await bulk("publish", { confirmed: "yes", asked: "2" });
    const version = (await row("b")).version;
    expect((await bulk("feature", { ids: selected(ids, "b", "c") })).text).toContain("2 projects featured.");
    expect(await read()).toEqual(["b", "c", "a"]);
    expect((await row("b")).version).toBe(version + 1); // a manager who is editing it will be told
    const gone = await bulk("trash", { confirmed: "yes", asked: "2" });
    expect(gone.text).toContain("2 projects moved to the trash.");
    const [, changedAt = ""] = /name="changedAt" value="(\d+)"/.exec(gone.text) ?? [];
    const back = (await act("bulk", { do: "restore", changedAt })).text;
    expect(back).toContain("2 projects restored.");
    expect(back).not.toMatch(/>\s*Open\s*</);
    expect((await events()).map(([action]) => action)).toEqual(
      ["archive", "publish", "feature", "trash", "restore"].map((verb) => `project.${verb}`),
    );
  });

  test("selecting all that match selects what the search finds; if there are many, their number must be typed", async () => {
    const { act, ids, read } = await withProjects("Tide", "Tidal", "Moon");
    const all = { all: "matching", filter: "q=TID", confirmed: "yes", asked: "2" };
    expect((await act("bulk", { do: "unpublish", ...all })).text).toContain("2 projects moved to drafts.");
    expect(await read()).toEqual(["moon"]);
    expect((await act("bulk", { do: "trash", ids: ids.moon ?? "" })).text).toContain("“Moon” moved to the trash.");
    const emptied = await act("bulk", { do: "delete", all: "matching", filter: "status=trash", confirmed: "yes" });
    expect(emptied.text).toContain("“Moon” permanently deleted.");
    expect((await act("bulk", { do: "publish" })).text).toContain("No projects selected.");
  });
});

test("a project stands beside its cover, if that is a picture of ours; nothing is asked of other servers", async () => {
  const { text, ...service } = await withProjects("Harbour", "Mill");
  expect(await text()).not.toContain('class="cover"');
  const [id] = await store(service, { filename: "boats.jpg", mimeType: "image/jpeg" });
  await service.db.write((orm) => orm.update(uploads).set({ picture: "opaque", width: 800, height: 600 }).run());
  const covers = { harbour: `/media/${id}/boats.jpg`, mill: "https://elsewhere.example/mill.jpg" };
  for (const [slug, image] of Object.entries(covers))
    await lookAt(service.db, "update projects set image_url = ? where slug = ?", [image, slug]);
  const page = await service.manager.get(path);
  const html = await page.text();
  expect([...html.matchAll(/<img class="cover"[^>]* src="([^"]+)"/g)].map(([, src]) => src)).toEqual([
    expect.stringContaining(`/media/${id}/boats.jpg?w=64`),
  ]);
  expect(html).toContain('<span class="cover"></span>');
  expect(html).not.toContain("elsewhere.example");
  expect(page.headers.get("content-security-policy")).toMatch(/img-src 'self' http/);
});
