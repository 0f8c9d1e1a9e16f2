import { expect, test } from "bun:test";
import { testService } from "../../test/support/service";
import { banner } from "./banner";

test("the banner says where the data is, and not the password of a database", async () => {
  const deps = await testService();
  expect(await banner(deps, "http://127.0.0.1:3000")).toContain(`Data       ${deps.config.DATA_DIR}`);
  const config = { ...deps.config, DATABASE_URL: "postgres://ada:secret@db.example.com/postroom" };
  const shared = await banner({ ...deps, config }, "http://127.0.0.1:3000");
  expect(shared).toContain("Data       PostgreSQL, by DATABASE_URL\n");
  expect(shared).not.toContain("secret");
});
