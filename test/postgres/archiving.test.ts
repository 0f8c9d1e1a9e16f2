import { expect, test } from "bun:test";
import { testService } from "../support/service";

test("the overview says whose task backups are, and whether the write-ahead log is archived", async () => {
  const { post, signIn } = await testService();
  await post("/api/newsletter/subscribe", { email: "ada@example.com" });
  const page = (await (await (await signIn()).get("/dashboard")).text()).replace(/<[^>]+>/g, "").replace(/\s+/g, " ");
  expect(page).toContain(
    "Backups of the PostgreSQL database are made by its operator. It does not archive its write-ahead log.",
  );
});
