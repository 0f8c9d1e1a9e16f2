/** Makes a message of the provider fit to be stored and logged: no secret, no token, one line, not long. */
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
