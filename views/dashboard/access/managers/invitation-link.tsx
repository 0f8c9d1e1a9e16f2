import type { Frame } from "../../../components/frame";
import { Icon } from "../../../components/icon";
import { exact } from "../../../components/time";
import { CopyButton } from "../../../components/copy-button";

type LinkProps = { email: string; link: { url: string; expiresAt: Date }; frame: Frame; back: string };

/** The link, shown this once: the database has only its hash. */
export const InvitationLink = ({ email, link, frame, back }: LinkProps) => (
  <div class="stack">
    <div class="note">
      <Icon name="triangle-alert" />
      <p>
        The first person to open this link gets access. Send it to <strong>{email}</strong> yourself, through a channel
        you trust. It will not be shown again.
      </p>
    </div>
    <div class="field">
      <label for="invitation">Single-use link, valid until {exact(link.expiresAt, frame.preferences)}</label>
      <div class="secret">
        <input class="input" id="invitation" value={link.url} readonly autocomplete="off" data-secret data-focus />
        <CopyButton from="invitation" class="btn primary" />
      </div>
    </div>
    <footer>
      <a class="btn" href={back}>
        Done
      </a>
    </footer>
  </div>
);
