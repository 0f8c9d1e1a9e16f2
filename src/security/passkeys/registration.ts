import type { RegistrationResponseJSON } from "@simplewebauthn/server";
import * as passkeys from "../../../db/access/passkeys";
import type { SignedIn } from "../../../db/access/sessions";
import { sha256 } from "../secrets";
import { expectations, type Needs, relyingParty, webauthn } from "./relying-party";

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
