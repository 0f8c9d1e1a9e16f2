import { expect, test } from "bun:test";
import fc from "fast-check";
import { codeIn, fetchedIn, Responses, uidsIn } from "./imap";

const body = "Subject: {3}\r\n\r\na02 OK not the end\r\n";
const said = [
  "* 3 EXISTS\r\n",
  "* OK [UIDVALIDITY 17] valid\n",
  `* 2 FETCH (UID 9 INTERNALDATE " 1-Nov-2026 10:00:00 +0100" BODY[]<0> {${body.length}}\r\n${body} FLAGS ())\r\n`,
  "* 4 FETCH (BODY[]<0> {0}\r\n UID 10)\r\n",
  "* search 3 1 2\r\n",
  "a01 OK done\r\n",
].join("");

test("responses are the same, wherever the network cuts them", () => {
  const whole = new Responses().take(Buffer.from(said));
  expect(whole).toHaveLength(6);
  fc.assert(
    fc.property(fc.array(fc.integer({ min: 0, max: said.length }), { maxLength: 40 }), (cuts) => {
      const reader = new Responses();
      const ends = [...cuts.toSorted((a, b) => a - b), said.length];
      const parts = ends.flatMap((end, at) => reader.take(Buffer.from(said).subarray(ends[at - 1] ?? 0, end)));
      expect(parts).toEqual(whole);
    }),
  );
});

test("what a message contains is never taken for what the server says", () => {
  const responses = new Responses().take(Buffer.from(said));
  expect(responses.map(({ text }) => text.replaceAll("\0", "…"))).toContain("a01 OK done");
  expect(responses.flatMap((each) => fetchedIn(each) ?? [])).toEqual([
    { uid: 9, receivedAt: new Date("2026-11-01T09:00:00Z"), bytes: Buffer.from(body) },
    { uid: 10, receivedAt: undefined, bytes: Buffer.alloc(0) },
  ]);
  expect([codeIn(responses, "UIDVALIDITY"), codeIn(responses, "UIDNEXT"), uidsIn(responses)]).toEqual([
    17,
    undefined,
    [1, 2, 3],
  ]);
});

test("a short message may come as a quoted string", () => {
  const [response] = new Responses().take(Buffer.from('* 1 FETCH (UID 1 BODY[]<0> "a \\"b\\" \\\\")\r\n'));
  expect(response && fetchedIn(response)?.bytes.toString()).toBe('a "b" \\');
});
