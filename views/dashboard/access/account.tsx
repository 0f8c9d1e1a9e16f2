import { asset } from "../../assets";
import { Field } from "../../components/forms/field";
import { Form } from "../../components/forms/form";
import { Head } from "../shell";
import { SecondStep } from "./access";
import { Devices } from "./devices";
import { Passkeys } from "./passkeys";
import { Times } from "./times";
import { type AccountView, Password, path } from "./change-password";

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
