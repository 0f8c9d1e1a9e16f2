import { expect, test } from "bun:test";
import { set } from "../support/settings";
import { unsubscribeLink } from "../../src/security/links";
import { testService } from "../support/service";

test("the links in emails open in the language that another process has just set", async () => {
  const [one, two] = [await testService({}, "language"), await testService({}, "language")];
  const { pathname, search } = new URL(unsubscribeLink(two.config, "ada@example.com"));
  for (const path of [pathname + search, "/api/newsletter/leave", "/api/newsletter/confirm"])
    for (const language of ["de", "fr"]) {
      await set(one.db, "language", language, { by: "cli" }, one.now());
      expect(await (await two.get(path)).text()).toContain(`<html lang="${language}">`);
    }
});
