import { defaultKeymap, historyKeymap, insertNewlineKeepIndent } from "@codemirror/commands";
import { type KeyBinding, keymap } from "@codemirror/view";
import { continueList, indentItems, outdentItems, tick, tool } from "./commands";

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
  { key: "Mod-]", run: tool("indent") },
  { key: "Mod-[", run: tool("outdent") },
];

export const keys = keymap.of([...own, ...historyKeymap, ...defaultKeymap.filter(({ key = "" }) => !unused.has(key))]);
