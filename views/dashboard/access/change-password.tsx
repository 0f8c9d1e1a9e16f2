import type { FieldError } from "../../components/forms/field-errors";
import { Field } from "../../components/forms/field";
import { Form } from "../../components/forms/form";
import { paths } from "../../paths";
import type { AccessView } from "./access";
import type { TimesView } from "./times";

export type AccountView = AccessView & {
  errors: FieldError[];
  times: TimesView;
};

export const path = paths.account;

export const Password = ({ frame, errors }: AccountView) => (
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
