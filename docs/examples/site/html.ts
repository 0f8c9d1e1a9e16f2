/** HTML that needs no more escaping. */
class Html {
  constructor(readonly text: string) {}
}
type Child = Html | string | number | false | null | undefined | readonly Child[];

/** Vouches for HTML. Never with anything that a visitor typed. */
export const raw = (text: string) => new Html(text);

const entities: Record<string, string> = { "&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;", "'": "&#39;" };

function render(child: Child): string {
  if (child === false || child === null || child === undefined) return "";
  if (child instanceof Html) return child.text;
  if (typeof child === "object") return child.map(render).join("");
  return String(child).replace(/[&<>"']/g, (character) => entities[character] ?? "");
}

/** A template whose values are escaped. */
export const html = (strings: TemplateStringsArray, ...values: Child[]) =>
  new Html(strings.map((text, i) => text + render(values[i])).join(""));

export type { Html };
