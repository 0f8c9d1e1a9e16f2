import type { Passkey } from "../../../db/access/passkeys";
import type { Session } from "../../../db/access/sessions";
import { Badge } from "../../components/badge";
import { deviceName } from "../../components/device-name";
import { Form } from "../../components/forms/form";
import type { Frame } from "../../components/frame";
import { Icon } from "../../components/icon";
import { plural } from "../../components/list";
import { Time } from "../../components/time";
import { paths } from "../../paths";

export type AccessView = {
  frame: Frame;
  keys: Passkey[];
  devices: Session[];
  /** The id of the session this is. */
  current: string;
  second: { isOn: boolean; codesLeft: number };
  /** The password was typed lately: what is sensitive may be done here. */
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

export const Devices = ({ frame, devices, current }: AccessView) => (
  <section class="card" aria-labelledby="devices">
    <header>
      <h2 id="devices">Signed-in devices</h2>
    </header>
    <div class="body">
      <ul class="lines">
        {devices.map((device) => (
          <li class="row">
            <span>
              <strong>{deviceName(device.userAgent)}</strong>
              <span class="sub">
                {device.address} · <Time at={device.seenAt} clock={frame} />
              </span>
            </span>
            {device.id === current ? (
              <Badge tone="good">This device</Badge>
            ) : (
              <Form action={`${path}/sessions/${device.id}/end`} token={frame.token} plain>
                <button type="submit" class="btn quiet sm" aria-label={`Sign out ${deviceName(device.userAgent)}`}>
                  Sign out
                </button>
              </Form>
            )}
          </li>
        ))}
      </ul>
      {devices.length > 1 && (
        <Form action={`${path}/sessions/end-others`} token={frame.token} plain>
          <button type="submit" class="btn">
            Sign out of all other devices
          </button>
        </Form>
      )}
    </div>
  </section>
);
