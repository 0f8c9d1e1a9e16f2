import { expect, test } from "bun:test";
import { testService } from "../../../test/support/service";
import { set } from "../../../test/support/settings";
import { aboutTime, durationOf } from "./run";

test.each([
  [60, "Less than a minute"],
  [61, "About 2 minutes"],
  [600, "About 10 minutes"],
  [601, "About 15 minutes"],
  [3_600, "About 60 minutes"],
  [3_601, "About 1.25 hours"],
  [14_400, "About 4 hours"],
  [14_401, "About 5 hours"],
  [172_800, "About 48 hours"],
  [172_801, "About 3 days"],
])("%i seconds are said as %j", (seconds, text) => {
  expect(aboutTime(seconds)).toBe(text);
});

test("how long sending takes names the slower of the provider's limit and ours", async () => {
  const { db, now } = await testService();
  const duration = (name: string, perSecond: number, people = 7_200) =>
    durationOf({ db, mail: { provider: { name, maxBatch: 100 }, pace: { perSecond } } } as never, people);
  await set(db, "broadcastEmailsPerHour", "0", { by: "ada@example.com" }, now());
  expect(await duration("simulated", 2)).toBe("A moment: emails are simulated");
  expect(await duration("smtp", 2)).toBe("As fast as your mail server accepts");
  expect(await duration("resend", 2)).toBe("Less than a minute, at 200 a second, as fast as the provider allows");
  expect(await duration("resend", 0.004)).toBe("About 5 hours, at 1 a second, as fast as the provider allows");
  await set(db, "broadcastEmailsPerHour", "3600", { by: "ada@example.com" }, now());
  const ours = "About 2 hours, at 3,600 an hour, which is your limit";
  expect([await duration("smtp", 2), await duration("resend", 2)]).toEqual([ours, ours]);
  expect(await duration("resend", 0.01)).toBe("About 2 hours, at 1 a second, as fast as the provider allows");
});
