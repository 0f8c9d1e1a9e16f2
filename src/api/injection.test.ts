import { expect, test } from "bun:test";
import { fold } from "../../db/lib/fold";
import * as posts from "../../db/posts/posts";
import { payloads } from "../../test/security/payloads";
import { testService } from "../../test/support/service";

const hostile = payloads();

test("every search is literal (S2)", async () => {
  const texts = hostile.map((payload, i) => `${i} ${payload} ${hostile[(i * 7) % hostile.length]}`);
  const { db, get, key, now } = await testService();
  const header = await key();
  for (const [i, content] of texts.entries())
    await posts.save(
      db,
      { slug: `p${i}`, title: "t", content, published: true, publishedAt: new Date(1e12 - i) },
      now(),
    );
  for (const q of hostile.flatMap((payload) => [payload, `x${payload}`, payload.repeat(3), ` ${payload} `])) {
    if ([...q].length > 200) continue; // too long for a search
    const answer = await get(`/api/v1/posts?limit=100&q=${encodeURIComponent(q)}`, header);
    const wanted = q.normalize("NFC").trim();
    const expected = texts.flatMap((text, i) =>
      [fold(text), "t"].some((each) => each.includes(fold(wanted))) ? [`p${i}`] : [],
    );
    const { data } = (await answer.json()) as { data: { posts: { slug: string }[] } };
    expect([q, answer.status, data.posts.map(({ slug }) => slug)]).toEqual([q, 200, expected]);
    expect(answer.headers.get("x-total-count")).toBe(String(expected.length));
  }
});

test("other parameters give a 200 or a 400, never a 500, whatever they contain (S2)", async () => {
  const { get, key, logged } = await testService();
  for (const name of ["limit", "tag", "cursor", "featured", "folderPath", "q", "q[]", "__proto__", "x"])
    for (const path of ["posts", "projects", "settings", "storage/files"]) {
      const header = await key();
      for (const payload of hostile) {
        const query = `${encodeURIComponent(name)}=${encodeURIComponent(payload)}`;
        const { status } = await get(`/api/v1/${path}?${query}`, header);
        expect([query, [200, 400].includes(status)]).toEqual([query, true]);
      }
    }
  expect(logged.filter(({ level }) => level === "error")).toEqual([]);
});

test("commas, brackets and braces in a query are characters; a name given twice is refused", async () => {
  const { db, get, key, now } = await testService();
  const header = await key();
  const content = 'Salt, pepper and [1] {"a":1} a+b';
  await posts.save(db, { slug: "salt", title: "Salt", content, published: true, publishedAt: now() }, now());
  for (const q of ["salt, pepper", ",", "[1]", '{"a":1}', "a+b"]) {
    const answer = await get(`/api/v1/posts?q=${encodeURIComponent(q)}`, header);
    expect([q, answer.status, answer.headers.get("x-total-count")]).toEqual([q, 200, "1"]);
  }
  for (const query of ["q=a&q=b", "limit=1&limit=1", "tag=a&tag=b", "q=a&%71=b"]) {
    const { status } = await get(`/api/v1/posts?${query}`, header);
    expect([query, status]).toEqual([query, 400]);
  }
});
