import type { Shot } from "./requests";

/** A request as a shell command, byte for byte, for a service on this machine. */
export function curl({ method, path, headers, body }: Pick<Shot, "method" | "path" | "headers" | "body">): string {
  const parts = ["curl -i", method === "HEAD" ? "--head" : `-X ${method}`, quoted(`http://localhost:3000${path}`)];
  for (const [name, value] of Object.entries(headers))
    parts.push("-H", quoted(value ? `${name}: ${value}` : `${name};`));
  if (body !== undefined) parts.push("--data-binary", quoted(body));
  return parts.join(" ");
}

/** In the quotes of bash that take any byte. */
function quoted(text: string | Uint8Array): string {
  const bytes = typeof text === "string" ? Buffer.from(text) : text;
  return `$'${[...bytes].map(escaped).join("")}'`;
}

const escaped = (byte: number) => {
  const character = String.fromCharCode(byte);
  if (character === "'" || character === "\\") return `\\${character}`;
  return byte >= 32 && byte < 127 ? character : `\\x${byte.toString(16).padStart(2, "0")}`;
};
