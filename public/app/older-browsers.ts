/*
 * htmx 4.0.1 hands Document.parseHTMLUnsafe a second argument. Chromium up to 146 refuses that, and would swap nothing
 * in, ever; without the function htmx takes DOMParser.
 */
try {
  Reflect.apply(Document.parseHTMLUnsafe, Document, ["", {}]);
} catch {
  Reflect.deleteProperty(Document, "parseHTMLUnsafe");
}
export {};
