/** The prefix makes browsers refuse the cookie without Secure, for other paths, or from another host. */
const attributes = "Path=/; HttpOnly; Secure; SameSite=Lax";

/** A Set-Cookie value. Of loopback addresses browsers take it without TLS as well. */
export const setCookie = (name: `__Host-${string}`, value: string, seconds: number) =>
  `${name}=${value}; ${attributes}; Max-Age=${seconds}`;

/** Takes the cookie back: with the same attributes, or browsers ignore it. */
export const dropCookie = (name: `__Host-${string}`) => setCookie(name, "", 0);

/** The cookie of this name, read by hand and as it is. Two of them are none: somebody else may have set one. */
export function readCookie(request: Request, name: string): string | undefined {
  const [value, ...more] = (request.headers.get("cookie") ?? "")
    .split(";")
    .map((pair) => pair.trim())
    .filter((pair) => pair.startsWith(`${name}=`))
    .map((pair) => pair.slice(name.length + 1));
  return more.length ? undefined : value;
}
