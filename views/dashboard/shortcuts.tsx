const shortcuts: [keys: string, meaning: string][] = [
  ["/", "Search"],
  ["j k", "Next and previous row"],
  ["x", "Select the row"],
  ["Enter", "Open"],
  ["r", "Reply to the message"],
  ["y", "Archive it, or back to the inbox"],
  ["u", "Mark it unread"],
  ["#", "Delete it"],
  ["g o", "Overview"],
  ["g n", "Newsletter"],
  ["g c", "Contact"],
  ["g e", "Emails"],
  ["g p", "Posts"],
  ["g r", "Projects"],
  ["g s", "Storage"],
  ["g k", "API keys"],
  ["g l", "Audit log"],
  ["g m", "Managers"],
  ["g ,", "Settings"],
  ["Esc", "Close, or leave the search"],
  ["?", "This help"],
];

/** What the `?` opens. The keys are at work in public/app.ts. */
export const ShortcutHelp = () => (
  <dialog class="dialog" id="shortcuts" aria-labelledby="shortcuts-title">
    <form method="dialog" class="body">
      <h2 id="shortcuts-title">Keyboard shortcuts</h2>
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
      <p class="hint">They can be switched off in Settings, under Appearance.</p>
      <footer>
        <button type="submit" class="btn">
          Close
        </button>
      </footer>
    </form>
  </dialog>
);
