/** Makes a provider's message safe to store and log: no secret or token, a single line, not too long. */
export const redactor =
  (...secrets: string[]) =>
  (text: string): string =>
    secrets
      .filter(Boolean)
      .reduce((rest, secret) => rest.replaceAll(secret, "…"), text.slice(0, maxReadCharacters))
      .replace(/token=[\w-]+/gi, "token=…")
      .replace(/\p{Cc}+/gu, " ")
      .slice(0, 300);

const maxReadCharacters = 10_000;
