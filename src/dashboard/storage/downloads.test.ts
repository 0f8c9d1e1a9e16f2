import { expect, test } from "bun:test";
import { store } from "../../../test/support/storage/stored-files";
import { testService } from "../../../test/support/service";
import { look } from "../../../test/support/look";

const path = "/dashboard/storage";

type Content = Parameters<typeof store>[1];

/** A signed-in manager who downloads these files. Returns the names in the response, in order. */
async function open(...contents: Content[]) {
  const service = await testService();
  const manager = await service.signIn();
  const ids = await store(service, ...contents);
  const htmx = { "hx-request": "true", "hx-request-type": "partial", "hx-current-url": `http://localhost:3000${path}` };
  const ask = async (fields: Record<string, string | string[]>, headers: Record<string, string> = htmx) => {
    const answer = await manager.submit(`${path}/bulk`, { do: "download", ...fields }, headers);
    const text = await answer.text();
    const links = [...text.matchAll(/<a href="([^"]+)" data-download>([^<]+)</g)];
    return { answer, text, urls: links.map(([, url = ""]) => url), listed: links.map(([, , name]) => name) };
  };
  const trash = (id = "") => manager.submit(`${path}/files/${id}/trash`, {}, htmx);
  return { ...service, manager, ids, ask, trash };
}

test("several downloads lead to a list: a link to each file's own node, sizes, and the total", async () => {
  const { ask, ids, manager } = await open({ filename: "b.txt", body: "bb" }, { filename: "a.txt", body: "a" }, {});
  const { answer, text, urls, listed } = await ask({ ids: ids.slice(0, 2) });
  expect([answer.status, answer.headers.get("hx-retarget"), listed]).toEqual([200, "#dialog", ["a.txt", "b.txt"]]);
  for (const words of ["Download 2 files", "2 files, 3 bytes in total.", "2 bytes<", "1 byte<", "Download all"])
    expect(text).toContain(words);
  const found = await Promise.all(
    urls.map(async (url) => {
      const { status, headers } = await manager.get(url);
      const location = headers.get("location") ?? "";
      expect([status, location.startsWith("http://localhost:3000")]).toEqual([302, false]);
      return (await fetch(location)).text();
    }),
  );
  expect(found).toEqual(["a", "bb"]);
});

test("the list is a page of its own without a script, and has no button then", async () => {
  const { ask, ids } = await open({});
  const { answer, text, listed } = await ask({ ids }, {});
  expect([answer.status, listed]).toEqual([200, ["a.txt"]]);
  expect(text).toContain("<title>Download 1 file");
  expect(text).toMatch(/<link [^>]*storage[^>]*\.css/);
  expect(text).not.toContain('id="download-all"');
});

test("files that were deleted or are not complete yet are counted, but not listed", async () => {
  const { ask, ids, storage, trash } = await open({ filename: "a.txt" }, { filename: "b.txt" });
  const wanted = { filename: "open.mov", mimeType: "video/quicktime", size: 1_000, folderPath: "" };
  const grant = await storage.reserve(wanted);
  if (typeof grant === "string") throw new Error("The storage is full");
  await trash(ids[0]);
  const chosen = [...ids, "unknown", grant._meta.reservationId];
  const { text, listed } = await ask({ ids: chosen });
  expect(listed).toEqual(["b.txt"]);
  expect(text).toContain("3 selected files no longer exist.");
  await trash(ids[1]);
  expect((await ask({ ids: chosen })).text).toContain("Nothing to download: the files no longer exist.");
  expect((await ask({})).text).toContain("No files selected.");
});

test("all that match are listed as they are sorted, with the folders they lie in", async () => {
  const { ask } = await open(
    { filename: "1.log" },
    { filename: "2.log", folderPath: "deep" },
    { filename: "c.txt" },
    { filename: "3.log" },
  );
  const { text, listed } = await ask({ all: "matching", filter: "q=.LOG&sort=-name" });
  expect(listed).toEqual(["3.log", "2.log", "1.log"]);
  expect(text.match(/>in [^<]+</g)).toEqual([">in deep<"]);
});

test("at most a hundred are listed, and it is said how many are left out", async () => {
  const { ask, db } = await open({ filename: "000.txt" });
  await look(
    db,
    `with recursive n(i) as (select 1 union all select i + 1 from n where i < 102)
    insert into uploads (id, node_id, folder_id, object_key, filename, folded, mime_type, size, state, next_check_at,
      hold_until, created_at)
    select 'copy-' || i, node_id, folder_id, 'copy-' || i, substr(cast(1000 + i as text), 2) || '.txt', substr(cast(1000 + i as text), 2) || '.txt', mime_type,
      size, state, next_check_at, hold_until, created_at from uploads, n`,
  );
  const { text, listed } = await ask({ all: "matching", filter: "" });
  expect([listed.length, listed[0], listed[99]]).toEqual([100, "000.txt", "099.txt"]);
  expect(text).toContain("Showing the first 100 of 103 files. Download the other 3");
});

test("a file's name is text in the list", async () => {
  const { ask, ids } = await open({ filename: `<img src=x onerror=alert(1)>.txt` });
  const { text } = await ask({ ids });
  expect([text.includes("<img src=x"), text.includes("onerror=alert(1)")]).toEqual([false, true]);
});
