/*
 * htmx 4.0.1 passes a second argument to Document.parseHTMLUnsafe. Chromium up to 146 rejects that, and would never
 * swap anything in; without the function htmx uses DOMParser.
 */
try {
  Reflect.apply(Document.parseHTMLUnsafe, Document, ["", {}]);
} catch {
  Reflect.deleteProperty(Document, "parseHTMLUnsafe");
}
export {};
