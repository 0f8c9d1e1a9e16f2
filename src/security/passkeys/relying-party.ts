import * as passkeyChallenges from "../../../db/access/passkeys";
import type { Db } from "../../../db/engine/open";
import type { Config } from "../../platform/config";
import { ownOrigins } from "../same-origin";
import { sha256 } from "../secrets";

export type Needs = { config: Config; db: Db; now: () => Date };

/** Loaded on first use: it is the largest package, and most requests never need it. */
export const webauthn = () => import("@simplewebauthn/server");

/** The host that passkeys belong to: that of BASE_URL. Under any other host name, browsers refuse them. */
export const relyingParty = ({ config }: Needs) => new URL(config.BASE_URL).hostname;

/**
 * What a response must match: a challenge of ours that has not been answered, signed on our own page, with a
 * fingerprint or PIN.
 */
export const expectations = (needs: Needs, subject?: string) => ({
  expectedChallenge: (challenge: string) =>
    passkeyChallenges.redeemChallenge(needs.db, { hash: sha256(challenge), ...(subject && { subject }) }, needs.now()),
  expectedOrigin: ownOrigins(needs.config.BASE_URL),
  expectedRPID: relyingParty(needs),
  requireUserVerification: true,
});
