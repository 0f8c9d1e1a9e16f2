import { deviceName } from "../../components/device-name";
import type { Frame } from "../../components/frame";
import { Icon } from "../../components/icon";
import type { AccessView } from "./access";

/** Hidden until the script finds that the browser supports passkeys. */
export const AddPasskey = ({ frame, device }: { frame: Frame; device: AccessView["devices"][number] | undefined }) => (
  <div class="with-script" data-passkey="add" data-token={frame.token}>
    <div class="stack">
      <div class="field">
        <label for="passkey-name">Name of the new passkey</label>
        <input
          class="input"
          id="passkey-name"
          value={deviceName(device?.userAgent ?? null)}
          maxlength="60"
          autocomplete="off"
        />
      </div>
      <div>
        <button type="button" class="btn">
          <Icon name="fingerprint" />
          Add passkey
        </button>
      </div>
      <p class="error" role="alert" data-problem />
    </div>
  </div>
);
