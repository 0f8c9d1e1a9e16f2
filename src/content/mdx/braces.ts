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
