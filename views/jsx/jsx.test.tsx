import { expect, test } from "bun:test";
import { type Child, Fragment, jsx, raw, render } from "./jsx-runtime";

const hostile = [
  "<script>alert(1)</script>",
  "<img src=x onerror=alert(1)>",
  "</title><svg onload=alert(1)>",
  "&lt;b&gt;",
  '"><img src=x>',
  "' onmouseover='alert(1)",
  "<!--",
  "]]>",
  "\u0000<b>",
];

test.each(hostile)("text and attributes are escaped: %p", (text) => {
  const inside = String(<p>{text}</p>);
  expect(inside.slice(3, -4)).not.toMatch(/[<>]/);
  const attribute = String(<input title={text} />);
  expect(attribute).toMatch(/^<input title="[^"]*"\/?>$/);
});

test("an attribute is read back as it was written, including ampersands", () => {
  expect(String(<a title={'AT&amp;T "x"'}>x</a>)).toBe('<a title="AT&amp;amp;T &#34;x&#34;">x</a>');
});

test("children are rendered, and only markup is markup", () => {
  const child: Child = ["a & b", 1, 2n, null, undefined, false, <b>c</b>, [raw("<hr>")]];
  expect(render(child)).toBe("a &amp; b12<b>c</b><hr>");
  expect(String(<Fragment>{child}</Fragment>)).toBe("a &amp; b12<b>c</b><hr>");
});

test("an object that looks like an element is not one: what came as JSON stays text, or fails", () => {
  const forged = JSON.parse('{"html":"<script>"}') as Child;
  expect(() => render(forged)).toThrow(TypeError);
  expect(() => render(new Date() as unknown as Child)).toThrow(TypeError);
  expect(() => jsx("input", { frame: { manager: "Ada" } })).toThrow("frame is an object, which no attribute is");
});

test.each(["a b", "a>b", 'a"', "a=b", "", "1a", "a/b", "a\nb", "<a"])("no attribute is called %p", (name) => {
  expect(() => jsx("p", { [name]: "x" })).toThrow("Bad attribute name");
});

test.each(["onclick", "ONLOAD", "onmouseover", "hx-on:click", "hx-on::after-request"])("no handler: %s", (name) => {
  expect(() => jsx("p", { [name]: "alert(1)" })).toThrow("Inline handler");
});

test.each([
  "javascript:alert(1)",
  "JaVaScRiPt:alert(1)",
  " \n javascript:alert(1)",
  "java\tscript:alert(1)",
  "java\nscript:alert(1)",
  "\u0001javascript:alert(1)",
  "vbscript:x",
  "data:text/html,<script>alert(1)</script>",
])("no link runs a script: %p", (url) => {
  for (const name of ["href", "src", "action", "formaction", "HREF"])
    expect(String(jsx("a", { [name]: url }))).toBe(`<a ${name}="#"></a>`);
});

test.each(["/a?b=1&c=2", "https://example.com/", "mailto:a@example.com", "#x", "javascript.html"])(
  "an honest link stays: %s",
  (url) => {
    expect(String(<a href={url}>x</a>)).toBe(`<a href="${url.replace("&", "&amp;")}">x</a>`);
  },
);

test("script and style take no children", () => {
  expect(() => jsx("script", { children: "alert(1)" })).toThrow(TypeError);
  expect(() => jsx("style", { children: "*{}" })).toThrow(TypeError);
  expect(String(<script src="/assets/app.js" />)).toBe('<script src="/assets/app.js"></script>');
});

test("void elements are not closed, and true and false attributes are there or not", () => {
  expect(String(<input disabled required={false} />)).toMatch(/^<input disabled\/?>$/);
  expect(String(<br />)).toMatch(/^<br\/?>$/);
});

test("a text box begins with its text, also where that begins with a line end", () => {
  for (const text of ["\n\nb", "\r\nb", "b\n", ""]) {
    const [, html = ""] = /^<textarea>([^]*)<\/textarea>$/.exec(String(<textarea>{text}</textarea>)) ?? [];
    expect(html.replace(/\r\n?/g, "\n").replace(/^\n/, "")).toBe(text.replace(/\r\n?/g, "\n"));
  }
});
