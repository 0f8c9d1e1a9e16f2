/**
 * What an API key may be allowed to do, in the order of forms and documents. `src/openapi/guides/keys.md` says what
 * each lets it read and change; a route names the one that it needs (`security: needs(…)` in `src/api`), and
 * `src/security/require-api-key.ts` asks for it.
 */
export const scopes = [
  "content:read",
  "settings:read",
  "files:read",
  "files:write",
  "newsletter:read",
  "newsletter:write",
  "visitors",
] as const;
export type Scope = (typeof scopes)[number];

/** What a key without scopes may do: everything that keys could do before there were scopes, and nothing since. */
export const scopesOfBefore: readonly Scope[] = ["content:read", "settings:read", "files:read", "files:write"];

export const bitOf = (scope: Scope): number => 1 << scopes.indexOf(scope);

/** The scopes as bits, so that a request is checked with one operation. Who may write subscribers may read them. */
export function bitsOf(allowed: readonly Scope[] | null): number {
  const bits = (allowed ?? scopesOfBefore).reduce((sum, scope) => sum | bitOf(scope), 0);
  return bits & bitOf("newsletter:write") ? bits | bitOf("newsletter:read") : bits;
}
