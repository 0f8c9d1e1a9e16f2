import type { AuthenticationResponseJSON } from "@simplewebauthn/server";
import * as passkeys from "../../../db/access/passkeys";
import * as passkeyChallenges from "../../../db/access/passkey-challenges";
import { sha256 } from "../secrets";
import { expectations, type Needs, relyingParty, webauthn } from "./relying-party";

/** What the browser needs to sign in with any passkey of this service. */
export async function authenticationOptions(needs: Needs) {
  const options = await (
    await webauthn()
  ).generateAuthenticationOptions({
    rpID: relyingParty(needs),
    userVerification: "required",
  });
  await passkeyChallenges.issueChallenge(needs.db, { hash: sha256(options.challenge) }, needs.now());
  return options;
}

/** Whose passkey signed, and the counter it is at now; undefined when the signature does not prove it. */
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
