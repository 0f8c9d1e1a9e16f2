import { expect, test } from "bun:test";
import { history, redo, undo } from "@codemirror/commands";
import { EditorState, type Transaction } from "@codemirror/state";
import type { Command, EditorView } from "@codemirror/view";
import fc from "fast-check";
import {
  beginParagraph,
  continueList,
  indentItems,
  nextCell,
  outdentItems,
  previousCell,
  tick,
  tool,
} from "../public/editor/mdx/commands";
import { mdxLanguage } from "../public/editor/mdx/language";
import { tools } from "../public/editor/text";
import { texts } from "./support/texts";

/** The editor without a page. */
function open(doc: string) {
  const view = {
    state: EditorState.create({ doc, extensions: [history(), mdxLanguage.extension] }),
    focus() {},
    dispatch(change: Transaction) {
      view.state = (change.state ? change : view.state.update(change)).state;
    },
  };
  return view;
}
const run = (command: Command, view: ReturnType<typeof open>) => command(view as unknown as EditorView);
const all = (command: Command, view: ReturnType<typeof open>) => {
  while (run(command, view));
};

const commands: Command[] = [
  beginParagraph,
  continueList,
  indentItems,
  outdentItems,
  nextCell,
  previousCell,
  tick,
  ...Object.keys(tools).map((name) => tool(name, name)),
];

/** A place as a share of the text, and what is done there. */
const edit = fc.record({
  from: fc.double({ min: 0, max: 1, noNaN: true }),
  length: fc.nat(20),
  insert: fc.constantFrom("", "a", "\n", "- ", "**", "{", "<", "😀"),
  command: fc.option(fc.nat(commands.length - 1)),
});
const text = fc.oneof(
  fc.constantFrom(...texts),
  fc
    .array(fc.constantFrom(...texts, "\n", "- ", "> ", "é", " ", "```\n"), { maxLength: 6 })
    .map((parts) => parts.join("")),
  fc.string({ unit: "binary", maxLength: 200 }).map((each) => each.replace(/\r\n?/g, "\n").toWellFormed()),
);

test("whatever is typed, and whichever tools are used: undone, the text is the same by the byte", () => {
  fc.assert(
    fc.property(text, fc.array(edit, { maxLength: 12 }), (before, edits) => {
      const view = open(before);
      for (const { from, length, insert, command } of edits) {
        const anchor = Math.floor(from * view.state.doc.length);
        const head = Math.min(anchor + length, view.state.doc.length);
        view.state = view.state.update({ selection: { anchor, head } }).state;
        const used = command === null ? undefined : commands[command];
        if (used) run(used, view);
        else view.state = view.state.update(view.state.replaceSelection(insert)).state;
      }
      const after = view.state.doc.toString();
      all(undo, view);
      expect(view.state.doc.toString()).toBe(before);
      all(redo, view);
      expect(view.state.doc.toString()).toBe(after);
    }),
    { numRuns: 500 },
  );
});

/** The texts, with the caret at "^", before and after Enter; undefined where it is an ordinary one. */
const enters: [before: string, after: string | undefined][] = [
  ["One.^", "One.\n\n^"],
  ["One. ^Two.", "One. \n\n^Two."],
  ["One **two^** three", "One **two\n\n^** three"],
  ["One.^\nTwo.", "One.\n\n^\nTwo."],
  ["## Tides^", "## Tides\n\n^"],
  ["One.\n\n^", "One.\n\n^"],
  ["One.\n\n^\n\nTwo.", "One.\n\n^\n\nTwo."],
  ["One.\n^", undefined],
  ["^One.", undefined],
  ["One.\n\n^Two.", undefined],
  ["One,  ^", undefined],
  ["One,\\^", undefined],
  ["| a | b |^", undefined],
  ["| a | b |\n| - | - |\n| c | d |^", undefined],
  ["<Note>^", undefined],
  ["<Note>\nOne.^", undefined],
  ["One.\n\n<Note>\nOne.^\n</Note>", undefined],
  ["<Note>\n\nOne.^\n\n</Note>", "<Note>\n\nOne.\n\n^\n\n</Note>"],
  ["{/* not yet^ */}", undefined],
  ["- one\n  more^", undefined],
  ["```js\n\n\n^\n```", undefined],
  ["import a from 'b'^", undefined],
];

test.each(enters)("Enter begins a paragraph, once, in one: %j", (before, after) => {
  const at = before.indexOf("^");
  const view = open(before.replace("^", ""));
  view.state = view.state.update({ selection: { anchor: at } }).state;
  const isDone = run(beginParagraph, view);
  const { doc, selection } = view.state;
  const text = `${doc.sliceString(0, selection.main.head)}^${doc.sliceString(selection.main.head)}`;
  expect([isDone, text]).toEqual([after !== undefined, after ?? before]);
});
