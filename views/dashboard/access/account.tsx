import { asset } from "../../assets";
import type { FieldError } from "../../components/forms/field-errors";
import { Field } from "../../components/forms/field";
import { Form } from "../../components/forms/form";
import { type AccessView, Devices, SecondStep } from "./access";
import { Head } from "../shell";
import { paths } from "../../paths";
import { Passkeys } from "./passkeys";
import { Times, type TimesView } from "./times";

type AccountView = AccessView & {
  errors: FieldError[];
  times: TimesView;
};

const path = paths.account;

export const AccountPage = (view: AccountView) => (
  <>
    <Head title="Your account" lead={`${view.frame.manager.email} · ${view.frame.manager.role}`} />
    <div class="columns">
      <div class="stack">
        <You {...view} />
        <Password {...view} />
        <Times {...view} />
      </div>
      <div class="stack">
        <SecondStep {...view} />
        <Passkeys {...view} />
        <Devices {...view} />
      </div>
    </div>
    <script src={asset("webauthn.js")} defer />
    <script src={asset("door.js")} defer />
  </>
);

const You = ({ frame, errors }: AccountView) => (
  <section class="card" aria-labelledby="you">
    <header>
      <h2 id="you">Name</h2>
    </header>
    <Form action={`${path}/name`} token={frame.token} class="body" plain>
      <Field
        name="name"
        label="Your name"
        value={frame.manager.name}
        errors={errors}
        required
        maxlength={100}
        autocomplete="name"
      />
      <footer>
        <button type="submit" class="btn">
          Save name
        </button>
      </footer>
    </Form>
  </section>
);

const Password = ({ frame, errors }: AccountView) => (
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
        name="password"
        label="New password"
        type="password"
        errors={errors}
        required
        minlength={12}
        maxlength={128}
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
