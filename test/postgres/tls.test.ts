import { afterAll, beforeAll, expect, test } from "bun:test";
import { connect, createServer, type AddressInfo } from "node:net";
import { join } from "node:path";
import { TLSSocket } from "node:tls";
import { sql } from "drizzle-orm";
import { openDb } from "../../db/open";
import { reached } from "../../src/boot/data";
import { certificate, certificateKey } from "../support/providers/certificate";
import { open } from "../support/postgres/databases";
import { temporaryFolder } from "../support/processes";

const folder = temporaryFolder();
const authority = join(folder.path, "authority.pem");
const server = new URL(process.env.TEST_DATABASE_URL ?? "");

/** Encrypts connections to the server, as PostgreSQL does with `ssl = on`. */
const listener = createServer((near) => {
  near.on("error", () => near.destroy());
  near.once("data", () => {
    near.write("S"); // yes, to the client's SSLRequest
    const secure = new TLSSocket(near, { isServer: true, cert: certificate, key: certificateKey });
    const far = connect(Number(server.port), server.hostname);
    for (const socket of [secure, far]) socket.on("error", () => (secure.destroy(), far.destroy()));
    secure.pipe(far).pipe(secure);
  });
});
beforeAll(async () => {
  await Bun.write(authority, certificate);
  await new Promise<void>((listening) => listener.listen(0, "127.0.0.1", listening));
});
afterAll(() => {
  listener.close();
  folder[Symbol.dispose]();
});

test("a certificate of an unknown authority is refused, and so is one for another host name", async () => {
  const [name] = await (await openDb("tls")).read((orm) => orm.values<[string]>(sql`select current_database()`));
  const { port } = listener.address() as AddressInfo;
  const openAt = (host: string, options: string) => {
    const url = Object.assign(new URL(server), { host: `${host}:${port}`, pathname: `/${name}` });
    return reached(open(`${url.href}?sslmode=verify-full${options}`));
  };
  const known = `&sslrootcert=${authority}`;
  const refusal = "The certificate of the PostgreSQL database is not valid";
  await expect(openAt("localhost", "")).rejects.toThrow(refusal);
  await expect(openAt("0.0.0.0", known)).rejects.toThrow(refusal);
  const db = await openAt("localhost", known);
  await db.probe();
  await db.close();
});
