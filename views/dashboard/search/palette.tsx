import { Icon } from "../../components/icon";
import { paths } from "../../paths";

/** Opens the palette. Without a script, or in a new tab, it opens the page with the same results. */
export const SearchLink = ({ isSmall = false }: { isSmall?: boolean }) => (
  <a
    class="find"
    href={paths.search}
    data-palette
    aria-label={isSmall ? "Search everything" : undefined}
    aria-keyshortcuts="Control+K Meta+K"
  >
    <Icon name="search" />
    {!isSmall && "Search"}
    {!isSmall && <kbd aria-hidden="true">Ctrl K</kbd>}
  </a>
);

/** The command palette, in every page from the start so that it opens before the server responds. */
export const Palette = ({ longest }: { longest: number | undefined }) => (
  <dialog class="dialog palette" id="palette" aria-labelledby="palette-name">
    <h2 class="sr" id="palette-name">
      Search and commands
    </h2>
    <form
      class="ask"
      role="search"
      method="get"
      action={paths.search}
      hx-get={paths.search}
      hx-target="#palette-found"
      hx-swap="innerHTML"
      hx-trigger="input delay:150ms, palette"
      hx-sync="this:replace"
    >
      <Icon name="search" />
      <label class="sr" for="palette-q">
        Search people, messages, posts, projects, files and broadcasts, or type a command
      </label>
      <input
        id="palette-q"
        name="q"
        type="text"
        placeholder="Search, or type a command"
        autocomplete="off"
        spellcheck="false"
        maxlength={longest}
        role="combobox"
        aria-expanded="false"
        aria-controls="palette-list"
        aria-autocomplete="list"
      />
      <input type="hidden" name="recent" />
      <kbd aria-hidden="true">Esc</kbd>
    </form>
    <div id="palette-found" />
    <p class="sr" role="status" />
  </dialog>
);
