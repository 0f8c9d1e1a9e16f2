/**
 * JSX that is safe by default: every string child and attribute is escaped; only `raw()` is not.
 *
 * Kita supplies the attribute serializer and the HTML types; this file supplies the rule. A test (src/imports.test.ts)
 * lists the files that may call `raw(`.
 */
import { attributesToString, escapeHtml, isVoidElement } from "@kitajs/html";
import type {} from "@kitajs/html/jsx-runtime";
/// <reference types="@kitajs/html/htmx.d.ts" />

/** HTML that this runtime produced, or that `raw()` vouched for. */
class Markup {
  constructor(readonly html: string) {}
  toString() {
    return this.html;
  }
}

/** Vouches for HTML made elsewhere. Never with anything a person typed. */
export const raw = (html: string) => new Markup(html);

export type Child = Markup | string | number | bigint | boolean | null | undefined | readonly Child[];
type Component = (props: never) => Markup | null;
type Attributes = Record<string, unknown> & { children?: Child };

const attributeName = /^[A-Za-z_:][\w:.@-]*$/;
const urlAttributes = new Set(["href", "src", "action", "formaction", "poster", "cite", "data"]);
const scriptUrl = /^(javascript|data|vbscript):/i;
const unseen = /[\u0000-\u0020]/g; // browsers skip some of these inside a scheme and all of them before it

export function jsx(tag: string | Component, props: Attributes): Markup | null {
  if (typeof tag === "function") return tag(props as never);
  const { children, ...attributes } = props;
  if ((tag === "script" || tag === "style") && children !== undefined)
    throw new TypeError(`<${tag}> takes no children: code comes from a file`);
  for (const name in attributes) attributes[name] = checked(name, attributes[name]);
  const open = `<${tag}${attributesToString(attributes)}>`;
  if (isVoidElement(tag)) return new Markup(open);
  const inside = render(children);
  const dropped = tag === "textarea" && /^[\r\n]/.test(inside) ? "\n" : ""; // HTML drops one line feed there
  return new Markup(`${open}${dropped}${inside}</${tag}>`);
}
export { jsx as jsxs, jsx as jsxDEV };

export const Fragment = ({ children }: { children?: Child }) => new Markup(render(children));

export function render(child: Child): string {
  if (child === null || child === undefined || typeof child === "boolean") return "";
  if (child instanceof Markup) return child.html;
  if (typeof child === "string") return escapeHtml(child);
  if (typeof child === "number" || typeof child === "bigint") return String(child);
  if (Array.isArray(child)) return child.map(render).join("");
  throw new TypeError(`Cannot render a ${typeof child}`);
}

/** Kita escapes the quotation mark; ampersands, names and URL schemes are checked here. */
function checked(name: string, value: unknown): unknown {
  if (!attributeName.test(name)) throw new TypeError("Bad attribute name");
  if (/^(on|hx-on)/i.test(name)) throw new TypeError(`Inline handler ${name}`);
  if (typeof value === "object" && value !== null) throw new TypeError(`${name} is an object, which no attribute is`);
  if (typeof value !== "string") return value;
  if (urlAttributes.has(name.toLowerCase()) && scriptUrl.test(value.replace(unseen, ""))) return "#";
  return value.replaceAll("&", "&amp;").replaceAll("<", "&lt;");
}

type KitaElements = globalThis.JSX.IntrinsicElements;
type Safe<T> = {
  [K in keyof T as K extends "children" | "safe" | `on${string}` ? never : K]: T[K];
} & { children?: Child };

export namespace JSX {
  export type Element = Markup | null;
  export type ElementType = string | Component;
  export type IntrinsicElements = { [K in keyof KitaElements]: Safe<KitaElements[K]> } & {
    "hx-partial": { children?: Child } & { [K in `hx-${string}`]: string };
  };
  export interface ElementChildrenAttribute {
    children: unknown;
  }
}
