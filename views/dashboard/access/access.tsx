import type { Passkey } from "../../../db/access/passkeys";
import type { Session } from "../../../db/access/sessions/sessions";
import { Badge } from "../../components/badge";
import { Form } from "../../components/forms/form";
import type { Frame } from "../../components/frame";
import { Icon } from "../../components/icon";
import { plural } from "../../components/list";
import { paths } from "../../paths";

export type AccessView = {
  frame: Frame;
  keys: Passkey[];
  devices: Session[];
  /** The ID of the current session. */
  current: string;
  second: { isOn: boolean; codesLeft: number };
  /** The password was confirmed recently, so sensitive actions are allowed. */
  isFresh: boolean;
};

export const path = paths.account;

export const SecondStep = ({ frame, second }: AccessView) => (
  <section class="card" aria-labelledby="second-step">
    <header>
      <h2 id="second-step">Two-step verification</h2>
      {second.isOn ? <Badge tone="good">On</Badge> : <Badge tone="off">Off</Badge>}
    </header>
    <div class="body">
      {second.isOn ? (
        <>
          <p class="hint">
            Signing in asks for a code from your authenticator app. {plural(second.codesLeft, "recovery code")} left.
          </p>
          <div class="row">
            <Form action={`${path}/second-step/codes`} token={frame.token} plain>
              <button type="submit" class="btn">
                New recovery codes
              </button>
            </Form>
            <Form action={`${path}/second-step/off`} token={frame.token} plain>
              <button type="submit" class="btn quiet">
                Turn off
              </button>
            </Form>
          </div>
        </>
      ) : (
        <>
          <p class="hint">Adds a code from your phone, so a stolen password is not enough to sign in.</p>
          <p>
            <a class="btn" href={`${path}/second-step`}>
              <Icon name="smartphone" />
              Set up
            </a>
          </p>
        </>
      )}
    </div>
  </section>
);
