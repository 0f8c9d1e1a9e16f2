import { expect, test } from "bun:test";
import { fold } from "../../db/fold";
import * as posts from "../../db/posts";
import { testService } from "../testing";

const payloads = [
  "'",
  "''",
  '"',
  "' OR '1'='1",
  "'; DROP TABLE posts; --",
  "\\",
  "%",
  "_",
  "%%",
  "a%b",
  "*",
  '"*"',
  "NEAR(a b)",
  "a OR b",
  "NOT a",
  "folded:a",
  "^a",
  "{a}",
  "(",
  "a AND (b",
  "-a",
  "+a",
  "\0",
  "a\0b",
  "\uffff",
  "\ufffd",
  "\u202e",
  "\u0301",
  "😀",
  "x😀",
  "ß",
  "SS",
  "İ",
  "i̇",
  "ﬁ",
  "\n",
  "\t;",
  "<script>alert(1)</script>",
  "${7*7}",
  "{{7*7}}",
  "../../etc/passwd",
  "%27",
  "%2527",
  "?",
  ":a",
  "@a",
  "$a",
  "?1",
  "0x41",
  "null",
  "undefined",
  "__proto__",
  "constructor",
];

test("whatever is searched for is found literally, or not at all (S2)", async () => {
  const texts = payloads.map((payload, i) => `${i} ${payload} ${payloads[(i * 7) % payloads.length]}`);
  const { db, get, key, now } = await testService();
  const header = await key();
  for (const [i, content] of texts.entries())
    await posts.save(
      db,
      { slug: `p${i}`, title: "t", content, published: true, publishedAt: new Date(1e12 - i) },
      now(),
    );
  for (const q of payloads.flatMap((payload) => [payload, `x${payload}`, payload.repeat(3), ` ${payload} `])) {
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

test("whatever the other parameters hold is a 200 or a 400, never a fault (S2)", async () => {
  const { get, key, logged } = await testService();
  for (const name of ["limit", "tag", "cursor", "featured", "q", "q[]", "__proto__", "x"])
    for (const path of ["posts", "projects", "settings"]) {
      const header = await key();
      for (const payload of payloads) {
        const query = `${encodeURIComponent(name)}=${encodeURIComponent(payload)}`;
        const { status } = await get(`/api/v1/${path}?${query}`, header);
        expect([query, [200, 400].includes(status)]).toEqual([query, true]);
      }
    }
  expect(logged.filter(({ level }) => level === "error")).toEqual([]);
});
