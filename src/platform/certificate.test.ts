import { expect, test } from "bun:test";
import { certificate, certificateKey } from "../../test/support/providers/certificate";
import { freePort } from "../../test/support/processes";
import { certificateValidity, daysUntil } from "./certificate";

test("the validity of a certificate is read whoever issued it, and no answer is an error", async () => {
  const tls = { cert: certificate, key: certificateKey };
  const server = Bun.serve({ port: 0, hostname: "127.0.0.1", tls, fetch: () => new Response("") });
  const [start, end] = [new Date("2020-01-01T00:00:00Z"), new Date("2120-01-01T00:00:00Z")];
  expect(await certificateValidity("127.0.0.1", Number(server.port))).toEqual({ start, end });
  await server.stop(true);
  await expect(certificateValidity("127.0.0.1", freePort())).rejects.toThrow();
  expect([daysUntil(end, new Date("2119-12-30T23:00:00Z")), daysUntil(end, new Date("2120-01-01T01:00:00Z"))]).toEqual([
    1, -1,
  ]);
});
