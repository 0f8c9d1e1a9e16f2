import { expect, test } from "bun:test";
import { testService } from "../../test/support/service";

test("a field of a form with files is the text that was typed, even if it looks like JSON", async () => {
  const { send, signIn } = await testService();
  const { headers, token } = await signIn();
  const form = new FormData();
  for (const [name, value] of Object.entries({ email: "nobody", name: '{"a":[1]}', source: "[1]" }))
    form.set(name, value);
  form.set("_token", token);
  const response = await send("/dashboard/newsletter", { method: "POST", body: form, headers });
  const text = await response.text();
  expect(response.status).toBe(422);
  expect(text).toContain('value="{&#34;a&#34;:[1]}"');
  expect(text).toContain('value="[1]"');
});
