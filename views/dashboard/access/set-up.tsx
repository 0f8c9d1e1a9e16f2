import { errorOf, ErrorSummary, type FieldError } from "../../components/field-errors";
import { Field } from "../../components/form";
import { DoorLayout, PasswordField } from "./signed-out-layout";
import { paths } from "../../paths";

type Entering = {
  token: string;
  /** What the link is for; the address of an invitation is fixed. */
  purpose: "setup" | "invite";
  email: string;
  name: string;
  errors?: FieldError[];
  problem?: string | undefined;
};

const labels = { email: "E-mail address", name: "Your name", password: "Password" };

export const SetUpPage = ({ token, purpose, email, name, errors = [], problem }: Entering) => (
  <DoorLayout
    title={purpose === "setup" ? "Set up Postroom" : "You are invited"}
    problem={problem}
    lead={
      purpose === "setup"
        ? "You become the owner: you can invite others later."
        : `Choose a password, and ${email} can sign in.`
    }
  >
    <form method="post" action={paths.setUp} class="stack">
      <ErrorSummary errors={errors} labels={labels} />
      <input type="hidden" name="token" value={token} />
      {purpose === "setup" ? (
        <Field
          name="email"
          label={labels.email}
          type="email"
          value={email}
          errors={errors}
          required
          autocomplete="username"
          maxlength={200}
        />
      ) : (
        <input type="hidden" name="email" value={email} autocomplete="username" />
      )}
      <Field
        name="name"
        label={labels.name}
        value={name}
        errors={errors}
        required
        autocomplete="name"
        maxlength={100}
      />
      <NewPassword errors={errors} />
      <button type="submit" class="btn primary">
        {purpose === "setup" ? "Create the owner" : "Join"}
      </button>
    </form>
  </DoorLayout>
);

type Resetting = { token: string; email: string; errors?: FieldError[]; problem?: string | undefined };

export const ResetPage = ({ token, email, errors = [], problem }: Resetting) => (
  <DoorLayout
    title="New password"
    problem={problem}
    lead={`For ${email}. You are signed out everywhere; the second step and passkeys are off until you set them up again.`}
  >
    <form method="post" action={paths.reset} class="stack">
      <input type="hidden" name="token" value={token} />
      <input type="hidden" name="email" value={email} autocomplete="username" />
      <NewPassword errors={errors} />
      <button type="submit" class="btn primary">
        Save and sign in
      </button>
    </form>
  </DoorLayout>
);

const NewPassword = ({ errors }: { errors: FieldError[] }) => (
  <PasswordField
    label={labels.password}
    autocomplete="new-password"
    hint="12 characters or more. A few unrelated words are good; symbols are not needed."
    error={errorOf(errors, "password", labels.password)}
  />
);

/** The same page for a link that is wrong, used or too old: it tells nobody which. */
export const DeadLinkPage = () => (
  <DoorLayout
    title="This link doesn’t work"
    lead="It was used already, is too old, or was cut in two. Nothing was changed."
  >
    <p>
      Each link works once. For the first set-up, restart the server: it prints a new link as long as there is no
      manager. Otherwise whoever runs the server makes one with <code>npm run postroom -- manager create</code> or{" "}
      <code>npm run postroom -- manager reset</code> and your e-mail address, or an owner invites you again.
    </p>
    <a class="btn" href={paths.signIn}>
      To the sign-in
    </a>
  </DoorLayout>
);
