import { expect, test } from "bun:test";
import { createHash, createSign, generateKeyPairSync, randomBytes } from "node:crypto";
import * as managers from "../../../db/access/managers";
import * as passkeys from "../../../db/access/passkeys";
import { nextPeer, testService } from "../../../test/support/service";
import { look } from "../../../test/support/look";

const path = "/dashboard/account/passkeys";
const here = "http://localhost:3000";
const own = { "sec-fetch-site": "same-origin", "content-type": "application/json" };

const sha256 = (bytes: Buffer | string) => createHash("sha256").update(bytes).digest();
const base64url = (bytes: Buffer) => bytes.toString("base64url");
const counterBytes = (n: number) => Buffer.from([0, 0, 0, n]);

/** A security key in software: ES256, no attestation (WebAuthn level 3, sections 6.1, 6.5 and 7). */
function securityKey({ origin = here, flags = 0x05 }: { origin?: string; flags?: number } = {}) {
  const { privateKey, publicKey } = generateKeyPairSync("ec", { namedCurve: "P-256" });
  const { x = "", y = "" } = publicKey.export({ format: "jwk" });
  const id = randomBytes(32);
  let counter = 0;
  const rpIdHash = sha256("localhost");
  const clientData = (type: string, challenge: string) =>
    Buffer.from(JSON.stringify({ type, challenge, origin, crossOrigin: false }));
  const credential = (response: Record<string, string | string[]>) => ({
    id: base64url(id),
    rawId: base64url(id),
    type: "public-key",
    clientExtensionResults: {},
    response,
  });

  return {
    create(challenge: string) {
      const coseKey = Buffer.concat([
        Buffer.from("a5010203262001215820", "hex"),
        Buffer.from(x, "base64url"),
        Buffer.from("225820", "hex"),
        Buffer.from(y, "base64url"),
      ]);
      const attested = Buffer.concat([Buffer.alloc(16), Buffer.from([0, id.length]), id, coseKey]);
      const authData = Buffer.concat([rpIdHash, Buffer.from([flags | 0x40]), counterBytes(counter), attested]);
      const attestationObject = Buffer.concat([
        Buffer.from("a363666d74646e6f6e656761747453746d74a06861757468446174615900", "hex"),
        Buffer.from([authData.length]),
        authData,
      ]);
      return credential({
        clientDataJSON: base64url(clientData("webauthn.create", challenge)),
        attestationObject: base64url(attestationObject),
        transports: ["usb"],
      });
    },
    get(challenge: string) {
      const authenticatorData = Buffer.concat([rpIdHash, Buffer.from([flags]), counterBytes(++counter)]);
      const clientDataJSON = clientData("webauthn.get", challenge);
      const signed = createSign("sha256").update(authenticatorData).update(sha256(clientDataJSON)).sign(privateKey);
      return credential({
        clientDataJSON: base64url(clientDataJSON),
        authenticatorData: base64url(authenticatorData),
        signature: base64url(signed),
      });
    },
  };
}

async function service() {
  const made = await testService();
  const { send, signIn } = made;
  const owner = await signIn();
  const post = (to: string, content: unknown, headers: Record<string, string> = own, peer = nextPeer()) =>
    send(to, { method: "POST", body: JSON.stringify(content), headers }, peer);
  const asOwner = { ...owner.headers, ...own, "x-form-token": owner.token };
  const challenge = async (to: string, headers?: Record<string, string>) =>
    ((await (await post(to, {}, headers)).json()) as { challenge: string }).challenge;
  const add = async (key: ReturnType<typeof securityKey>, name = "Key ring") =>
    post(path, { response: key.create(await challenge(`${path}/challenge`, asOwner)), name }, asOwner);
  const enter = async (key: ReturnType<typeof securityKey>) =>
    post("/dashboard/sign-in/passkey", {
      response: key.get(await challenge("/dashboard/sign-in/passkey/challenge")),
      next: "/dashboard/contact",
    });
  return { ...made, add, asOwner, challenge, enter, owner, post };
}

test("a passkey is added, signs in without password and two-step verification, and is removed", async () => {
  const { add, db, enter, get, owner } = await service();
  const key = securityKey();
  const added = await add(key);
  expect([added.status, await added.json()]).toEqual([201, { location: "/dashboard/account" }]);
  expect(await (await owner.get("/dashboard/account")).text()).toContain("Key ring");
  await look(db, "update managers set totp_secret = 'sealed'");

  const entered = await enter(key);
  expect([entered.status, await entered.json()]).toEqual([200, { location: "/dashboard/contact" }]);
  expect(await look(db, "select kind, recipient from outbox")).toEqual([
    { kind: "sign-in", recipient: owner.manager.email }, // from a browser that is new
  ]);
  const cookie = entered.headers.getSetCookie()[0]?.split(";")[0] ?? "";
  expect((await get("/dashboard/account", { cookie })).status).toBe(200);

  const [{ id }] = (await look(db, "select id from passkeys")) as [{ id: string }];
  expect((await owner.submit(`${path}/${id}/remove`)).status).toBe(303);
  expect((await enter(key)).status).toBe(422);
});

test("removing a passkey is asked first, as everything that cannot be undone; someone else’s is not named", async () => {
  const { add, db, owner, signIn } = await service();
  await add(securityKey());
  const [{ id }] = (await look(db, "select id from passkeys")) as [{ id: string }];
  expect(await (await owner.get("/dashboard/account")).text()).toMatch(/>\s*Remove…\s*<\/a>/);
  const question = await (await owner.get(`${path}/${id}/remove`)).text();
  for (const words of ["Remove “Key ring”?", "This cannot be undone.", "Remove passkey"])
    expect(question).toContain(words);
  expect(await look(db, "select id from passkeys")).toEqual([{ id }]);
  const other = await signIn({ email: "bo@example.com" });
  expect((await other.get(`${path}/${id}/remove`)).status).toBe(303);
});

test("a passkey whose registration was under way when the password changed is not added", async () => {
  const { db, now, owner } = await service();
  const key = { id: "key", publicKey: Buffer.from([1]), counter: 0, transports: [], name: "Intruder's" };
  const device = { hash: "new", address: "127.0.0.1", userAgent: null, isKnown: true };
  const by = { actor: owner.manager.email };
  expect(
    await managers.changePassword(db, { checked: owner.manager, passwordHash: "another hash" }, device, now()),
  ).toBeDefined();
  expect(await passkeys.add(db, { manager: owner.manager, passkey: key }, by, now())).toBeUndefined();
  const changed = await managers.byId(db, owner.manager.id);
  expect(changed && (await passkeys.add(db, { manager: changed, passkey: key }, by, now()))).toMatchObject({
    managerId: owner.manager.id,
  });
});

test("a response works once, and only to one of our challenges", async () => {
  const { add, challenge, clock, post } = await service();
  const key = securityKey();
  await add(key);
  const asked = await challenge("/dashboard/sign-in/passkey/challenge");
  const response = key.get(asked);
  const send = async (answer: unknown) => (await post("/dashboard/sign-in/passkey", { response: answer })).status;
  expect([await send(response), await send(response), await send(key.get(asked))]).toEqual([200, 422, 422]);
  expect(await send(key.get(base64url(randomBytes(32))))).toBe(422);
  const late = await challenge("/dashboard/sign-in/passkey/challenge");
  clock.time += 5 * 60_000;
  expect(await send(key.get(late))).toBe(422);
});

test.each([
  ["signed on another site", securityKey({ origin: "https://evil.example" })],
  ["without fingerprint or PIN", securityKey({ flags: 0x01 })],
])("refused: %s", async (_, key) => {
  const { add } = await service();
  expect((await add(key)).status).toBe(422);
});

test.each([
  ["android-key", "a363666d746b616e64726f69642d6b65796761747453746d74a16378356381430a0b0c"],
  ["packed", "a363666d74667061636b65646761747453746d74a16378356381430a0b0c"],
  ["nothing at all", "a0"],
])("an attestation with certificates is rejected before any of it is parsed: %s", async (_, start) => {
  const { asOwner, challenge, post } = await service();
  const asked = await challenge(`${path}/challenge`, asOwner);
  const plain = securityKey().create(asked);
  const object = Buffer.from(plain.response.attestationObject?.toString() ?? "", "base64url");
  const authData = object.subarray(object.indexOf("hauthData"));
  const attestationObject = base64url(Buffer.concat([Buffer.from(start, "hex"), authData]));
  const certified = { ...plain, response: { ...plain.response, attestationObject } };
  expect((await post(path, { response: certified, name: "x" }, asOwner)).status).toBe(422);
  expect((await post(path, { response: plain, name: "x" }, asOwner)).status).toBe(201); // the challenge is still there
});

test("an unknown key, a changed signature and garbage are rejected alike", async () => {
  const { add, challenge, enter, post } = await service();
  const key = securityKey();
  await add(key);
  expect((await enter(securityKey())).status).toBe(422);
  const bent = key.get(await challenge("/dashboard/sign-in/passkey/challenge"));
  bent.response.signature = base64url(randomBytes(70));
  for (const content of [{ response: bent }, {}, { response: { id: "x" } }, [], "x"]) {
    const answer = await post("/dashboard/sign-in/passkey", content);
    expect([answer.status, answer.headers.getSetCookie()]).toEqual([422, []]);
  }
});

test("adding one requires a recently entered password and a challenge of the same session", async () => {
  const { asOwner, challenge, clock, post, signIn } = await service();
  const key = securityKey();
  const bob = await signIn({ email: "bob@example.com" });
  const bobs = await challenge(`${path}/challenge`, { ...own, ...bob.headers, "x-form-token": bob.token });
  expect((await post(path, { response: key.create(bobs), name: "x" }, asOwner)).status).toBe(422);
  const forSignIn = await challenge("/dashboard/sign-in/passkey/challenge");
  expect((await post(path, { response: key.create(forSignIn), name: "x" }, asOwner)).status).toBe(422);
  clock.time += 15 * 60_000;
  expect((await post(`${path}/challenge`, {}, asOwner)).status).toBe(403);
});

test("a passkey is renamed by its own manager, in 1 to 60 characters, and the audit log has both names", async () => {
  const { add, db, owner, signIn } = await service();
  await add(securityKey());
  const [{ id }] = (await look(db, "select id from passkeys")) as [{ id: string }];
  const bob = await signIn({ email: "bob@example.com" });
  await bob.submit(`${path}/${id}/rename`, { name: "Bob’s now" });
  await owner.submit(`${path}/${id}/rename`, { name: " " });
  await owner.submit(`${path}/${id}/rename`, { name: "x".repeat(61) });
  expect(await look(db, "select name from passkeys")).toEqual([{ name: "Key ring" }]);

  const renamed = await owner.submit(`${path}/${id}/rename`, { name: "  Desk drawer " });
  expect([renamed.status, renamed.headers.get("location")]).toEqual([303, "/dashboard/account#passkeys"]);
  expect(await (await owner.get("/dashboard/account")).text()).toContain("Passkey renamed to “Desk drawer”.");
  const told = (await (await owner.get("/dashboard/audit")).text()).replace(/<[^>]+>/g, "");
  expect(told).toContain("renamed the passkey Key ring to Desk drawer");
});

test("no one removes another manager's passkey", async () => {
  const { add, db, enter, signIn } = await service();
  const key = securityKey();
  await add(key);
  const [{ id }] = (await look(db, "select id from passkeys")) as [{ id: string }];
  const bob = await signIn({ email: "bob@example.com" });
  await bob.submit(`${path}/${id}/remove`);
  expect((await enter(key)).status).toBe(200);
});

test("a passkey that is removed while its signature is verified signs nobody in", async () => {
  const { db, now } = await testService();
  const device = { hash: "x", address: "192.0.2.1", userAgent: null, isKnown: false };
  expect(await passkeys.signIn(db, { id: "removed", counter: 1 }, device, now())).toBeUndefined();
});

test("challenges are rate-limited", async () => {
  const { post } = await service();
  const peer = nextPeer();
  const statuses = [];
  for (let i = 0; i < 31; i++)
    statuses.push((await post("/dashboard/sign-in/passkey/challenge", {}, own, peer)).status);
  expect([statuses.slice(0, 30).every((status) => status === 200), statuses[30]]).toEqual([true, 429]);
});
