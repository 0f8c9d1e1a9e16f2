/** A curl command of the documentation as a request: its URL, method, headers and body. */
export function requestOf(command: string): { url: string; init: RequestInit } {
  const headers = new Headers();
  for (const [, name = "", value = ""] of command.matchAll(/-H ["']([\w-]+): ([^\n]*)["'](?: \\)?$/gm))
    headers.set(name, value.replace("$(uuidgen)", crypto.randomUUID()));
  const [, method = "GET"] = /-X (\w+)/.exec(command) ?? [];
  const [, body] = /-d '([^\n]*)'$/m.exec(command) ?? [];
  if (body !== undefined && !headers.has("content-type"))
    headers.set("content-type", "application/x-www-form-urlencoded");
  const [, url = ""] = /'(https?:[^']*)'/.exec(command) ?? [];
  return { url, init: { method, headers, redirect: "manual", ...(body !== undefined && { body }) } };
}
