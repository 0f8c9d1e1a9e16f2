import { Field } from "../../components/form";
import { Icon } from "../../components/icon";
import { DoorLayout, PasswordField } from "./signed-out-layout";
import { paths } from "../../paths";

type SignInProps = { next: string; email?: string; problem?: string };

export const SignInPage = ({ next, email, problem }: SignInProps) => (
  <DoorLayout title="Sign in" problem={problem} passkeys>
    <form method="post" action={paths.signIn} class="stack">
      <input type="hidden" name="next" value={next} />
      <Field
        name="email"
        label="E-mail address"
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
      <summary>You cannot sign in?</summary>
      <p>
        Whoever runs the server makes a link for a new password: <code>npm run postroom -- manager reset</code> and your
        e-mail address.
      </p>
    </details>
  </DoorLayout>
);

type SecondStepProps = { next: string; step: string; problem?: string };

export const SecondStepPage = ({ next, step, problem }: SecondStepProps) => (
  <DoorLayout
    title="Second step"
    problem={problem}
    lead="Type the six digits your authenticator shows now, or one of your recovery codes."
  >
    <form method="post" action={`${paths.signIn}/code`} class="stack">
      <input type="hidden" name="next" value={next} />
      <input type="hidden" name="step" value={step} />
      <Field name="code" label="Code" required autocomplete="one-time-code" maxlength={20} autofocus />
      <button type="submit" class="btn primary">
        Continue
      </button>
      <a href={paths.signIn}>Start again</a>
    </form>
  </DoorLayout>
);

type ConfirmProps = { email: string; token: string; next: string; problem?: string | undefined };

export const ConfirmPage = ({ email, token, next, problem }: ConfirmProps) => (
  <DoorLayout
    title="Your password, please"
    problem={problem}
    lead="What comes next decides who may enter, so we ask again after a while."
  >
    <form method="post" action={paths.confirm} class="stack">
      <input type="hidden" name="_token" value={token} />
      <input type="hidden" name="next" value={next} />
      <input type="hidden" name="email" value={email} autocomplete="username" />
      <PasswordField label={`Password of ${email}`} autocomplete="current-password" />
      <button type="submit" class="btn primary">
        Continue
      </button>
      <a href={paths.overview}>Not now</a>
    </form>
  </DoorLayout>
);

export const NobodyYetPage = () => (
  <DoorLayout title="Nobody can sign in yet" lead="This Postroom has no manager.">
    <p>
      Open the set-up link that the server printed when it started. It works once, for 60 minutes; a restart prints a
      new one, and so does <code>npm run postroom -- manager create</code> with your e-mail address.
    </p>
  </DoorLayout>
);
