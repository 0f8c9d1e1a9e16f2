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
  { key: "Mod-b", run: tool("bold") },
  { key: "Mod-i", run: tool("italic") },
  { key: "Mod-k", run: tool("link") },
  { key: "Alt-1", run: tool("heading1") },
  { key: "Alt-2", run: tool("heading2") },
  { key: "Alt-3", run: tool("heading3") },
  { key: "Alt-0", run: tool("paragraph") },
  { key: "Mod-Shift-7", run: tool("numbers") },
  { key: "Mod-Shift-8", run: tool("list") },
  { key: "Mod-Shift-9", run: tool("tasks") },
  { key: "Mod-Shift-.", run: tool("quote") },
  { key: "Mod-Shift-z", run: redo }, // the history's own keys have it on Linux and Macs alone
  { key: "Mod-]", run: tool("indent") },
  { key: "Mod-[", run: tool("outdent") },
];

export const keys = keymap.of([
  ...searchKeys,
  ...own,
  ...historyKeymap,
  ...defaultKeymap.filter(({ key = "" }) => !unused.has(key)),
]);
