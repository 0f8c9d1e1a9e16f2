import type { Frame } from "../components/frame";
import { paths } from "../paths";
import { pagesFor } from "./navigation";

type Shortcut = readonly [keys: string, meaning: string];
type Group = readonly [where: string, shortcuts: readonly Shortcut[]];

/** The keyboard shortcuts, by where they work: those of every list, and those of some pages. */
const ofLists: readonly Group[] = [
  [
    "Everywhere",
    [
      ["Ctrl K", "Search everything, or type a command"],
      ["Ctrl S", "Save what is unsaved in a form"],
      ["/", "Search the list"],
      ["Esc", "Close, leave the search, or clear the selection"],
      ["?", "Show this help"],
    ],
  ],
  [
    "Search everything",
    [
      ["↑ ↓", "Choose"],
      ["Enter", "Open"],
      ["Ctrl Enter", "Open in a new tab"],
      ["Esc", "Empty the field, then close"],
    ],
  ],
  [
    "Lists",
    [
      ["c", "Create: a post, a subscriber, a key"],
      ["j k", "Next and previous row, or the page of one"],
      ["x", "Select the row"],
      ["Enter", "Open"],
      ["#", "Delete the row or the selection"],
    ],
  ],
  [
    "Inbox",
    [
      ["r", "Reply"],
      ["Ctrl Enter", "Send the reply"],
      ["h", "Snooze"],
      ["a", "Assign"],
      ["y", "Archive, or move to the inbox"],
      ["u", "Mark as unread"],
      ["#", "Delete the message"],
    ],
  ],
];
const ofPages: readonly Group[] = [
  [
    "Posts and broadcasts",
    [
      ["Ctrl S", "Save"],
      ["Ctrl B", "Bold"],
      ["Ctrl I", "Italic"],
      ["Ctrl K", "Link, in the text"],
      ["Alt 1 2 3", "Headings; Alt 0 for a paragraph"],
      ["Ctrl Shift 7 8 9", "Numbers, bullets, tasks"],
      ["Ctrl Shift .", "Quote"],
      ["Tab", "Indent a list, or the next cell of a table; Esc, then Tab leaves the text"],
      ["Ctrl F", "Find and replace"],
      ["/", "Insert, at the start of a line"],
      ["Ctrl Shift P", "Preview, and back to the text"],
      ["Ctrl Shift Enter", "Publish a post"],
      ["Ctrl Enter", "Review and send a broadcast"],
    ],
  ],
  [
    "Projects",
    [
      ["Space", "Pick up the project at its handle, or drop it"],
      ["↑ ↓", "Move the project"],
      ["Esc", "Cancel"],
    ],
  ],
];

const goTo = (frame: Frame): Group => ["Go to", pagesFor(frame).map(({ key, label }) => [`g ${key}`, label] as const)];

const Keys = ({ group: [where, shortcuts] }: { group: Group }) => (
  <section>
    <h2>{where}</h2>
    <dl class="keys">
      {shortcuts.map(([keys, meaning]) => (
        <div>
          <dt>
            {keys.split(" ").map((key) => (
              <kbd>{key}</kbd>
            ))}
          </dt>
          <dd>{meaning}</dd>
        </div>
      ))}
    </dl>
  </section>
);

/**
 * What `?` opens. The keys are handled in public/app/shortcuts.ts, public/app/palette.ts, public/editor.ts and
 * public/order.ts.
 */
export const ShortcutHelp = ({ frame }: { frame: Frame }) => (
  <>
    <div class="key-groups">
      {[ofLists, ofPages, [goTo(frame)]].map((groups) => (
        <div>
          {groups.map((group) => (
            <Keys group={group} />
          ))}
        </div>
      ))}
    </div>
    <p class="hint">On a Mac, press ⌘ for Ctrl. Single keys can be turned off in Settings, under Appearance.</p>
    <footer>
      <a class="btn" href={paths.overview} data-close data-focus>
        Close
      </a>
    </footer>
  </>
);
