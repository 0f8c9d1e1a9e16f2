import { afterEach, expect, test } from "bun:test";
import { loadConfig } from "../../../src/platform/config";
import { openMail } from "../../../src/mail/open";
import { startProvider } from "./resend-process";
import { startSmtpServer } from "./smtp-process";

const afterwards: (() => unknown)[] = [];
afterEach(async () => {
  for (const stop of afterwards.splice(0).reverse()) await stop();
});

const letter = { from: "site@x.example", subject: "News", html: "<p>News</p>", text: "News", headers: {} };
const configOf = (env: Record<string, string>) => loadConfig({ APP_SECRET: "a".repeat(32), ...env });

test("a provider in a process of its own: mishaps by chance, and every address counted once", async () => {
  const mishaps = { seed: 7, serverError: 0.1, lost: 0.1, reset: 0.1, unreadable: 0.1 };
  const fake = await startProvider({ mishaps, refused: "^bad" });
  afterwards.push(fake.stop);
  const { provider } = openMail({ config: configOf(fake.env), now: () => new Date() });
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
  expect((await fake.report()).counts["r0@example.com"]).toBe(2); // after a day the key is forgotten
});

test("an SMTP server in a process of its own: each address has the result it was given", async () => {
  const server = await startSmtpServer({ bounced: "^gone", lost: 0.3, reset: 0.3 });
  afterwards.push(server.stop);
  const { provider, pace } = openMail({ config: configOf(server.env), now: () => new Date() });
  afterwards.push(provider.close);
  const people = Array.from({ length: 40 }, (_, i) => `r${i}@example.com`);
  const outcomes = await Promise.all(people.map((to) => provider.send({ ...letter, to }, to)));
  expect(await provider.send({ ...letter, to: "gone@example.com" }, "gone")).toMatchObject({ reason: "bounced" });
  const { counts } = await server.report();
  for (const [i, { kind }] of outcomes.entries())
    if (kind === "accepted") expect(counts[people[i] ?? ""]).toBe(1);
    else expect([kind, (counts[people[i] ?? ""] ?? 0) <= 1]).toEqual(["unknown", true]);
  expect(new Set(outcomes.map(({ kind }) => kind)).size).toBe(2);
  expect(pace.pausedUntil).toBeUndefined();
});
