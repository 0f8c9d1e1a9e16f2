import type { AuthenticationResponseJSON } from "@simplewebauthn/server";
import * as passkeys from "../../../db/access/passkeys";
import { sha256 } from "../secrets";
import { expectations, type Needs, relyingParty, webauthn } from "./relying-party";

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
  const found = await passkeys.find(needs.db, response.id);
  if (!found) return;
  const { id, publicKey, counter } = found.passkey;
  const { verifyAuthenticationResponse } = await webauthn();
  const result = await verifyAuthenticationResponse({
    response,
    ...expectations(needs),
    credential: { id, publicKey: new Uint8Array(publicKey), counter },
  }).catch(() => undefined);
  if (!result?.verified) return;
  return { id, manager: found.manager, counter: result.authenticationInfo.newCounter };
}
