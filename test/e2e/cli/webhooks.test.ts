import { expect, test } from "bun:test";
import { postroom, startService } from "../../support/processes";
import { webhookReceiver } from "../../support/webhooks";
import { within } from "../../support/within";
import { cliService, rows } from "./service";

test("an endpoint is added, pinged by the running server, and removed; what cannot be one is refused", async () => {
  using at = cliService();
  const receiver = webhookReceiver();
  const env = { ...receiver.env, LOG_LEVEL: "error" };
  const run = (...args: string[]) => postroom(at.dataDir, ["webhooks", ...args], env);
  const added = await run("add", receiver.url, "--events=post.published,message.received", "--with-people");
  const [[id = "", secret = ""] = []] = rows(added.out);
  expect(secret).toMatch(/^whsec_[\w+/]{43}=$/);
  receiver.secrets.push(secret);
  const listed = await run("list");
  expect(rows(listed.out)).toEqual([
    [id, "127.0.0.1", receiver.url, "on", "post.published,message.received", "with people", "not failing"],
  ]);
  expect(listed.out).not.toContain(secret);

  const service = await startService(at.dataDir, env);
  const arrived = Promise.withResolvers<string>();
  receiver.answer = ({ id: delivery, type }) => (arrived.resolve(`${delivery} ${type}`), 204);
  const [[delivery = ""] = []] = rows((await run("ping", id)).out);
  expect(await within(arrived.promise, "the call of the endpoint")).toBe(`${delivery} ping`);
  await service.end();

  for (const url of ["http://example.com/", "https://127.0.0.2/", "nonsense"])
    expect(await run("add", url)).toMatchObject({ code: 1, out: "" });
  expect((await run("add", "https://example.com/", "--events=post.read")).err).toContain("Unknown event “post.read”.");
  expect((await run("remove", id)).out).toBe(`${id}\t127.0.0.1\tremoved\n`);
  expect(await run("ping", id)).toMatchObject({ code: 1 });
  await receiver.stop();
});
