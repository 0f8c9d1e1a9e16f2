/*
 * htmx 4.0.1 passes a second argument to Document.parseHTMLUnsafe. Chromium up to 146 rejects that, and would never
 * swap anything in; without the function htmx uses DOMParser.
 */
try {
  Reflect.apply(Document.parseHTMLUnsafe, Document, ["", {}]);
} catch {
  Reflect.deleteProperty(Document, "parseHTMLUnsafe");
}

// Chromium 143 often shows no icons when their file comes from its cache. Naming the file again is enough.
addEventListener("load", () => {
  const uses = [...document.querySelectorAll<SVGUseElement>(".icon use")];
  const isEmpty = (use: SVGUseElement) => use.checkVisibility() && !use.getBBox().width && !use.getBBox().height;
  if (uses.some(isEmpty)) for (const use of uses) use.setAttribute("href", use.getAttribute("href") ?? "");
});
export {};
