import type { Passkey } from "../../../db/access/passkeys";
import type { Session } from "../../../db/access/sessions";
import { DialogLink } from "../../components/buttons";
import { Badge } from "../../components/badge";
import type { FieldError } from "../../components/forms/field-errors";
import { Form } from "../../components/forms/form";
import { Choice, type Input } from "../../components/forms/fields";
import type { Frame } from "../../components/frame";
import { Icon } from "../../components/icon";
import { plural } from "../../components/list";
import { dateStyles, exact, zoneOptions } from "../../components/time";
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
  /** The field for a passkey’s name. */
  passkeyInput: Input;
};

export const path = paths.account;

export const SecondStep = ({ second }: Pick<AccessView, "second">) => (
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
            <DialogLink id="new-codes" href={`${paths.twoFactor}/codes`}>
              New recovery codes…
            </DialogLink>
            <DialogLink id="turn-off" class="btn quiet" href={`${paths.twoFactor}/off`}>
              Turn off…
            </DialogLink>
          </div>
        </>
      ) : (
        <>
          <p class="hint">Adds a code from your phone, so a stolen password is not enough to sign in.</p>
          <p>
            <a class="btn" href={`${path}/second-step`}>
              <Icon name="smartphone" />
              <span>
                Set up<span class="sr"> two-step verification</span>
              </span>
            </a>
          </p>
        </>
      )}
    </div>
  </section>
);

export type TimesView = {
  /** The chosen value; "" follows the browser. */
  chosen: string;
  /** The browser's value, if it sent one. */
  browser: string | undefined;
};

const spaced = (zone: string) => zone.replaceAll("_", " ");

/** The time zone and format in which the dashboard shows times. */
export const Times = ({ frame, errors, times }: { frame: Frame; errors: FieldError[]; times: TimesView }) => (
  <section class="card times" aria-labelledby="times">
    <header>
      <h2 id="times">Dates and times</h2>
    </header>
    <Form action={`${paths.account}/times`} token={frame.token} class="body" plain>
      <Choice
        name="timeZone"
        label="Time zone"
        value={times.chosen}
        options={[
          ["", times.browser ? `Same as the browser (${spaced(times.browser)})` : "Same as the browser"],
          ...zoneOptions(times.chosen),
        ]}
        errors={errors}
        hint={`It is ${exact(frame.now, frame.preferences)} there now.`}
      />
      <Choice
        name="dates"
        label="Date format"
        value={frame.preferences.dates}
        options={dateStyles.map((dates) => [dates, exact(frame.now, { ...frame.preferences, dates })] as const)}
        errors={errors}
      />
      <footer>
        <button type="submit" class="btn">
          Save dates and times
        </button>
      </footer>
    </Form>
  </section>
);
