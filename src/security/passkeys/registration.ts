import type { RegistrationResponseJSON } from "@simplewebauthn/server";
import * as passkeys from "../../../db/access/passkeys";
import * as passkeyChallenges from "../../../db/access/passkey-challenges";
import type { SignedIn } from "../../../db/access/sessions/sessions";
import { sha256 } from "../secrets";
import { expectations, type Needs, relyingParty, webauthn } from "./relying-party";

/** What the browser needs to make a passkey for this manager. */
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
  await passkeyChallenges.issueChallenge(
    needs.db,
    { hash: sha256(options.challenge), subject: session.id },
    needs.now(),
  );
  return options;
}

/** The passkey in the browser's answer, or undefined when it does not prove one. */
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
 * Whether no certificates come with the passkey. We ask for none, so browsers send none; to check those that somebody
 * made himself, the library would fetch their revocation lists from any address they name.
 */
async function isPlain({ response }: RegistrationResponseJSON): Promise<boolean> {
  const { decodeAttestationObject, isoBase64URL } = await import("@simplewebauthn/server/helpers");
  const attestation = decodeAttestationObject(isoBase64URL.toBuffer(response.attestationObject));
  const format = attestation.get("fmt");
  return format === "none" || (format === "packed" && attestation.get("attStmt").get("x5c") === undefined);
}
