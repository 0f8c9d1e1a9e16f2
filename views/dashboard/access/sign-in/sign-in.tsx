import { Field } from "../../../components/forms/field";
import { Icon } from "../../../components/icon";
import { paths } from "../../../paths";
import { SignedOutLayout } from "./layout";
import { PasswordField } from "./password-field";

type SignInProps = { next: string; email?: string; problem?: string };

export const SignInPage = ({ next, email, problem }: SignInProps) => (
  <SignedOutLayout title="Sign in" problem={problem} passkeys>
    <form method="post" action={paths.signIn} class="stack">
      <input type="hidden" name="next" value={next} />
      <Field
        name="email"
        label="Email address"
        type="email"
        value={email}
        required
        autocomplete="username webauthn"
        autofocus
      />
      <PasswordField label="Password" autocomplete="current-password" />
      <button type="submit" class="btn primary">
        Sign in
      </button>
    </form>
    <div class="with-script" data-passkey="sign-in" data-next={next}>
      <div class="stack">
        <p class="or">or</p>
        <button type="button" class="btn">
          <Icon name="fingerprint" />
          Sign in with a passkey
        </button>
        <p class="error" role="alert" data-problem />
      </div>
    </div>
    <details class="hint">
      <summary>Can’t sign in?</summary>
      <p>
        Ask the server’s administrator to run <code>npm run postroom -- manager reset</code> with your email address. It
        prints a link for setting a new password.
      </p>
    </details>
  </SignedOutLayout>
);

type ConfirmProps = { email: string; token: string; next: string; problem?: string | undefined };

export const ConfirmPage = ({ email, token, next, problem }: ConfirmProps) => (
  <SignedOutLayout
    title="Confirm your password"
    problem={problem}
    lead="For security, confirm your password to continue."
  >
    <form method="post" action={paths.confirm} class="stack">
      <input type="hidden" name="_token" value={token} />
      <input type="hidden" name="next" value={next} />
      <input type="hidden" name="email" value={email} autocomplete="username" />
      <PasswordField label={`Password for ${email}`} autocomplete="current-password" />
      <button type="submit" class="btn primary">
        Continue
      </button>
      <a href={paths.overview}>Not now</a>
    </form>
  </SignedOutLayout>
);

export const NobodyYetPage = () => (
  <SignedOutLayout title="Postroom is not set up yet" lead="There is no manager account.">
    <p>
      Open the setup link that the server printed when it started. It works once and expires after 60 minutes. To get a
      new one, restart the server or run <code>npm run postroom -- manager create</code> with your email address.
    </p>
  </SignedOutLayout>
);
