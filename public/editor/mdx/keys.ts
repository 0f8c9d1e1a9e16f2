import { defaultKeymap, historyKeymap, insertNewlineKeepIndent, redo } from "@codemirror/commands";
import { type KeyBinding, keymap } from "@codemirror/view";
import { continueList, indentItems, outdentItems, tick, tool } from "./commands";
import { searchKeys } from "./search-panel";

/** Keys that mean something else on these pages, or nothing in a text. */
const unused = new Set(["Mod-Enter", "Mod-i", "Mod-/", "Alt-A", "Mod-[", "Mod-]"]);

const own: KeyBinding[] = [
  { key: "Enter", run: continueList },
  { key: "Enter", run: insertNewlineKeepIndent },
  { key: "Tab", run: indentItems },
  { key: "Shift-Tab", run: outdentItems },
  { key: "Mod-Enter", run: tick, stopPropagation: true },
  { key: "Mod-b", run: tool("bold", "Bold") },
  { key: "Mod-i", run: tool("italic", "Italic") },
  { key: "Mod-k", run: tool("link", "Link") },
  { key: "Alt-1", run: tool("heading1", "Heading 1") },
  { key: "Alt-2", run: tool("heading2", "Heading 2") },
  { key: "Alt-3", run: tool("heading3", "Heading 3") },
  { key: "Alt-0", run: tool("paragraph", "Paragraph") },
  { key: "Mod-Shift-7", run: tool("numbers", "Numbered list") },
  { key: "Mod-Shift-8", run: tool("list", "Bulleted list") },
  { key: "Mod-Shift-9", run: tool("tasks", "Task list") },
  { key: "Mod-Shift-.", run: tool("quote", "Quote") },
  { key: "Mod-Shift-z", run: redo }, // the history's own keys have it on Linux and Macs alone
  { key: "Mod-]", run: tool("indent", "Indented") },
  { key: "Mod-[", run: tool("outdent", "Outdented") },
];

export const keys = keymap.of([
  ...searchKeys,
  ...own,
  ...historyKeymap,
  ...defaultKeymap.filter(({ key = "" }) => !unused.has(key)),
]);
