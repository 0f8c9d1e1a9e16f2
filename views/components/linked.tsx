import { Fragment } from "../jsx/jsx-runtime";

const address = /https:\/\/[^\s<>"“”]+/g;
const sentenceMarks = new Set(".,;:!?'’)]}");

/**
 * A stranger's text, with its https URLs as links and everything else unchanged. A link's text is always its URL; one
 * that hides another host behind an @ stays text.
 */
export function Linked({ text }: { text: string }) {
  const parts = [];
  let end = 0;
  for (const { 0: match, index } of text.matchAll(address)) {
    const url = trimmed(match);
    if (!isPlain(url)) continue;
    parts.push(
      text.slice(end, index),
      <a href={url} rel="noopener noreferrer nofollow" target="_blank">
        {url}
      </a>,
    );
    end = index + url.length;
  }
  return <Fragment>{[...parts, text.slice(end)]}</Fragment>;
}

/** Removes the punctuation of the sentence around it; a bracket that was opened inside belongs to it. */
function trimmed(link: string): string {
  let end = link.length;
  while (end > 0 && sentenceMarks.has(link.charAt(end - 1))) end--;
  return link.slice(0, end) + (link.charAt(end) === ")" && link.includes("(") ? ")" : "");
}

function isPlain(url: string): boolean {
  if (!URL.canParse(url)) return false;
  const { username, password, hostname } = new URL(url);
  return !username && !password && hostname.includes(".");
}
