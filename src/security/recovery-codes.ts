import { randomBytes } from "node:crypto";
import { base32 } from "./totp";

/** Ten codes for when the authenticator app is lost: 50 random bits each, without letters that look alike. */
export const newRecoveryCodes = () =>
  Array.from({ length: 10 }, () => base32(randomBytes(7)).slice(0, 10).replace(/^.{5}/, "$&-").toLowerCase());

/** Normalises a recovery code as typed to the form that is hashed. */
export const plainRecoveryCode = (typed: string) => typed.toLowerCase().replace(/[^a-z2-7]/g, "");
