import type { Passkey } from "../../../db/access/passkeys";
import { Field } from "../../components/forms/field";
import { Form } from "../../components/forms/form";
import type { Frame } from "../../components/frame";
import { Time } from "../../components/time";
import { paths } from "../../paths";
import { type AccessView, path } from "./access";
import { AddPasskey } from "./add-passkey";

/** A manager's passkeys, and adding another. */
export const Passkeys = ({ frame, keys, devices, current, isFresh }: AccessView) => (
  <section class="card" aria-labelledby="passkeys">
    <header>
      <h2 id="passkeys">Passkeys</h2>
    </header>
    <div class="body">
      <p class="hint">Sign in with your fingerprint, face or a security key instead of a password.</p>
      {keys.length > 0 && (
        <ul class="lines">
          {keys.map((key) => (
            <OnePasskey frame={frame} passkey={key} />
          ))}
        </ul>
      )}
      {isFresh ? (
        <AddPasskey frame={frame} device={devices.find(({ id }) => id === current)} />
      ) : (
        <a href={`${paths.confirm}?next=${path}`}>Confirm your password to add one</a>
      )}
    </div>
  </section>
);

function OnePasskey({ frame, passkey: { id, name, lastUsedAt } }: { frame: Frame; passkey: Passkey }) {
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
      <Form action={`${action}/remove`} token={frame.token} plain>
        <button type="submit" class="btn quiet sm" aria-label={`Remove ${name}`}>
          Remove
        </button>
      </Form>
      <details class="renames">
        <summary aria-label={`Rename ${name}`}>Rename</summary>
        <Form action={`${action}/rename`} token={frame.token} class="stack" plain>
          <Field name="name" label="Passkey name" value={name} maxlength={60} required scope={id} autocomplete="off" />
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
