/**
 * Returns the offset after the brace that closes the one at `start`, or undefined if there is none. JavaScript is not
 * parsed, only its strings, templates and comments are recognised: braces inside them close nothing.
 */
export function endOfBraces(source: string, start: number): number | undefined {
  const open: ("{" | "`")[] = []; // the open contexts; a template contains braces that contain templates…
  let at = start;
  while (at < source.length) {
    const char = source[at];
    if (open.at(-1) === "`") {
      if (char === "\\") at++;
      else if (char === "`") open.pop();
      else if (source.startsWith("${", at)) open.push("{") && at++;
    } else if (char === "{" || char === "`") open.push(char);
    else if (char === "}") {
      open.pop();
      if (!open.length) return at + 1;
    } else at = endOfOpaque(source, at);
    at++;
  }
  return undefined;
}

/**
 * A string or a comment from its first to its last character; anything else is one character. Unclosed ones are skipped
 * in one go too, so that nothing is read twice.
 */
const opaque = /"(?:[^"\\\n]|\\.)*"|'(?:[^'\\\n]|\\.)*'|\\.|\/\/.*|\/\*(?:[^]*?\*\/|[^]*)/y;

function endOfOpaque(source: string, at: number): number {
  opaque.lastIndex = at;
  return opaque.test(source) ? opaque.lastIndex - 1 : at;
}

/** A property as written: `type="warn"` has the value `warn`, `{count}` has `{count}`, `open` alone has none. */
export type Prop = { name: string; value?: string };
export type Tag = { name: string; props: Prop[]; end: number } & (
  { kind: "open" } | { kind: "close" } | { kind: "whole" }
);
export type Fault = { message: string; offset: number };

const space = /\s*/y;
const name =
  /[$_\p{ID_Start}][$\-\u200c\u200d\p{ID_Continue}]*(?:[.:][$_\p{ID_Start}][$\-\u200c\u200d\p{ID_Continue}]*)*/uy;
const quoted = /"[^"]*"|'[^']*'/y;

const fault = (message: string, offset: number): Fault => ({ message, offset });
const isFault = (value: object): value is Fault => "message" in value;

function take(pattern: RegExp, source: string, at: number): string | undefined {
  pattern.lastIndex = at;
  return pattern.exec(source)?.[0];
}

const past = (source: string, at: number) => at + (take(space, source, at)?.length ?? 0);

/** Returns the tag that begins with the `<` at `start`, or what is wrong with it and where. */
export function tagAt(source: string, start: number): Tag | Fault {
  const misread = lookalike(source, start);
  if (misread) return fault(misread, start);
  const isClose = source[start + 1] === "/";
  let at = start + (isClose ? 2 : 1);
  const called = take(name, source, at) ?? ""; // a fragment has no name
  at = past(source, at + called.length);
  const props: Prop[] = [];
  while (at < source.length) {
    if (source[at] === ">") return { kind: isClose ? "close" : "open", name: called, props, end: at + 1 };
    if (isClose) return fault(`</${called} must be followed by “>”.`, at);
    if (source.startsWith("/>", at)) return { kind: "whole", name: called, props, end: at + 2 };
    const read = propAt(source, at, called);
    if (isFault(read)) return read;
    props.push(read.prop);
    at = past(source, read.end);
  }
  return fault(`<${called} is incomplete: “>” is missing.`, start);
}

function propAt(source: string, at: number, tag: string): { prop: Prop; end: number } | Fault {
  if (source[at] === "{") {
    const end = endOfBraces(source, at);
    if (!end) return fault("This { is never closed.", at);
    return { prop: { name: source.slice(at, end) }, end };
  }
  const called = take(name, source, at);
  if (!called) return fault(`Unexpected “${source.slice(at, at + 1)}” in <${tag}>. Expected a property or “>”.`, at);
  const equals = past(source, at + called.length);
  if (source[equals] !== "=") return { prop: { name: called }, end: at + called.length };

  const from = past(source, equals + 1);
  const text = take(quoted, source, from);
  if (text) return { prop: { name: called, value: text.slice(1, -1) }, end: from + text.length };
  const end = source[from] === "{" ? endOfBraces(source, from) : undefined;
  if (end) return { prop: { name: called, value: source.slice(from, end) }, end };
  if (/["'{]/.test(source[from] ?? "")) return fault(`The value of “${called}” is never closed.`, from);
  return fault(`The value of “${called}” needs quotes or braces.`, from);
}

/** Markdown syntax that MDX does not support. */
function lookalike(source: string, start: number): string | undefined {
  if (source.startsWith("<!--", start)) return "MDX does not support <!-- comments -->. Use {/* … */}.";
  const rest = source.slice(start, start + 200);
  const address = /^<([a-z][a-z0-9+.-]+:[^\s<>]*|[^\s<>@/]+@[^\s<>]+)>/i.exec(rest)?.[1];
  if (address && /[@/]/.test(address)) return "MDX does not support <links>. Use [text](URL).";
  if (!/^<\/?[$_\p{ID_Start}>]/u.test(rest))
    return "MDX reads “<” as the start of a component. To show the character, write \\<.";
  return undefined;
}
