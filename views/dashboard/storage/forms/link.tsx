import type { Frame } from "../../../components/frame";
import { Icon } from "../../../components/icon";
import { exact } from "../../../components/time";

type LinkProps = { frame: Frame; url: string; until: Date; cancel: string };

/** A link to share, and until when it works. */
export const LinkSheet = ({ frame, url, until, cancel }: LinkProps) => (
  <div class="stack">
    <p>
      Anyone with this link can download the file until <strong>{exact(until, frame.preferences)}</strong>. It cannot be
      revoked earlier.
    </p>
    <div class="secret">
      <label class="sr" for="link-url">
        Link
      </label>
      <input class="input" id="link-url" readonly value={url} data-secret />
      <button type="button" class="btn primary with-script" data-copy="#link-url" id="copy-link" data-focus>
        <Icon name="copy" />
        <span data-label>Copy</span>
      </button>
    </div>
    <footer>
      <a class="btn" href={cancel} data-close>
        Close
      </a>
    </footer>
  </div>
);
