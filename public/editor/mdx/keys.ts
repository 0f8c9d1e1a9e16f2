import {
  copyLineDown,
  copyLineUp,
  cursorSyntaxLeft,
  cursorSyntaxRight,
  deleteLine,
  historyKeymap,
  insertNewlineKeepIndent,
  moveLineDown,
  moveLineUp,
  redo,
  selectLine,
  selectSyntaxLeft,
  selectSyntaxRight,
  simplifySelection,
  standardKeymap,
  toggleTabFocusMode,
} from "@codemirror/commands";
import { type KeyBinding, keymap } from "@codemirror/view";
import {
  beginParagraph,
  continueList,
  indentItems,
  leavePicture,
  nextCell,
  outdentItems,
  previousCell,
  tick,
  tool,
} from "./commands";
import { searchKeys } from "./search-panel";

/**
 * The editor's usual keys, without those that mean something else on these pages, or nothing in a text. Named one by one:
 * `defaultKeymap` brings the code of those, too, 1.2 KB that no key here runs.
 */
const usual: KeyBinding[] = [
  { key: "Alt-ArrowLeft", mac: "Ctrl-ArrowLeft", run: cursorSyntaxLeft, shift: selectSyntaxLeft },
  { key: "Alt-ArrowRight", mac: "Ctrl-ArrowRight", run: cursorSyntaxRight, shift: selectSyntaxRight },
  { key: "Alt-ArrowUp", run: moveLineUp },
  { key: "Shift-Alt-ArrowUp", run: copyLineUp },
  { key: "Alt-ArrowDown", run: moveLineDown },
  { key: "Shift-Alt-ArrowDown", run: copyLineDown },
  { key: "Escape", run: simplifySelection },
  { key: "Alt-l", mac: "Ctrl-l", run: selectLine },
  { key: "Shift-Mod-k", run: deleteLine },
  { key: "Ctrl-m", mac: "Shift-Alt-m", run: toggleTabFocusMode },
  ...standardKeymap,
];

const own: KeyBinding[] = [
  { key: "Enter", run: leavePicture },
  { key: "Enter", run: continueList },
  { key: "Enter", run: beginParagraph },
  { key: "Enter", run: insertNewlineKeepIndent },
  { key: "Tab", run: indentItems },
  { key: "Shift-Tab", run: outdentItems },
  { key: "Tab", run: nextCell },
  { key: "Shift-Tab", run: previousCell },
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

export const keys = keymap.of([...searchKeys, ...own, ...historyKeymap, ...usual]);
