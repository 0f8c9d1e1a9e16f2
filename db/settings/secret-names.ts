import { normalized } from "../lib/normalize";

const secretWords =
  /secret|token|passw|passphrase|passcode|private|credential|bearer|(api|access|auth|client|encryption|signing|master|service)key/;
const secretEndings = new Set(["key", "pass", "pwd", "pat", "jwt", "dsn", "salt", "pin", "otp", "totp"]);
const publicKeys = /(site|public)key$/; // keys that sites show to everyone

/** Whether the name of a setting suggests a secret: "smtpPassword", "STRIPE_API-KEY". */
export function looksSecret(name: string): boolean {
  const words = normalized(name, "NFKC")
    .replace(/([a-z0-9])(?=[A-Z])/g, "$1 ")
    .toLowerCase()
    .split(/[^a-z0-9]+/)
    .filter(Boolean);
  const joined = words.join("");
  return secretWords.test(joined) || (secretEndings.has(words.at(-1) ?? "") && !publicKeys.test(joined));
}
