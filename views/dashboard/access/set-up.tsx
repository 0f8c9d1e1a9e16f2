import { errorOf, ErrorSummary, type FieldError } from "../../components/forms/field-errors";
import { Field, type Input, labelsOf } from "../../components/forms/fields";
import { type Role, roleSentence, roleTexts } from "../../components/roles";
import { paths } from "../../paths";
import { PasswordField, SignedOutLayout } from "./sign-in";

type Entering = {
  token: string;
  /** What the link is for; the address of an invitation is fixed. */
  purpose: "setup" | "invite";
  role: Role;
  siteTitle: string;
  email: string;
  name: string;
  inputs: Record<"email" | "name" | "password", Input>;
  errors?: FieldError[];
  problem?: string | undefined;
};

const passwordLabel = "Password";

export const SetUpPage = ({ token, purpose, role, siteTitle, email, name, inputs, errors = [], problem }: Entering) => (
  <SignedOutLayout
    title={purpose === "setup" ? "Create your account" : `You’ve been invited as ${roleTexts[role].article}`}
    problem={problem}
    lead={
      purpose === "setup"
        ? "You will be the owner of this Postroom. You can invite others later."
        : `This is the dashboard of ${siteTitle}. ${roleSentence[role]} Choose a password for ${email}.`
    }
  >
    <form method="post" action={paths.setUp} class="stack">
      <ErrorSummary errors={errors} labels={{ ...labelsOf(inputs), password: passwordLabel }} />
      <input type="hidden" name="token" value={token} />
      {purpose === "setup" ? (
        <Field {...inputs.email} value={email} errors={errors} autocomplete="username" autofocus />
      ) : (
        <input type="hidden" name="email" value={email} autocomplete="username" />
      )}
      <Field {...inputs.name} value={name} errors={errors} autocomplete="name" autofocus={purpose === "invite"} />
      <NewPassword errors={errors} input={inputs.password} />
      <button type="submit" class="btn primary">
        {purpose === "setup" ? "Create owner account" : "Create account"}
      </button>
      {purpose === "setup" && (
        <p class="hint next">Next, you name your site, connect an email provider and generate an API key.</p>
      )}
    </form>
  </SignedOutLayout>
);

type NewPasswordProps = { errors: FieldError[]; input: Input; autofocus?: boolean };

const NewPassword = ({ errors, input, autofocus = false }: NewPasswordProps) => (
  <PasswordField
    autofocus={autofocus}
    maxlength={input.maxlength}
    label={passwordLabel}
    autocomplete="new-password"
    hint="At least 12 characters. A few unrelated words work well; no symbols needed."
    error={errorOf(errors, "password", passwordLabel)}
  />
);

/** The same page for a link that is wrong, used or expired; it does not say which. */
export const DeadLinkPage = () => (
  <SignedOutLayout
    title="This link doesn’t work"
    lead="It has been used, has expired, or is incomplete. Nothing was changed."
  >
    <p>
      Each link works once. For first-time setup, restart the server to print a new link. Otherwise ask an owner for a
      new invitation, or ask the server’s administrator to run <code>npm run postroom -- manager create</code> or{" "}
      <code>npm run postroom -- manager reset</code> with your email address.
    </p>
    <a class="btn" href={paths.signIn}>
      Go to sign-in
    </a>
  </SignedOutLayout>
);

type Resetting = { token: string; email: string; input: Input; errors?: FieldError[]; problem?: string | undefined };

export const ResetPage = ({ token, email, input, errors = [], problem }: Resetting) => (
  <SignedOutLayout
    title="New password"
    problem={problem}
    lead={`For ${email}. Saving signs you out of all devices and turns off two-step verification and passkeys; you can set them up again afterwards.`}
  >
    <form method="post" action={paths.reset} class="stack">
      <input type="hidden" name="token" value={token} />
      <input type="hidden" name="email" value={email} autocomplete="username" />
      <NewPassword errors={errors} input={input} autofocus />
      <button type="submit" class="btn primary">
        Save and sign in
      </button>
    </form>
  </SignedOutLayout>
);
