import { expect, test } from "bun:test";
import * as subscribers from "../../db/newsletter/subscribers";
import { testService } from "../support/service";
import { acceptedOf, forgedToken } from "./forged-tokens";
import { everything } from "../support/look";

test("none of 2,000 forged tokens is accepted (S8)", () => {
  expect(acceptedOf(2_000)).toBe(0);
});

test("over HTTP each of 2,000 forged links gets the same page, whatever address it names, and changes nothing (S8)", async () => {
  const { db, get, post } = await testService();
  await post("/api/newsletter/subscribe", { email: "ada@example.com" });
  const before = await everything(db);
  const answers = new Set<string>();
  for (let i = 0; i < 2_000; i++) {
    const email = i % 2 ? "ada@example.com" : `stranger${i}@example.com`;
    const answer = await get(`/api/newsletter/unsubscribe?${new URLSearchParams({ email, token: forgedToken(i) })}`);
    answer.headers.delete("x-request-id");
    answers.add(JSON.stringify([answer.status, [...answer.headers], await answer.text()]));
  }
  expect(answers.size).toBe(1);
  expect([...answers][0]).toStartWith("[400,");
  expect(await everything(db)).toEqual(before);
  expect(await subscribers.byEmail(db, "ada@example.com")).toMatchObject({ state: "active" });
});
