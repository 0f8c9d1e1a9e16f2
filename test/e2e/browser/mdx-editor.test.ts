import { afterAll, afterEach, beforeAll, expect, setDefaultTimeout, test } from "bun:test";
import { join } from "node:path";
import type { BrowserContextOptions, Locator, Page } from "playwright-core";
import { save as saveProject } from "../../../db/projects/projects";
import { contentOf, dropFiles, eventually, focusOn, openStage, settled, type Stage, until } from "./stage";
import { violations } from "./axe";
import { testPassword } from "../../support/service";
import { look } from "../../support/look";
import { temporaryFolder } from "../../support/processes";
import { draw } from "../../support/storage/pictures";
import { store } from "../../support/storage/stored-files";
import { testTimeoutMs } from "../../support/within";

setDefaultTimeout(testTimeoutMs);

const folder = temporaryFolder();
let stage: Stage;
beforeAll(async () => {
  stage = await openStage();
  await stage.storage.nodes.open();
  stage.clock.time = Date.now(); // the node's clock is the real one
});
afterAll(() => stage.close());
afterAll(() => folder[Symbol.dispose]());
afterEach(() => expect(stage.complaints.splice(0)).toEqual([]));

/** The editor of a new draft, with the caret at the end of this text. */
async function write(content = "", options: BrowserContextOptions = {}): Promise<Page> {
  const { headers } = await stage.owner.submit("/dashboard/posts/new", { title: "A draft", content });
  const page = await stage.open(headers.get("location") ?? "", options);
  await page.locator("#content.cm-content").press("Control+End");
  await until(() => page.evaluate<boolean>(isAtEnd)); // the editor scrolls there a frame later
  return page;
}
const isAtEnd = `(() => {
  const node = getSelection().focusNode;
  const line = (node?.nodeType === Node.TEXT_NODE ? node.parentElement : node)?.closest(".cm-line");
  return line === [...document.querySelectorAll(".cm-line")].at(-1) && line.getBoundingClientRect().top < innerHeight;
})()`;
const close = (page: Page) => page.close({ runBeforeUnload: false });
const press = async (page: Page, ...keys: string[]) => {
  for (const key of keys) await page.keyboard.press(key);
};

/** Pastes over everything, as another program copied it. */
async function pasteOver(page: Page, copied: Record<string, string>): Promise<string> {
  await page.locator("#content").press("Control+a");
  await paste(page, `for (const [type, text] of ${JSON.stringify(Object.entries(copied))}) data.setData(type, text);`);
  return contentOf(page);
}

/** Pastes what this script puts into `data`. */
const paste = (page: Page, script: string) =>
  page.evaluate(`(() => {
    const data = new DataTransfer();
    ${script}
    const event = new ClipboardEvent("paste", { bubbles: true, cancelable: true });
    Object.defineProperty(event, "clipboardData", { value: data }); // Firefox's constructor takes none
    document.activeElement.dispatchEvent(event);
  })()`);

/** An upload that fails is tried again after 4 s in all, instead of 15. What screen readers are told stays for 4 s, too. */
const withoutPauses = (page: Page) =>
  page.evaluate(`(() => {
    const wait = setTimeout;
    globalThis.setTimeout = (act, ms, ...rest) => wait(act, [1000, 2000, 8000].includes(ms) ? ms / 100 : ms, ...rest);
  })()`);

type Focusable = { focus(options: { preventScroll: boolean }): void };

/** One grey pixel. */
const pixel = Buffer.from(
  "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mOor6//DwAFhAKAjM1mJgAAAABJRU5ErkJggg==",
  "base64",
);
const picture = `data.items.add(new File([Uint8Array.from(atob("${pixel.toString("base64")}"), (sign) => sign.charCodeAt(0))], "low (water).png", { type: "image/png" }));`;

test("marks are hidden, except where the caret is", async () => {
  const page = await write("Late to the **sea**, said [the master](https://a.example).\n\n## Then\n\n- [ ] rain\n");
  await page.locator("#title").focus();
  const shown = page.locator("#content").filter({ hasText: "Late to the sea, said the master." });
  await shown.waitFor();
  expect(await page.locator(".md-h2").textContent()).toBe("Then");
  await page.locator(".md-strong").click();
  await page.locator("#content").filter({ hasText: "**sea**, said the master." }).waitFor();
  await page.locator(".md-task").click();
  await eventually(() => contentOf(page), expect.stringContaining("- [x] rain"));
  await close(page);
});

test("axe finds nothing in a long text of everything, in the dark on a phone", async () => {
  const text = `# One\n\n**two** _three_ ~~four~~ \`five\` [six](https://a.example) {seven} <Eight />\n
- nine\n- [x] ten\n\n> eleven\n\n\`\`\`ts\nconst twelve = 12;\n\`\`\`\n\n| 13 | 14 |\n|---|---|\n| 15 | 16 |\n\n![](https://a.example/17.png)\n\n`;
  const page = await write(text.repeat(5), { viewport: { width: 390, height: 844 }, colorScheme: "dark" });
  expect(await violations(page)).toEqual([]);
  await page.locator("#title").focus();
  await page.locator(".md-chip").first().waitFor();
  expect(await violations(page)).toEqual([]);
  await close(page);
});

test("lists and quotes go on with Enter, end on an empty item, and are indented with Tab", async () => {
  const page = await write();
  await page.keyboard.type("- one\ntwo\n");
  await press(page, "Tab");
  await page.keyboard.type("inner\n\n");
  await page.keyboard.type("three\n\nAfter\n\n8. eight\nnine\n\n- [x] done\nnot yet\n\n> said\nagain");
  expect(await contentOf(page)).toBe(
    "- one\n- two\n  - inner\n- three\n\nAfter\n\n8. eight\n9. nine\n\n- [x] done\n- [ ] not yet\n\n> said\n> again",
  );
  await close(page);
});

test("Escape, then Tab leaves a list", async () => {
  const page = await write("- one");
  await press(page, "Tab");
  expect(await contentOf(page)).toBe("  - one");
  await press(page, "Shift+Tab", "Escape", "Tab");
  expect(await focusOn(page, "tool-bold")).toBe("tool-bold");
  expect(await contentOf(page)).toBe("- one");
  await close(page);
});

test("Tab goes from cell to cell of a table, from the last one to a new row, and Shift+Tab back out of it", async () => {
  const page = await write();
  await page.keyboard.type("/table");
  await page.getByRole("option", { name: "Table" }).waitFor();
  await press(page, "Enter");
  await page.keyboard.type("Fish");
  await press(page, "Tab");
  await page.keyboard.type("Weight");
  await press(page, "Tab");
  await page.keyboard.type("a\\|b");
  await press(page, "Tab", "Tab");
  await page.keyboard.type("cod");
  const cells = "| Fish | Weight |\n| --- | --- |\n| a\\|b |  |\n| cod |  |";
  expect(await contentOf(page)).toBe(cells);
  await press(page, "Shift+Tab", "Shift+Tab", "Shift+Tab");
  await page.keyboard.type("Kilos"); // over what was there
  expect(await contentOf(page)).toBe(cells.replace("Weight", "Kilos"));
  await press(page, "Shift+Tab", "Shift+Tab");
  await page.locator("#content:focus").waitFor({ state: "detached" });
  await close(page);
});

test("Tab gives a table in a list a row of its own depth, and lines that are no table none", async () => {
  const table = "1. Fish\n\n   | a | b |\n   | - | - |\n   | c | d |";
  const page = await write(table);
  await page.keyboard.press("Control+End");
  await press(page, "ArrowLeft", "ArrowLeft", "Tab");
  await page.keyboard.type("e");
  expect(await contentOf(page)).toBe(`${table}\n   | e |  |`);
  await close(page);
  const lines = "| one |\n| two |";
  const other = await write(lines);
  await press(other, "Control+End", "Tab");
  expect(await focusOn(other, "tool-bold")).toBe("tool-bold");
  expect(await contentOf(other)).toBe(lines);
  await close(other);
});

test("what is typed after Code block was chosen is code", async () => {
  const page = await write();
  await page.keyboard.type("/code");
  await page.getByRole("option", { name: "Code block" }).waitFor();
  await press(page, "Enter");
  await page.keyboard.type("let fish = 1;");
  expect(await contentOf(page)).toBe("```\nlet fish = 1;\n```");
  await close(page);
});

test("a slash at the beginning of a line opens a menu of what can be inserted", async () => {
  const page = await write();
  await page.keyboard.type("/");
  const options = page.getByRole("listbox", { name: "Insert" }).getByRole("option");
  await options.first().click({ trial: true }); // it is in sight
  expect(await violations(page)).toEqual([]);
  await press(page, "ArrowDown", "ArrowDown", "ArrowUp");
  await eventually(() => page.locator("#content").getAttribute("aria-activedescendant"), "slash-menu-1");
  await page.keyboard.type("task");
  await eventually(() => options.allTextContents(), ["Task list"]);
  await press(page, "Enter");
  await page.keyboard.type("rain\n\n/");
  await options.first().waitFor();
  await press(page, "Escape");
  await options.first().waitFor({ state: "detached" });
  await page.keyboard.type(" and/or");
  expect(await contentOf(page)).toBe("- [ ] rain\n\n/ and/or");
  await close(page);
});

test("formatted text is pasted as Markdown, an address over words as a link, cells as a table", async () => {
  const page = await write();
  const document = `<meta charset="utf-8"><style>p { color: red }</style><b style="font-weight:normal" id="docs">
    <h2>Low {water}</h2><p style="margin:0">A <b>bold</b> <a href="https://a.example">one</a> &lt;3,
    <a href="javascript:alert(1)">bad</a><img src="data:image/png;base64,AA"></p>
    <ul><li>One<ul><li>In</li></ul></li><li><p>Two</p></li></ul><ol start="3"><li>x</li></ol></b>`;
  expect(await pasteOver(page, { "text/html": document, "text/plain": "no" })).toBe(
    "## Low \\{water\\}\n\nA **bold** [one](https://a.example) \\<3, bad\n\n- One\n  - In\n- Two\n\n3. x",
  );
  const sheet = "<table><tr><td>a|b</td><td>c</td></tr><tr><td>1</td><td><i>2</i></td></tr></table>";
  expect(await pasteOver(page, { "text/html": sheet, "text/plain": "a|b\tc\n1\t2\n" })).toBe(
    "| a\\|b | c |\n| --- | --- |\n| 1 | _2_ |",
  );
  expect(await pasteOver(page, { "text/plain": "a\tb\n1\t2\n" })).toBe("| a | b |\n| --- | --- |\n| 1 | 2 |");
  expect(await pasteOver(page, { "text/html": "<span>just *so*</span>", "text/plain": "just *so*" })).toBe("just *so*");
  expect(await pasteOver(page, { "text/plain": "https://a.example/?q=1" })).toBe("[just *so*](https://a.example/?q=1)");
  await close(page);
});

test("find and replace, by keyboard, changes what it says and nothing else", async () => {
  const page = await write("Rain, rain, [train](/rain).");
  await press(page, "Control+f");
  await page.keyboard.type("rain");
  await page.getByText("4 matches").waitFor();
  expect(await violations(page)).toEqual([]);
  await press(page, "Enter");
  await page.getByText("1 of 4").waitFor();
  await page.getByLabel("Match case").check();
  await page.getByText("3 matches").or(page.getByText(/of 3/)).first().waitFor();
  await page.getByLabel("Replace with").fill("snow");
  expect(await contentOf(page)).toBe("Rain, rain, [train](/rain).");
  await page.getByRole("button", { name: "Replace all" }).click();
  await eventually(() => contentOf(page), "Rain, snow, [tsnow](/snow).");
  await press(page, "Escape");
  expect(await focusOn(page, "content")).toBe("content");
  await press(page, "Control+z");
  await eventually(() => contentOf(page), "Rain, rain, [train](/rain).");
  await close(page);
});

test("a pasted picture is uploaded to its place, and asks for its alternative text there", async () => {
  const page = await write("Look:\n\n");
  await paste(page, picture);
  const image = page.locator(".md-picture img");
  await image.waitFor({ state: "attached" });
  await page.keyboard.type("Low water");
  expect(await contentOf(page)).toMatch(/^Look:\n\n!\[Low water\]\(\/media\/[\w-]+\/low%20%28water%29\.png\)$/);
  await eventually(() => image.evaluate((each) => (each as unknown as { naturalWidth: number }).naturalWidth), 1);
  await close(page);
});

test("a picture uploaded from its dialog asks for its alternative text, and Enter there goes on below it", async () => {
  const page = await write("Look:\n\n");
  await page.locator("#tool-image").click();
  const file = { name: "quay.png", mimeType: "image/png", buffer: pixel };
  await page.locator("dialog [data-upload]").setInputFiles(file);
  await page.locator(".md-picture img").waitFor({ state: "attached" });
  expect(await focusOn(page, "content")).toBe("content");
  await page.keyboard.type("The quay");
  await press(page, "Enter");
  await page.keyboard.type("Then it rained.");
  const quay = /^Look:\n\n!\[The quay\]\(\/media\/[\w-]+\/quay\.png\)\n\nThen it rained\.$/;
  expect(await contentOf(page)).toMatch(quay);
  await close(page);
});

test("Enter in the text of a picture among words never breaks its source", async () => {
  const page = await write("Before ![A quay](/media/1/quay.png) and after.");
  await press(page, "Home", ...Array<string>(10).fill("ArrowRight"), "Enter");
  await page.keyboard.type("Below");
  expect(await contentOf(page)).toBe("Before ![A quay](/media/1/quay.png)\n\nBelow and after.");
  await close(page);
});

test("a click on the words for a missing alternative text begins it", async () => {
  const [id] = await store(stage, { filename: "empty.png", mimeType: "image/png", body: pixel });
  const page = await write(`![](/media/${id}/empty.png)\n\nBelow.`);
  await page.locator(".md-empty", { hasText: "Alternative text" }).click();
  await settled(page);
  await page.keyboard.type("A pixel");
  expect(await contentOf(page)).toBe(`![A pixel](/media/${id}/empty.png)\n\nBelow.`);
  await close(page);
});

test("a click anywhere in the line of a picture goes into its alternative text, never into the source that is out of sight", async () => {
  const [id] = await store(stage, { filename: "line.png", mimeType: "image/png", body: pixel });
  const page = await write(`![](/media/${id}/line.png)\n\nBelow.`);
  const type = async (offset: (width: number) => number, words: string) => {
    await page.locator(".cm-line", { hasText: "Below." }).click();
    const box = await page.locator(".md-empty, .md-caption").last().boundingBox();
    const { x, y, width, height } = box ?? { x: 0, y: 0, width: 0, height: 0 };
    await page.mouse.click(x + offset(width), y + height / 2);
    await settled(page);
    await page.keyboard.type(words);
    return contentOf(page);
  };
  expect(await type((width) => width - 2, "A pixel")).toBe(`![A pixel](/media/${id}/line.png)\n\nBelow.`);
  expect(await type((width) => width - 2, " alone")).toBe(`![A pixel alone](/media/${id}/line.png)\n\nBelow.`);
  expect(await type(() => 2, "Here: ")).toBe(`![Here: A pixel alone](/media/${id}/line.png)\n\nBelow.`);
  await close(page);
});

/** Keys on a picture's text between two words; `^` is where they end, once something is typed. */
const stays = "![A red pixel^](FILE)";
const insidePicture: [keys: string[], expected: string][] = [
  [["End"], stays],
  [["Home"], "![^A red pixel](FILE)"],
  [["End", "End"], stays],
  [["Home", "Home"], "![^A red pixel](FILE)"],
  [["End", "Shift+Home"], "![^](FILE)"],
  [["Home", "Shift+End"], "![^](FILE)"],
  [["Home", "Shift+End", "Delete"], "![^](FILE)"],
  [["Home", "Shift+End", "Backspace", "Backspace"], "^"],
  [["End", "Delete"], stays],
  [["End", "Control+Delete"], stays],
  [["Home", "Backspace"], "![^A red pixel](FILE)"],
  [["Home", "Control+Backspace"], "![^A red pixel](FILE)"],
  [["End", "Control+Backspace"], "![A red ^](FILE)"],
  [["Home", "Control+Delete"], "![^ red pixel](FILE)"],
  [["Home", "Control+ArrowRight", "Control+ArrowRight", "Control+ArrowRight"], stays],
  [["Home", "ArrowRight", "Enter"], "![A red pixel](FILE)\n\n^"],
  [["Home", "Enter"], "^\n\n![A red pixel](FILE)"],
  [["End", "Control+k"], stays],
];
/** The same from a line above and one below. */
const aroundPicture: [keys: string[], expected: string][] = [
  [["End", "ArrowRight"], "Above, longer than it.\n![A red pixel](FILE)\n^Below it."],
  [["End", "Control+ArrowRight"], `Above, longer than it.\n${stays}\nBelow it.`],
  [["Home", "ArrowLeft"], "Above, longer than it.^\n![A red pixel](FILE)\nBelow it."],
  [["Home", "Control+ArrowLeft"], "Above, longer than it.\n![^A red pixel](FILE)\nBelow it."],
  [["ArrowUp", "End", "ArrowDown"], `Above, longer than it.\n${stays}\nBelow it.`],
  [["ArrowDown", "Home", "ArrowUp"], "Above, longer than it.\n![^A red pixel](FILE)\nBelow it."],
  [["ArrowDown", "Home", "Backspace"], "Above, longer than it.\n![A red pixel](FILE)\n^Below it."],
  [["ArrowUp", "End", "Delete"], "Above, longer than it.^\n![A red pixel](FILE)\nBelow it."],
  [["Home", "Control+ArrowRight", "Control+Shift+End", "Delete"], "Above, longer than it.\n![A^](FILE)\n"],
  [["Control+Shift+KeyK", "Home"], "Above, longer than it.\n^Below it."],
  [["Alt+ArrowUp", "End"], `${stays}\nAbove, longer than it.\nBelow it.`],
  [["Alt+ArrowDown", "End"], `Above, longer than it.\nBelow it.\n${stays}`],
];

test.each([1280, 390])(
  "no key brings the caret, or what is typed, into the source of a picture, at %i pixels",
  async (width) => {
    const [id] = await store(stage, { filename: "keys.png", mimeType: "image/png", body: pixel });
    const page = await write("", { viewport: { width, height: 900 } });
    const reset = (content: string) =>
      page.evaluate(`document.querySelector("textarea[name=content]").value = ${JSON.stringify(content)}`);
    const after = async (content: string, keys: string[]) => {
      await reset(content.replace("FILE", `/media/${id}/keys.png`));
      await page.locator(".md-caption").click();
      await settled(page);
      await press(page, ...keys);
      await page.keyboard.type("^");
      return (await contentOf(page)).replace(`/media/${id}/keys.png`, "FILE");
    };
    const alone = "![A red pixel](FILE)";
    for (const [keys, expected] of insidePicture) expect([keys, await after(alone, keys)]).toEqual([keys, expected]);
    for (const keys of [["Control+End"], ["End", "ArrowRight"], ["Home", "ArrowDown"]])
      expect([keys, await after(alone, keys)]).toEqual([keys, stays]);
    for (const keys of [["Control+Home"], ["Home", "ArrowLeft"], ["End", "ArrowUp"]])
      expect([keys, await after(alone, keys)]).toEqual([keys, "![^A red pixel](FILE)"]);
    for (const [keys, expected] of aroundPicture)
      expect([keys, await after(`Above, longer than it.\n${alone}\nBelow it.`, keys)]).toEqual([keys, expected]);
    await close(page);
  },
);

test("what is pasted or typed into the text of a picture never breaks its source, and a picture goes below it", async () => {
  const [id] = await store(stage, { filename: "paste.png", mimeType: "image/png", body: pixel });
  const source = `(/media/${id}/paste.png)`;
  const page = await write(`![A pixel]${source}`);
  await press(page, "End");
  await page.keyboard.type(" [red]");
  expect(await contentOf(page)).toBe(`![A pixel (red)]${source}`);
  await paste(page, `data.setData("text/plain", " and\\nsmall");`);
  expect(await contentOf(page)).toBe(`![A pixel (red) and small]${source}`);
  await press(page, "Home");
  await paste(page, picture);
  await eventually(
    () => contentOf(page),
    expect.stringMatching(/^!\[A pixel \(red\) and small\]\(\S+paste\.png\)\n\n!\[\]\(\S+low\S*\.png\)$/),
  );
  await close(page);
});

test("a click below a picture that ends the text begins a paragraph there", async () => {
  const [id] = await store(stage, { filename: "last.png", mimeType: "image/png", body: pixel });
  const source = `![A pixel](/media/${id}/last.png)`;
  const page = await write(source);
  const below = async () => {
    const { x, y, height } = (await page.locator(".md-caption").boundingBox()) ?? { x: 0, y: 0, height: 0 };
    await page.mouse.click(x + 80, y + height + 30);
  };
  await below();
  await page.keyboard.type("Then it rained.");
  expect(await contentOf(page)).toBe(`${source}\n\nThen it rained.`);
  await page.locator(".md-caption").click(); // on the picture's own line, nothing is added
  expect(await contentOf(page)).toBe(`${source}\n\nThen it rained.`);
  await close(page);
});

test("a picture that cannot be uploaded says why, stays out of the text, and can be tried again", async () => {
  const page = await write("Look:");
  const path = "**/dashboard/storage/uploads";
  await page.route(path, (route) => route.fulfill({ status: 507, json: { message: "No storage node is free." } }));
  await paste(page, picture);
  await page.locator(".md-upload", { hasText: "low (water).png was not uploaded. No storage node is free." }).waitFor();
  expect(await contentOf(page)).toBe("Look:");
  await page.unroute(path);
  await page.getByRole("button", { name: "Try again" }).click();
  await eventually(() => contentOf(page), expect.stringMatching(/^Look:\n\n!\[\]\(\/media\//));
  await close(page);
});

/** Drops pictures of these names where this is, as a hand does. */
async function dropOn(page: Page, place: Locator, ...names: string[]): Promise<void> {
  const files = names.map((name) => join(folder.path, name));
  for (const file of files) if (!(await Bun.file(file).exists())) await Bun.write(file, pixel);
  await place.scrollIntoViewIfNeeded();
  const { x = 0, y = 0, height = 0 } = (await place.boundingBox()) ?? {};
  await dropFiles(page, files, { x: x + 4, y: y + height / 2 });
}
/** Waits until screen readers are told, which stays for 4 s: it is called before what is said can have gone again. */
const said = (page: Page, words: string) =>
  page.locator("#toasts", { hasText: words }).first().waitFor({ state: "attached" });

test("pictures that are dropped into the text go where they were dropped, in order, while the writing goes on", async () => {
  const page = await write("First.\n\nLast");
  const { promise: released, resolve: release } = Promise.withResolvers<void>();
  await page.route("**/dashboard/storage/uploads", async (route) => {
    await released;
    await route.continue();
  });
  const begun = said(page, "Uploading ebb.png, flow.png");
  await dropOn(page, page.locator(".cm-line").nth(1), "ebb.png", "flow.png");
  for (const name of ["ebb.png", "flow.png"])
    await page.getByRole("progressbar", { name: `Upload of ${name}` }).waitFor();
  await begun;
  expect(await violations(page)).toEqual([]);
  await page.keyboard.insertText(" words."); // at once: a pause while typing makes two steps of it
  expect(await contentOf(page)).toBe("First.\n\nLast words.");
  const ended = said(page, "flow.png is in the text.");
  release();
  const [one, two] = ["ebb", "flow"].map((name) => `!\\[\\]\\(/media/[\\w-]+/${name}\\.png\\)`);
  await eventually(
    () => contentOf(page),
    expect.stringMatching(new RegExp(`^First\\.\n\n${one}\n\n${two}\n\nLast words\\.$`)),
  );
  await ended;
  await press(page, "Control+z");
  await eventually(() => contentOf(page), expect.stringMatching(new RegExp(`^First\\.\n\n${one}\n\nLast words\\.$`)));
  await press(page, "Control+z");
  await eventually(() => contentOf(page), "First.\n\nLast words.");
  await press(page, "Control+z");
  await eventually(() => contentOf(page), "First.\n\nLast");
  await press(page, "Control+Shift+KeyZ", "Control+Shift+KeyZ", "Control+Shift+KeyZ");
  await eventually(
    () => contentOf(page),
    expect.stringMatching(new RegExp(`^First\\.\n\n${one}\n\n${two}\n\nLast words\\.$`)),
  );
  await close(page);
});

test("a dropped picture that fails says so at its place, is tried again there, and is gone when the words around it are", async () => {
  const page = await write("First.\n\nLast.");
  await withoutPauses(page);
  const path = "**/dashboard/storage/uploads";
  await page.route(path, (route) => route.abort());
  const failed = said(page, "low.png was not uploaded.");
  await dropOn(page, page.locator(".cm-line").nth(1), "low.png");
  await page.locator(".md-upload", { hasText: "low.png was not uploaded." }).waitFor();
  await failed;
  expect(await contentOf(page)).toBe("First.\n\nLast.");
  await page.unroute(path);
  await page.getByRole("button", { name: "Try again" }).click();
  await eventually(
    () => contentOf(page),
    expect.stringMatching(/^First\.\n\n!\[\]\(\/media\/[^)]*low\.png\)\n\nLast\.$/),
  );
  await page.route(path, (route) => route.abort());
  await dropOn(page, page.locator(".cm-line").nth(1), "high.png");
  await page.locator(".md-upload", { hasText: "high.png was not uploaded." }).waitFor();
  await page.locator("#content").press("Control+a");
  await press(page, "Delete");
  await page.locator(".md-upload").waitFor({ state: "detached" });
  await close(page);
});

test("a picture that is dropped beside the text goes into it at its height, one on the cover becomes the cover", async () => {
  const page = await write("First.\n\nLast.");
  const { pathname } = new URL(page.url());
  await dropOn(page, page.locator("#title"), "above.png");
  const above = "!\\[\\]\\(/media/[\\w-]+/above\\.png\\)";
  await eventually(() => contentOf(page), expect.stringMatching(new RegExp(`^${above}\n\nFirst\\.\n\nLast\\.$`)));
  await dropOn(page, page.locator("#word-count"), "below.png");
  await eventually(() => contentOf(page), expect.stringMatching(/Last\.\n\n!\[\]\([^)]*below\.png\)$/));
  await dropOn(page, page.locator("#cover-above"), "cover.png");
  await eventually(
    () => page.locator("#cover-image").inputValue(),
    expect.stringMatching(/^\/media\/[\w-]+\/cover\.png$/),
  );
  await page.locator("#cover-above img").waitFor();
  expect(await contentOf(page)).not.toContain("cover.png");
  expect(new URL(page.url()).pathname).toBe(pathname);
  await close(page);
});

test("a file that is no picture is uploaded and linked where it is dropped; a short text becomes part of the text", async () => {
  const page = await write("First.\n\nLast.");
  await dropOn(page, page.locator(".cm-line").nth(1), "tide_table.pdf");
  const link = "\\[tide\\\\_table\\.pdf\\]\\(/media/[\\w-]+/tide_table\\.pdf\\)";
  await eventually(() => contentOf(page), expect.stringMatching(new RegExp(`^First\\.\n+${link}\n+Last\\.$`)));
  await Bun.write(join(folder.path, "notes.txt"), "Noted. ");
  await dropOn(page, page.locator(".cm-line").last(), "notes.txt");
  await eventually(() => contentOf(page), expect.stringMatching(/\n(Noted\. Last\.|Last\.Noted\. )$/));
  expect(await page.locator(".md-upload").count()).toBe(0);
  await close(page);
});

test("a cover that is dropped says how far it is and why it failed, is tried again, and is waited for", async () => {
  const page = await write("Words.");
  await withoutPauses(page);
  const cover = page.locator("#cover-above");
  const src = () => page.locator("#cover-image").inputValue();
  const failing = "**/dashboard/storage/uploads";
  await page.route(failing, (route) => route.abort());
  await dropOn(page, cover, "night.png");
  await cover.locator(".md-upload", { hasText: "night.png was not uploaded." }).waitFor();
  expect(await violations(page)).toEqual([]);
  await page.getByRole("button", { name: "Publish…" }).click();
  await page.locator("#saved", { hasText: "1 picture is not uploaded yet." }).waitFor();
  await page.unroute(failing);
  await cover.getByRole("button", { name: "Try again" }).click();
  await eventually(src, expect.stringMatching(/^\/media\/[\w-]+\/night\.png$/));
  expect(await cover.locator(".md-upload").count()).toBe(0);

  const { promise: released, resolve: release } = Promise.withResolvers<void>();
  await page.route(failing, async (route) => {
    await released;
    await route.continue();
  });
  await dropOn(page, cover, "morning.png");
  await cover.getByRole("progressbar", { name: "Upload of morning.png" }).waitFor();
  release();
  await eventually(src, expect.stringMatching(/morning\.png$/));

  await page.unroute(failing);
  await page.route(failing, (route) => route.abort());
  await dropOn(page, cover, "evening.png");
  await cover.getByRole("button", { name: "Remove" }).click();
  expect([await cover.locator(".md-upload").count(), (await src()).endsWith("morning.png")]).toEqual([0, true]);
  await close(page);
});

test("a cover whose sign-in ended is tried again after signing in in another tab", async () => {
  const page = await write("Words.");
  await endSession(page);
  await dropOn(page, page.locator("#cover-above"), "dusk.png");
  await page.locator("#cover-above .md-upload", { hasText: "dusk.png was not uploaded." }).waitFor();
  await signInElsewhere(page);
  await eventually(() => page.locator("#cover-image").inputValue(), expect.stringMatching(/dusk\.png$/));
  await close(page);
});

/** The session ends, as `__Host-postroom` has the name that browsers hold to this host. */
const endSession = (page: Page) => page.context().clearCookies({ name: "__Host-postroom" });
async function signIn(page: Page): Promise<void> {
  await page.getByLabel("Email address").fill("owner@example.com");
  await page.getByLabel("Password", { exact: true }).fill(testPassword);
  await page.keyboard.press("Enter");
}

/** Signs in again in another tab, and comes back. */
async function signInElsewhere(page: Page): Promise<void> {
  const tab = await page.context().newPage();
  await tab.goto("/dashboard/posts");
  await signIn(tab);
  await tab.waitForURL("**/dashboard/posts");
  await tab.close();
  await page.evaluate("dispatchEvent(new Event('focus'))");
}

test("a picture whose sign-in ended waits in this browser, and goes to its place after signing in again", async () => {
  const page = await write("Look:\n\n\n\nAfter.");
  const path = new URL(page.url()).pathname;
  await press(page, "Control+Home", "ArrowDown", "ArrowDown");
  await endSession(page);
  await paste(page, picture);
  await page
    .locator(".md-upload", { hasText: /low \(water\)\.png was not uploaded\. .*The picture is kept in this browser\./ })
    .waitFor();
  expect(await violations(page)).toEqual([]);
  await page.goto(path);
  await page.waitForURL("**/dashboard/sign-in?**");
  await signIn(page);
  await page.waitForURL(`**${path}`);
  const source = expect.stringMatching(/^Look:\n\n!\[\]\(\/media\/[^)]*\)\n\nAfter\.$/);
  await eventually(() => contentOf(page), source);
  await eventually(() => page.evaluate(keptPictures), 0);
  await close(page);
});

test("a cover that was on its way when the page was left goes on when it is opened again, unless it was removed", async () => {
  const page = await stage.open("/dashboard/posts/new");
  const path = "**/dashboard/storage/uploads";
  const { promise: ended, resolve: end } = Promise.withResolvers<void>();
  await page.route(path, () => ended); // it goes nowhere
  const cover = page.locator("#cover-above");
  await dropOn(page, cover, "noon.png");
  await cover.getByRole("progressbar", { name: "Upload of noon.png" }).waitFor();
  await dropOn(page, cover, "night.png"); // the last one wins
  await cover.getByRole("progressbar", { name: "Upload of night.png" }).waitFor();
  await eventually(() => page.evaluate(keptPictures), 1);
  await page.reload();
  await cover.getByRole("progressbar", { name: "Upload of night.png" }).waitFor();
  await page.unroute(path);
  end();
  await page.reload();
  await eventually(() => page.locator("#cover-image").inputValue(), expect.stringMatching(/night[^/]*\.png$/));
  await eventually(() => page.evaluate(keptPictures), 0);
  await withoutPauses(page);
  await page.route(path, (route) => route.abort());
  await dropOn(page, cover, "dawn.png");
  await cover.locator(".md-upload", { hasText: "The picture is kept in this browser." }).waitFor();
  await cover.getByRole("button", { name: "Remove" }).click();
  await eventually(() => page.evaluate(keptPictures), 0);
  await close(page);
});

test("who signs in again in another tab comes back to a picture that goes on by itself, and text that is saved", async () => {
  const page = await write("Look:\n\n");
  await endSession(page);
  await paste(page, picture);
  await page.getByRole("button", { name: "Try again" }).waitFor();
  await signInElsewhere(page);
  await eventually(() => contentOf(page), expect.stringMatching(/^Look:\n\n!\[\]\(\/media\//));
  await press(page, "Control+s");
  await page.locator("#saved", { hasText: /^Saved/ }).waitFor();
  await close(page);
});

test("a new post that was never saved gets its words back first, then its picture between them", async () => {
  const page = await stage.open("/dashboard/posts/new");
  await page.locator("#title").fill("Never saved");
  await page.locator("#content").click();
  await endSession(page);
  await page.keyboard.type("Before.\n\n");
  await paste(page, picture);
  await page.locator(".md-upload", { hasText: "The picture is kept in this browser." }).waitFor();
  await press(page, "Control+End");
  await page.keyboard.type("\n\nAfter.");
  await page.goto("/dashboard/posts/new");
  await signIn(page);
  await page.waitForURL("**/dashboard/posts/new");
  await page.locator("#copy-offer").waitFor();
  expect(await contentOf(page)).toBe("");
  await page.getByRole("button", { name: "Restore it" }).click();
  await eventually(() => contentOf(page), expect.stringMatching(/^Before\.\n\n!\[\]\(\/media\/[^)]*\)\n\nAfter\.$/));
  await close(page);
});

test("pictures that are removed, or left by signing out, are kept no longer", async () => {
  const page = await write("Look:\n\n\n\nAfter.");
  const { pathname } = new URL(page.url());
  await endSession(page); // other tests go on with theirs
  await page.goto(pathname);
  await signIn(page);
  await page.waitForURL(`**${pathname}`);
  const path = "**/dashboard/storage/uploads";
  await page.route(path, (route) => route.fulfill({ status: 401, json: { message: "Signed out" } }));
  for (const end of ["Remove", "delete", "sign out"]) {
    await page.locator("#content").press("Control+Home");
    if (end !== "sign out") await press(page, "ArrowDown", "ArrowDown");
    await paste(page, picture);
    await page.locator(".md-upload", { hasText: "The picture is kept in this browser." }).waitFor();
    expect(await page.evaluate(keptPictures)).toBe(1);
    if (end === "Remove") await page.getByRole("button", { name: "Remove" }).click();
    else if (end === "delete") await press(page, "Control+a", "Delete");
    else await page.evaluate("document.querySelector('form[action=\"/dashboard/sign-out\"]').requestSubmit()");
    if (end === "sign out") await page.waitForURL("**/dashboard/sign-in**");
    await eventually(() => page.evaluate(keptPictures), 0);
  }
  await close(page);
});

/** Counts the pictures that this browser keeps. */
const keptPictures = `new Promise((resolve) => {
  const opening = indexedDB.open("postroom pictures");
  opening.onupgradeneeded = () => (opening.transaction.abort(), resolve(0)); // there is none
  opening.onsuccess = () => {
    const count = opening.result.transaction("pictures").objectStore("pictures").count();
    count.onsuccess = () => (opening.result.close(), resolve(count.result));
  };
})`;

test("several pictures are chosen at once, and nothing is published without those that are not there yet", async () => {
  const page = await write("Look:\n\n");
  const path = "**/dashboard/storage/uploads";
  await page.route(path, (route) => route.fulfill({ status: 401, json: { message: "Signed out" } }));
  await page.locator("#tool-image").click();
  const files = ["one.png", "two.png"].map((name) => ({ name, mimeType: "image/png", buffer: pixel }));
  await page.locator("dialog [data-upload]").setInputFiles(files);
  const again = page.getByRole("button", { name: "Try again" });
  await eventually(() => again.count(), 2);
  await page.getByRole("button", { name: "Publish…" }).click();
  await page.getByText("2 pictures are not uploaded yet. Wait, or remove them.").waitFor();
  expect(await page.locator("dialog[open]").count()).toBe(0);
  await page.unroute(path);
  await again.first().click();
  await eventually(() => contentOf(page), expect.stringMatching(/^Look:\n\n!\[\]\(\/media\/[^)]*one\.png\)/));
  await page.getByRole("button", { name: "Remove" }).click();
  await page.getByRole("button", { name: "Publish…" }).click();
  await page.locator("dialog[open]").waitFor();
  await close(page);
});

test("what would break the build is marked at its line, and said where the caret is", async () => {
  const page = await write("Fine.\n\nA {broken thing");
  const mark = page.locator(".md-problem");
  await mark.filter({ hasText: "{broken" }).waitFor();
  await mark.click();
  const words = page.locator("#content .md-problem-words, .cm-tooltip .md-problem-words").first();
  await words.filter({ hasText: "This { is never closed." }).waitFor();
  expect(await violations(page)).toEqual([]);
  await press(page, "Control+Home");
  await page.keyboard.type("Before. ");
  await mark.filter({ hasText: "{broken" }).waitFor();
  await press(page, "Control+End");
  await page.keyboard.type("}");
  await mark.waitFor({ state: "detached" });
  await close(page);
});

test("the bar below counts the problems, and its list leads to each of them", async () => {
  const page = await write("Fine.\n\n<Open>\n\nA {broken thing");
  const count = page.getByRole("button", { name: "2 problems" });
  await count.press("Enter");
  const list = page.locator("#problem-list");
  expect(await violations(page)).toEqual([]);
  await list.getByRole("button", { name: "Line 3, column 1" }).press("Enter");
  await list.waitFor({ state: "hidden" });
  expect(await focusOn(page, "content")).toBe("content");
  await page.keyboard.type("Closed. ");
  expect(await contentOf(page)).toStartWith("Fine.\n\nClosed. <Open>");
  await pasteOver(page, { "text/plain": "Fine." });
  await page.locator("#problem-count").waitFor({ state: "hidden" });
  await close(page);
});

test("Ctrl, Shift and P turn to the preview and back, whatever is beside the text", async () => {
  for (const width of [1280, 390]) {
    const page = await write("Words.", { viewport: { width, height: 844 } });
    if (width === 1280) await page.locator("#beside-details").click();
    await page.locator("#content").press("Control+Shift+P");
    expect(await focusOn(page, "preview")).toBe("preview");
    await press(page, "Control+Shift+P");
    expect(await focusOn(page, "content")).toBe("content");
    await page.keyboard.type(" More.");
    expect(await contentOf(page)).toBe("Words. More.");
    await close(page);
  }
});

test("the preview has title and date, and is as wide as a phone, or as a desktop in the text's place", async () => {
  const page = await write("Words.");
  await page.locator("#title").fill("As readers see it");
  const preview = page.locator("#preview");
  await preview.getByRole("heading", { name: "As readers see it" }).waitFor();
  await preview.locator(".masthead .hint").waitFor();
  const width = async () => (await preview.locator(".prose").boundingBox())?.width ?? 0;
  expect(await width()).toBeLessThanOrEqual(390);
  await page.getByRole("button", { name: "Desktop" }).click();
  expect(await width()).toBeGreaterThan(600);
  expect(await page.locator("#content").isVisible()).toBe(false);
  expect(await violations(page)).toEqual([]);
  await page.getByRole("button", { name: "Phone" }).click();
  expect(await page.locator("#content").isVisible()).toBe(true);
  await close(page);
});

test("on a phone the tools are one row, and no line is written at the lower edge of what is seen", async () => {
  const page = await write("Line.\n\n".repeat(80), { viewport: { width: 390, height: 844 }, hasTouch: true });
  const tops = await page
    .locator("#toolbar > button")
    .evaluateAll((all) => all.map((each) => (each as unknown as { offsetTop: number }).offsetTop));
  expect(new Set(tops).size).toBe(1);
  const wide = "document.documentElement.scrollWidth - document.querySelector('.words').getBoundingClientRect().right";
  expect(await page.evaluate(wide)).toBeGreaterThan(10);
  await page.keyboard.type("The end");
  const edges = async () => {
    const [line, bar] = [page.locator(".cm-line", { hasText: "The end" }), page.locator(".save-bar")];
    const [inner, outer] = [await line.boundingBox(), await bar.boundingBox()];
    return (outer?.y ?? 0) - (inner?.y ?? 0) - (inner?.height ?? 0);
  };
  expect(await edges()).toBeGreaterThan(20);
  await close(page);
});

test("the tools are at the lower edge, above a keyboard that covers it, and cover no line that is written", async () => {
  for (const width of [390, 1_280]) {
    const page = await write("Line.\n\n".repeat(80), { viewport: { width, height: 844 } });
    const bar = page.locator(".save-bar");
    const end = () => page.evaluate("innerHeight - document.querySelector('.save-bar').getBoundingClientRect().bottom");
    expect(await end()).toBeLessThan(16);
    await page.evaluate(`Object.defineProperty(visualViewport, "height", { value: innerHeight - 300 });
      visualViewport.dispatchEvent(new Event("resize"));`);
    expect(await end()).toBeGreaterThanOrEqual(300);
    await page.keyboard.type(" The end");
    const line = page.locator(".cm-line", { hasText: "The end" });
    const [inner, outer] = [await line.boundingBox(), await bar.boundingBox()];
    expect((inner?.y ?? 0) + (inner?.height ?? 0)).toBeLessThan(outer?.y ?? 0);
    await close(page);
  }
});

test("the navigation steps aside for the text, and its button or link brings it back", async () => {
  for (const width of [390, 1_280]) {
    const page = await write("Words.", { viewport: { width, height: 844 } });
    const navigation = page.getByRole("link", { name: "Subscribers" });
    expect(await navigation.isVisible()).toBe(false);
    await page.getByRole("button", { name: "Menu" }).press("Enter");
    await navigation.waitFor();
    expect(await violations(page)).toEqual([]);
    await press(page, "Escape");
    await navigation.waitFor({ state: "hidden" });
    expect(await page.evaluate("document.documentElement.scrollWidth - innerWidth")).toBe(0);
    await page.getByRole("link", { name: "Posts", exact: true }).click();
    await page.waitForURL("**/dashboard/posts");
    await close(page);
  }
});

test("what is done with a published post is in the bar, on a phone in its menu", async () => {
  for (const width of [390, 1_280]) {
    const page = await write("Words.", { viewport: { width, height: 844 } });
    await page.getByRole("button", { name: "Publish…" }).click();
    await page.getByRole("dialog").getByRole("button", { name: "Publish", exact: true }).click();
    await page.getByRole("button", { name: /^Save( changes)?$/ }).waitFor();
    if (width === 390) await page.getByRole("button", { name: "More actions for this post" }).click();
    expect(await page.getByRole("link", { name: "Change date…" }).count()).toBe(1);
    await page.getByRole("link", { name: "Unpublish…" }).click();
    await page.getByRole("dialog").getByRole("button", { name: "Unpublish" }).click();
    await page.getByRole("button", { name: "Publish…" }).waitFor();
    await close(page);
  }
});

test("a bar that stays in sight does not scroll the page when Tab comes to it", async () => {
  for (const width of [390, 1_280]) {
    const page = await write("Line.\n\n".repeat(80), { viewport: { width, height: 844 } });
    await page.evaluate("scrollTo(0, 900)");
    await page
      .locator("#content")
      .evaluate((content) => void (content as unknown as Focusable).focus({ preventScroll: true }));
    await settled(page);
    const at = await page.evaluate("scrollY");
    await press(page, "Tab");
    expect([await focusOn(page, "tool-bold"), await page.evaluate("scrollY")]).toEqual(["tool-bold", at]);
    for (const id of ["save", "publish"]) {
      await page.locator(`#${id}`).focus();
      expect([await focusOn(page, id), await page.evaluate("scrollY")]).toEqual([id, at]);
    }
    await close(page);
  }
});

test("pictures at the beginning of a text are seen in their shape when it is opened", async () => {
  const body = await draw({ width: 900, height: 300 });
  const [id] = await store(stage, { filename: "pier.jpeg", mimeType: "image/jpeg", body });
  await stage.storage.readPictures();
  for (const width of [390, 1_280]) {
    const page = await write(`![The pier](/media/${id}/pier.jpeg)\n\nWords.`, { viewport: { width, height: 844 } });
    const shown = await page.locator(".md-picture img").boundingBox();
    expect(shown?.width).toBeGreaterThan(300);
    expect((shown?.width ?? 0) / (shown?.height ?? 1)).toBeCloseTo(3, 1);
    await close(page);
  }
});

test("on a phone the actions of a post are beside the way back, and cover nothing", async () => {
  const page = await write("Words.", { viewport: { width: 390, height: 844 } });
  const [back, actions] = [page.locator(".crumb > a"), page.locator(".head > .actions")];
  const [left, right] = [await back.boundingBox(), await actions.boundingBox()];
  expect((left?.x ?? 0) + (left?.width ?? 0)).toBeLessThan(right?.x ?? 0);
  expect((right?.x ?? 0) + (right?.width ?? 0)).toBeLessThanOrEqual(390);
  await close(page);
});

test("scrolling moves the text as far as the hand does, past fifty pictures that have not loaded", async () => {
  const shapes = [
    [600, 400],
    [300, 700],
    [1_200, 300],
    [64, 48],
  ] as const;
  const bodies = await Promise.all(shapes.map(([width, height]) => draw({ width, height, format: "png" })));
  const files = bodies.map((body, i) => ({ filename: `shape-${i}.png`, mimeType: "image/png", body }));
  const ids = await store(stage, ...files);
  for (const [i, [width, height]] of shapes.entries())
    await look(stage.db, "update uploads set width = ?, height = ? where id = ?", [width, height, ids[i] ?? ""]);
  const pictures = Array.from({ length: 50 }, (_, i) => `![Shape ${i}](/media/${ids[i % 4]}/shape-${i % 4}.png)`);
  const page = await write(pictures.map((picture, i) => `Before ${i}.\n\n${picture}\n\n`).join(""));
  const places = () =>
    page.evaluate<[string, number][]>(
      `[...document.querySelectorAll(".cm-line")].map((line) => [line.textContent, line.getBoundingClientRect().top])`,
    );
  const jumps: number[] = [];
  for (let i = 0; i < 60; i++) {
    const before = new Map(await places());
    const from = Number(await page.evaluate("scrollY"));
    await page.evaluate("scrollBy({ top: -200, behavior: 'instant' })");
    await settled(page);
    const moved = from - Number(await page.evaluate("scrollY"));
    const seen = (await places()).find(([text, top]) => text.startsWith("Before") && before.has(text) && top > 200);
    if (moved === 0) break; // at the top
    if (seen) jumps.push(Math.abs(seen[1] - (before.get(seen[0]) ?? 0) - 200));
  }
  expect(jumps.length).toBeGreaterThan(40);
  expect(jumps.filter((jump) => jump > 24)).toEqual([]);
  await close(page);
});

test("on the whole screen the text is alone, until Escape", async () => {
  const page = await write("Words.");
  const beside = page.locator("#preview");
  await page.getByRole("button", { name: "Full screen" }).click();
  await beside.waitFor({ state: "hidden" });
  expect(await page.getByRole("button", { name: "Menu" }).isVisible()).toBe(false);
  expect(await page.getByRole("toolbar", { name: "Formatting" }).isVisible()).toBe(true);
  const { x = 0, width = 0 } = (await page.locator("#title").boundingBox()) ?? {};
  expect(
    Math.abs(x + width / 2 - Number(await page.evaluate("document.documentElement.clientWidth")) / 2),
  ).toBeLessThan(2);
  expect(await violations(page)).toEqual([]);
  await press(page, "Escape");
  await beside.waitFor();
  await close(page);
});

test("a long title wraps, and Enter in it goes on with the text", async () => {
  const page = await write("Words.");
  const title = page.locator("#title");
  const height = async () => (await title.boundingBox())?.height ?? 0;
  const before = await height();
  await title.fill("A title that is much too long for one line ".repeat(3).trim());
  expect(await height()).toBeGreaterThan(before * 1.5);
  await title.press("Enter");
  expect(await focusOn(page, "content")).toBe("content");
  expect(await title.inputValue()).not.toContain("\n");
  await close(page);
});

test("at each step of writing a post, a screen reader has role, name and what has changed", async () => {
  const page = await stage.open("/dashboard/posts/new");
  await page.locator("#preview > *").first().waitFor(); // empty, it is a region without a colon
  const inOrder = [
    '- button "Save draft"',
    '- button "Publish…"',
    '- textbox "Title"',
    '- textbox "Text"',
    '- toolbar "Formatting":',
    '- group "Beside the text":',
    '- region "Preview":',
  ];
  const lines = (await page.getByRole("main").ariaSnapshot()).split("\n").map((line) => line.trim());
  expect(lines.filter((line) => inOrder.includes(line))).toEqual(inOrder);
  await page.getByRole("textbox", { name: "Title" }).fill("Read aloud");
  const text = page.getByRole("textbox", { name: "Text" });
  await text.press("/");
  const listbox = page.getByRole("listbox", { name: "Insert" });
  await listbox.getByRole("option", { name: "Heading", exact: true, selected: true }).waitFor();
  const active = (await text.getAttribute("aria-activedescendant")) ?? "";
  expect(await page.locator(`#${active}`).getAttribute("aria-selected")).toBe("true");
  await press(page, "Escape", "Backspace");
  await page.keyboard.type("## Weather\n\n- [ ] rain\n\nA {broken thing");
  await text.getByRole("heading", { name: "Weather", level: 2 }).waitFor();
  const status = (words: string | RegExp) => page.getByRole("status").filter({ hasText: words });
  await status(/^1 problem$/).waitFor({ state: "attached" });
  await page.getByRole("button", { name: "1 problem" }).waitFor();
  await page.getByRole("checkbox", { name: "Done" }).first().waitFor();
  await press(page, "Control+f");
  await page.getByRole("search", { name: "Find and replace" }).getByRole("textbox", { name: "Find" }).fill("thing");
  await status(/^1 match$/).waitFor();
  await press(page, "Escape", "Control+s");
  await status(/^Saved \d/).waitFor();
  await press(page, "Control+Shift+Enter");
  const sheet = page.getByRole("dialog", { name: "Publish" });
  await sheet.getByRole("status").filter({ hasText: "Goes live immediately" }).waitFor();
  await press(page, "Escape");
  await sheet.waitFor({ state: "detached" });
  await close(page);
});

test("screen readers are told what a key does to the text, and to write only where nothing is written", async () => {
  const page = await write();
  const text = page.locator("#content");
  const placeholder = () => text.getAttribute("aria-placeholder");
  expect(await placeholder()).toBe("Write, or type / on a new line for more");
  await page.evaluate(`{
    const heard = (window.heard = []);
    new MutationObserver((changes) => {
      for (const { addedNodes } of changes) for (const { textContent } of addedNodes) heard.push(textContent);
    }).observe(document.querySelector("#toasts"), { childList: true });
  }`);
  await page.keyboard.type("Tides");
  expect(await placeholder()).toBeNull();
  await press(page, "Alt+2", "Enter", "Enter");
  await page.keyboard.type("- [ ] fish");
  await press(page, "Control+Enter", "Control+Enter", "Enter", "Tab", "Enter", "Enter");
  await page.keyboard.type("so ");
  await press(page, "Control+b");
  await page.keyboard.type("cold");
  await press(page, "Control+b");
  await page.keyboard.type(" water");
  expect(await contentOf(page)).toBe("## Tides\n\n- [ ] fish\n\nso **cold** water");
  expect(await page.evaluate("heard")).toEqual([
    "Heading 2",
    "Done",
    "Not done",
    "Task",
    "Indented",
    "Outdented",
    "End of the list",
    "Bold",
    "Bold off",
  ]);
  await close(page);
});

test("the options of the menu stay the same while one after the other is chosen", async () => {
  const page = await write();
  await page.keyboard.type("/");
  const first = await page.locator("#slash-menu-0").elementHandle();
  await press(page, "ArrowDown");
  await page.locator("#slash-menu-1[aria-selected=true]").waitFor();
  expect(await first?.evaluate((option) => [option.isConnected, option.ariaSelected])).toEqual([true, "false"]);
  await press(page, "ArrowUp", "Enter");
  expect(await contentOf(page)).toBe("## ");
  await close(page);
});

test("a link is asked for its text and its address, which begin with what is selected", async () => {
  for (const viewport of [
    { width: 1280, height: 860 },
    { width: 390, height: 844 },
  ]) {
    const page = await write("See ", { viewport });
    const insert = async (address: string) => {
      await page.getByLabel("Address").fill(address);
      await page.keyboard.press("Enter");
      expect(await focusOn(page, "content")).toBe("content");
    };
    await page.locator("#tool-link").click();
    expect(await focusOn(page, "link-words")).toBe("link-words");
    await page.getByRole("button", { name: "Insert link" }).click(); // without an address
    expect(await focusOn(page, "link-address")).toBe("link-address");
    await page.getByLabel("Link text").fill("the [tides]");
    await insert("tides.example/@a (b)");
    await page.keyboard.type(" and ask");
    const tides = "See [the \\[tides\\]](https://tides.example/@a%20%28b%29) and ";
    expect(await contentOf(page)).toBe(`${tides}ask`);
    await page.keyboard.press("Control+Shift+ArrowLeft");
    await page.locator("#tool-link").click();
    expect(await focusOn(page, "link-address")).toBe("link-address");
    expect(await page.getByLabel("Link text").inputValue()).toBe("ask");
    await page.keyboard.press("Escape");
    expect(await contentOf(page)).toBe(`${tides}ask`);
    await page.locator("#tool-link").click();
    await insert("me@tides.example");
    expect(await contentOf(page)).toBe(`${tides}[ask](mailto:me@tides.example)`);
    await page.keyboard.type(".\n/link");
    await page.getByRole("option", { name: "Link", exact: true }).click();
    expect(await focusOn(page, "link-words")).toBe("link-words");
    await insert("/about");
    expect(await contentOf(page)).toBe(`${tides}[ask](mailto:me@tides.example).\n\n[/about](/about)`);
    await close(page);
  }
});

test("the welcome email and a project's description are written in it too", async () => {
  const page = await stage.open("/dashboard/settings/welcome");
  const welcome = page.getByRole("textbox", { name: "Text" });
  await welcome.press("Control+a");
  await page.keyboard.type('Hello {name, "friend"}, **look**.');
  await page.locator("#title, h1").first().click();
  await page.locator(".md-field", { hasText: "name or “friend”" }).waitFor();
  await page.getByRole("button", { name: "Preview" }).click();
  await page.frameLocator("iframe").locator("strong", { hasText: "look" }).waitFor();
  await page.locator("#welcome-welcomeSubject").press("Enter"); // goes on with the text
  expect(await focusOn(page, "welcome-welcomeText")).toBe("welcome-welcomeText");
  await press(page, "Control+End");
  await page.locator("#tool-bold").click();
  await page.keyboard.type("now");
  await page.setViewportSize({ width: 390, height: 844 });
  await page.locator("#save-buttons").getByRole("button", { name: "Preview" }).click(); // instead of the text
  await page.frameLocator("iframe").locator("strong", { hasText: "now" }).waitFor();
  expect(await welcome.isVisible()).toBe(false);
  await close(page);

  const project = await stage.open("/dashboard/projects/new");
  await project.getByLabel("Title", { exact: true }).fill("Balcony");
  await project.getByRole("textbox", { name: "Description" }).click();
  await project.keyboard.type("Measures _rain_\n- daily\nnightly");
  await project.locator("#tool-bold").click();
  await project.keyboard.type("hourly");
  await project.getByRole("button", { name: "Create project" }).click();
  await project.waitForURL((url) => !url.pathname.endsWith("/new"));
  const saved = await stage.owner.get("/dashboard/projects?q=Balcony");
  const [, id = ""] = /projects\/([\w-]{20,})/.exec(await saved.text()) ?? [];
  const form = await (await stage.owner.get(`/dashboard/projects/${id}`)).text();
  expect(form).toContain("Measures _rain_\n\n- daily\n- nightly**hourly**</textarea>");
  await close(project);
});

test("they take pictures too: from the library, and by paste", async () => {
  const [id] = await store(stage, { filename: "pier.png", mimeType: "image/png", body: pixel });
  const pier = `![](/media/${id}/pier.png)`;
  const texts = [
    { path: "/dashboard/settings/welcome", field: "welcome-welcomeText", name: "welcomeText" },
    { path: "/dashboard/projects/new", field: "project-description", name: "description" },
  ];
  for (const { path, field, name } of texts) {
    const page = await stage.open(path);
    const source = () =>
      page.locator(`textarea[name=${name}]`).evaluate((area) => (area as unknown as { value: string }).value);
    await page.locator(`#${field}`).press("Control+a");
    await page.keyboard.type("Look:\n\n");
    await page.locator("#tool-image").click();
    await page.getByRole("button", { name: "Use pier.png" }).click();
    await eventually(source, `Look:\n\n${pier}`);
    await press(page, "Control+End");
    await page.keyboard.type("\n\n");
    await paste(page, picture);
    await page.locator(".md-picture img").nth(1).waitFor({ state: "attached" });
    expect(await source()).toMatch(/\n\n!\[\]\(\/media\/[\w-]+\/low%20%28water%29\.png\)$/);
    expect(await violations(page)).toEqual([]);
    await close(page);
  }
});

/** Saves this text, types on while the server thinks, and says what is there then, and after undoing. */
async function typeWhileSaving(page: Page, text: Locator) {
  const { promise: released, resolve: release } = Promise.withResolvers<void>();
  await page.route(page.url(), async (route) => {
    if (route.request().method() === "POST") await released;
    await route.continue();
  });
  await text.press("Control+a");
  await page.keyboard.type("High water");
  const isSent = page.waitForRequest((request) => request.method() === "POST" && request.url() === page.url());
  const isAnswered = page.waitForResponse((answer) => answer.request().method() === "POST" && answer.ok());
  await page.keyboard.press("Control+s");
  await isSent;
  await page.keyboard.type(" and low");
  release();
  await isAnswered;
  await settled(page);
  await page.keyboard.type(" water");
  const source = () => page.locator("textarea[data-mdx]").evaluate((area) => (area as unknown as Area).value);
  const typed = await source();
  for (const _ of typed) await page.keyboard.press("Control+z"); // it is as many steps as there were pauses in it
  return { typed, undone: await source() };
}
type Area = { value: string };

/** Opens the first email of a new sequence. */
async function openEmailOf(name: string): Promise<Page> {
  const page = await stage.open("/dashboard/sequences/new");
  await page.getByLabel("Name").fill(name);
  await page.getByRole("button", { name: "Create sequence" }).click();
  await page.getByRole("link", { name: "Add email" }).click();
  await page.getByLabel("Subject").fill("Tides");
  await page.getByRole("dialog").getByRole("button", { name: "Add email" }).click();
  await page.waitForURL("**/dashboard/broadcasts/*");
  return page;
}

test("a long name of a sequence is shortened in the bar of its email, and leaves room for the rest", async () => {
  const page = await openEmailOf("What the sea does between one new moon and the next, and why");
  await page.setViewportSize({ width: 900, height: 700 });
  const widthOf = async (selector: string) => (await page.locator(selector).boundingBox())?.width ?? 0;
  expect(await widthOf(".write-bar .crumb")).toBeLessThan(260);
  expect(await page.locator("#save").isVisible()).toBe(true);
  const { height } = (await page.locator(".write-bar").boundingBox()) ?? { height: 0 };
  expect(height).toBeLessThan(60); // one row
  await page.setViewportSize({ width: 320, height: 640 });
  await page.locator("#content").click();
  await page.keyboard.type("Low water");
  await page.locator("#saved", { hasText: "Draft saved" }).waitFor();
  await page.locator("#saved").evaluate((saved) => void (saved.textContent = "Draft saved 20:08")); // none is wider
  expect((await page.locator(".save-bar").boundingBox())?.height).toBeLessThan(80); // the tools, and one row of words
  await close(page);
});

test("saving an email, whatever it belongs to, or a project keeps the caret, what is typed meanwhile and what can be undone", async () => {
  const start = await openEmailOf("A course in tides");
  const broadcast = await stage.owner.submit("/dashboard/broadcasts/new", {});
  const { id } = await saveProject(stage.db, { slug: "tides", title: "Tides", description: "Low" }, stage.now());
  const emails = [start.url(), broadcast.headers.get("location") ?? "", "/dashboard/settings/welcome"];
  await close(start);
  for (const path of [...emails, `/dashboard/projects/${id}`]) {
    const page = await stage.open(path);
    const text = page.getByRole("textbox", { name: /^(Text|Description)$/ });
    const before = await page.locator("textarea[data-mdx]").evaluate((area) => (area as unknown as Area).value);
    const { typed, undone } = await typeWhileSaving(page, text);
    expect([path, typed, undone]).toEqual([path, "High water and low water", before]);
    await close(page);
  }
});

test("nobody is asked whether to leave a text: it is offered again in the form that it was typed in", async () => {
  const texts = [
    { path: "/dashboard/settings/welcome", name: "welcomeText" },
    { path: "/dashboard/projects/new", name: "description" },
  ];
  for (const { path, name } of texts) {
    const page = await stage.open(path);
    page.on("dialog", (dialog) => {
      throw new Error(dialog.type());
    });
    const area = page.locator(`textarea[name=${name}]`);
    const text = page.locator(".cm-content");
    await text.press("Control+a");
    await page.keyboard.type("Not saved **yet**.");
    await page.locator(".crumb > a").click();
    await page.waitForURL((url) => url.pathname !== path);
    await page.goto(path);
    expect(await violations(page)).toEqual([]);
    await page.getByRole("button", { name: "Restore it" }).click();
    await eventually(() => area.evaluate((each) => (each as unknown as Area).value), "Not saved **yet**.");
    if (name === "description") await page.getByLabel("Title", { exact: true }).fill("Offered");
    await page.keyboard.press("Control+s");
    await page.locator(name === "description" ? "#saved:not(:empty)" : ".toast[data-toast=good]").waitFor();
    await page.goto(path);
    await page.locator(".cm-content").waitFor();
    expect(await page.locator("#copy-offer").isVisible()).toBe(false);
    await close(page);
  }
});

test("the cover stands above the title, and is chosen there", async () => {
  await store(stage, { filename: "harbour.png", mimeType: "image/png", body: pixel });
  const page = await write();
  await page.getByRole("link", { name: "Add cover…" }).click();
  await page.getByRole("button", { name: "Use harbour.png" }).click();
  await page.getByRole("link", { name: "Change cover…" }).waitFor();
  expect(await page.locator("#cover-above img").getAttribute("src")).toMatch(/^\/media\/[\w-]+\/harbour\.png\?w=1600$/);
  await press(page, "Control+s");
  await page.locator("#saved", { hasText: /^Saved/ }).waitFor();
  await page.reload();
  await page.locator("#cover-above img").waitFor();
  await close(page);
});
