import { afterEach, expect, test } from "bun:test";
import { loadConfig } from "../../src/config";
import { openMail } from "../../src/mail/open";
import { startProvider } from "./resend-process";

const afterwards: (() => unknown)[] = [];
afterEach(async () => {
  for (const stop of afterwards.splice(0).reverse()) await stop();
});

test("a provider in a process of its own: mishaps by chance, and every address counted once", async () => {
  const mishaps = { seed: 7, serverError: 0.1, lost: 0.1, reset: 0.1, unreadable: 0.1 };
  const fake = await startProvider({ mishaps, refused: "^bad" });
  afterwards.push(fake.stop);
  const { provider } = openMail({
    config: loadConfig({ APP_SECRET: "a".repeat(32), ...fake.env }),
    now: () => new Date(),
  });
  const letter = { from: "site@x.example", subject: "News", html: "<p>News</p>", text: "News", headers: {} };
  const send = async (key: string, to: string) => {
    for (;;) {
      const { kind } = await provider.sendBatch([{ ...letter, to }], key);
      if (kind !== "unknown") return kind;
    }
  };
  const people = Array.from({ length: 60 }, (_, i) => `r${i}@example.com`);
  const kinds = await Promise.all(people.map((to) => send(to, to)));
  expect(new Set(kinds)).toEqual(new Set(["accepted"]));
  expect(await send("bad", "bad@example.com")).toBe("refused");
  const { answers, counts } = await fake.report();
  expect(counts).toEqual(Object.fromEntries(people.map((to) => [to, 1])));
  expect(answers).toMatchObject({
    accepted: expect.any(Number),
    reset: expect.any(Number),
    validation_error: expect.any(Number),
  });
  await fake.set({ mishaps: {}, ahead: 25 * 3_600_000 });
  expect(await send("r0@example.com", "r0@example.com")).toBe("accepted");
  expect((await fake.report()).counts["r0@example.com"]).toBe(2); // a day later the key is forgotten
});
