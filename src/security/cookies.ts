/** The prefix makes browsers reject the cookie without Secure, for other paths, or from another host. */
const attributes = "Path=/; HttpOnly; Secure; SameSite=Lax";

/** Returns a Set-Cookie value. For loopback addresses, browsers accept it without TLS too. */
export const setCookie = (name: `__Host-${string}`, value: string, seconds: number) =>
  `${name}=${value}; ${attributes}; Max-Age=${seconds}`;

/** Returns the Set-Cookie value that deletes the cookie. It needs the same attributes, or browsers ignore it. */
export const dropCookie = (name: `__Host-${string}`) => setCookie(name, "", 0);

/** Returns the cookie of this name. If there are two, it returns neither, because someone else may have set one. */
export function readCookie(request: Request, name: string): string | undefined {
  const [value, ...more] = (request.headers.get("cookie") ?? "")
    .split(";")
    .map((pair) => pair.trim())
    .filter((pair) => pair.startsWith(`${name}=`))
    .map((pair) => pair.slice(name.length + 1));
  return more.length ? undefined : value;
}
