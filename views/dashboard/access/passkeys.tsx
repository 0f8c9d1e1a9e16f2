import type { Passkey } from "../../../db/access/passkeys";
import { deviceName } from "../../components/device-name";
import { DialogLink } from "../../components/buttons";
import { Confirm } from "../../components/confirm";
import { Field, type Input } from "../../components/forms/fields";
import { Form } from "../../components/forms/form";
import type { Frame } from "../../components/frame";
import { Icon } from "../../components/icon";
import { Time } from "../../components/time";
import { paths } from "../../paths";
import { type AccessView, path } from "./access";

type AddPasskeyProps = { frame: Frame; device: AccessView["devices"][number] | undefined; input: Input };

/** Hidden until the script finds that the browser supports passkeys. */
const AddPasskey = ({ frame, device, input }: AddPasskeyProps) => (
  <div class="with-script" data-passkey="add" data-token={frame.token}>
    <div class="stack">
      <div class="field">
        <label for="passkey-name">Name of the new passkey</label>
        <input
          class="input"
          id="passkey-name"
          value={deviceName(device?.userAgent ?? null)}
          maxlength={input.maxlength}
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

/** A manager's passkeys, and adding another. */
export const Passkeys = ({ frame, keys, devices, current, isFresh, passkeyInput }: AccessView) => (
  <section class="card" aria-labelledby="passkeys">
    <header>
      <h2 id="passkeys">Passkeys</h2>
    </header>
    <div class="body">
      <p class="hint">Sign in with your fingerprint, face or a security key instead of a password.</p>
      {keys.length > 0 && (
        <ul class="lines">
          {keys.map((key) => (
            <OnePasskey frame={frame} passkey={key} input={passkeyInput} />
          ))}
        </ul>
      )}
      {isFresh ? (
        <AddPasskey frame={frame} device={devices.find(({ id }) => id === current)} input={passkeyInput} />
      ) : (
        <a href={`${paths.confirm}?next=${path}`}>Confirm your password to add one</a>
      )}
    </div>
  </section>
);

/** The question before a passkey is removed. What the device keeps of it is not removed. */
export const RemovePasskey = ({ frame, passkey: { id } }: Pick<PasskeyProps, "frame" | "passkey">) => (
  <Confirm
    frame={frame}
    action={`${paths.passkeys}/${encodeURIComponent(id)}/remove`}
    verb="Remove passkey"
    cancel={path}
  >
    <p>It no longer signs you in. Delete it on your device as well. This cannot be undone.</p>
  </Confirm>
);

type PasskeyProps = { frame: Frame; passkey: Passkey; input: Input };

function OnePasskey({ frame, passkey: { id, name, lastUsedAt }, input }: PasskeyProps) {
  const action = `${paths.passkeys}/${encodeURIComponent(id)}`;
  return (
    <li class="row">
      <span>
        <strong>{name}</strong>
        <span class="sub">
          {lastUsedAt ? (
            <>
              last used <Time at={lastUsedAt} clock={frame} />
            </>
          ) : (
            "never used"
          )}
        </span>
      </span>
      <DialogLink id={`remove-${id}`} class="btn quiet sm" href={`${action}/remove`} aria-label={`Remove ${name}`}>
        Remove…
      </DialogLink>
      <details class="renames">
        <summary aria-label={`Rename ${name}`}>Rename</summary>
        <Form action={`${action}/rename`} token={frame.token} class="stack" plain>
          <Field {...input} value={name} scope={id} autocomplete="off" />
          <footer>
            <button type="submit" class="btn sm">
              Save name
            </button>
          </footer>
        </Form>
      </details>
    </li>
  );
}
