import { Fragment } from "../jsx/jsx-runtime";

const address = /https:\/\/[^\s<>"“”]+/g;
const sentenceEnd = /[.,;:!?'’)\]}]+$/;

/**
 * Text somebody else wrote, with its https addresses as links and everything else as it is. The words of a link are
 * always its address, and one that hides another host behind an @ stays text.
 */
export function Linked({ text }: { text: string }) {
  const parts = [];
  let end = 0;
  for (const { 0: found, index } of text.matchAll(address)) {
    const url = trimmed(found);
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

/** Without the punctuation of the sentence around it; a bracket that was opened inside belongs to it. */
const trimmed = (found: string) =>
  found.replace(sentenceEnd, (marks) => (marks.startsWith(")") && found.includes("(") ? ")" : ""));

function isPlain(url: string): boolean {
  if (!URL.canParse(url)) return false;
  const { username, password, hostname } = new URL(url);
  return !username && !password && hostname.includes(".");
}
