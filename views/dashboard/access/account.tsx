import { asset } from "../../assets";
import { Badge } from "../../components/badge";
import { deviceName } from "../../components/device-name";
import type { FieldError } from "../../components/forms/field-errors";
import { Field, type Input } from "../../components/forms/fields";
import { Form } from "../../components/forms/form";
import { Time } from "../../components/time";
import { paths } from "../../paths";
import { Head } from "../shell";
import { type AccessView, SecondStep, Times, type TimesView } from "./access";
import { Passkeys } from "./passkeys";

type AccountView = AccessView & {
  errors: FieldError[];
  times: TimesView;
  inputs: Record<"name" | "password", Input>;
};

const path = paths.account;

const Password = ({ frame, errors, inputs }: AccountView) => (
  <section class="card" aria-labelledby="password">
    <header>
      <h2 id="password">Password</h2>
    </header>
    <Form action={`${path}/password`} token={frame.token} class="body" plain>
      <p class="hint">Changing your password signs you out of all other devices.</p>
      <input type="hidden" name="email" value={frame.manager.email} autocomplete="username" />
      <Field
        name="current"
        label="Current password"
        type="password"
        errors={errors}
        required
        autocomplete="current-password"
      />
      <Field
        {...inputs.password}
        label="New password"
        type="password"
        errors={errors}
        required
        minlength={12}
        autocomplete="new-password"
        hint="At least 12 characters. A few unrelated words work well; no symbols needed."
      />
      <footer>
        <button type="submit" class="btn">
          Change password
        </button>
      </footer>
    </Form>
  </section>
);

const Devices = ({ frame, devices, current }: AccessView) => (
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

export const AccountPage = (view: AccountView) => (
  <>
    <Head title="Your account" lead={`${view.frame.manager.email} · ${view.frame.manager.role}`} />
    <div class="columns">
      <div class="stack">
        <You {...view} />
        <Password {...view} />
      </div>
      <div class="stack">
        <SecondStep {...view} />
        <Passkeys {...view} />
        <Devices {...view} />
      </div>
      <Times {...view} />
    </div>
    <script src={asset("webauthn.js")} defer />
    <script src={asset("door.js")} defer />
  </>
);

const You = ({ frame, errors, inputs }: AccountView) => (
  <section class="card" aria-labelledby="you">
    <header>
      <h2 id="you">Name</h2>
    </header>
    <Form action={`${path}/name`} token={frame.token} class="body" plain>
      <Field {...inputs.name} value={frame.manager.name} errors={errors} autocomplete="name" />
      <p class="hint">
        The address that signs you in cannot be changed. An owner can invite the new one under Managers, then remove
        this account and keep its API keys, webhooks and scheduled broadcasts.
      </p>
      <footer>
        <button type="submit" class="btn">
          Save name
        </button>
      </footer>
    </Form>
  </section>
);
