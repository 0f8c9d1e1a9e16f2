import * as passkeyChallenges from "../../db/access/passkeys";
import type { Db } from "../../db/engine/open";
import type { Config } from "../platform/config";
import { ownOrigins } from "./forgery";
import { sha256 } from "./secrets";
import type { AuthenticationResponseJSON, RegistrationResponseJSON } from "@simplewebauthn/server";
import * as passkeys from "../../db/access/passkeys";
import type { SignedIn } from "../../db/access/sessions";

type Needs = { config: Config; db: Db; now: () => Date };

/** Loaded on first use: it is the largest package, and most requests never need it. */
const webauthn = () => import("@simplewebauthn/server");

/** The host that passkeys belong to: that of BASE_URL. Under any other host name, browsers refuse them. */
const relyingParty = ({ config }: Needs) => new URL(config.BASE_URL).hostname;

/**
 * What a response must match: a challenge of ours that has not been answered, signed on our own page, with a
 * fingerprint or PIN.
 */
const expectations = (needs: Needs, subject?: string) => ({
  expectedChallenge: (challenge: string) =>
    passkeyChallenges.redeemChallenge(needs.db, { hash: sha256(challenge), ...(subject && { subject }) }, needs.now()),
  expectedOrigin: ownOrigins(needs.config.BASE_URL),
  expectedRPID: relyingParty(needs),
  requireUserVerification: true,
});

/** Returns what the browser needs to create a passkey for this manager. */
export async function registrationOptions(needs: Needs, { manager, session }: SignedIn) {
  const options = await (
    await webauthn()
  ).generateRegistrationOptions({
    rpName: "Postroom",
    rpID: relyingParty(needs),
    userName: manager.email,
    userDisplayName: manager.name,
    userID: new Uint8Array(Buffer.from(manager.id)),
    excludeCredentials: (await passkeys.list(needs.db, manager.id)).map(({ id }) => ({ id })),
    authenticatorSelection: { residentKey: "required", userVerification: "required" },
  });
  await passkeys.issueChallenge(needs.db, { hash: sha256(options.challenge), subject: session.id }, needs.now());
  return options;
}

/** Returns the passkey in the browser's response; undefined if the response does not prove one. */
export async function register(needs: Needs, { session }: SignedIn, response: RegistrationResponseJSON) {
  if (!(await isPlain(response).catch(() => false))) return;
  const { verifyRegistrationResponse } = await webauthn();
  const result = await verifyRegistrationResponse({
    response,
    ...expectations(needs, session.id),
  }).catch(() => undefined);
  if (!result?.verified) return;
  const { id, publicKey, counter, transports = [] } = result.registrationInfo.credential;
  return { id, publicKey: Buffer.from(publicKey), counter, transports };
}

/**
 * Whether the passkey comes without certificates. We request none, so browsers send none. To check certificates that
 * someone made up, the library would fetch revocation lists from any URL they name.
 */
async function isPlain({ response }: RegistrationResponseJSON): Promise<boolean> {
  const { decodeAttestationObject, isoBase64URL } = await import("@simplewebauthn/server/helpers");
  const attestation = decodeAttestationObject(isoBase64URL.toBuffer(response.attestationObject));
  const format = attestation.get("fmt");
  return format === "none" || (format === "packed" && attestation.get("attStmt").get("x5c") === undefined);
}

/** Returns what the browser needs to sign in with any passkey of this service. */
export async function authenticationOptions(needs: Needs) {
  const options = await (
    await webauthn()
  ).generateAuthenticationOptions({
    rpID: relyingParty(needs),
    userVerification: "required",
  });
  await passkeys.issueChallenge(needs.db, { hash: sha256(options.challenge) }, needs.now());
  return options;
}

/** Returns whose passkey signed, and its current counter; undefined if the signature is not valid. */
export async function authenticate(needs: Needs, response: AuthenticationResponseJSON) {
  const registered = await passkeys.find(needs.db, response.id);
  if (!registered) return;
  const { id, publicKey, counter } = registered.passkey;
  const { verifyAuthenticationResponse } = await webauthn();
  const result = await verifyAuthenticationResponse({
    response,
    ...expectations(needs),
    credential: { id, publicKey: new Uint8Array(publicKey), counter },
  }).catch(() => undefined);
  if (!result?.verified) return;
  return { id, manager: registered.manager, counter: result.authenticationInfo.newCounter };
}
