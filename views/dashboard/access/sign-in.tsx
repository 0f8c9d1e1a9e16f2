import { asset } from "../../assets";
import { Field, type Input } from "../../components/forms/fields";
import { Icon } from "../../components/icon";
import type { Child } from "../../jsx/jsx-runtime";
import { paths } from "../../paths";
import { Fonts } from "../shell";

type DoorProps = { title: string; passkeys?: boolean; problem?: string | undefined; lead?: Child; children?: Child };

/** The layout of the signed-out pages: one sheet, one thing to do. */
export const SignedOutLayout = ({ title, passkeys, problem, lead, children }: DoorProps) => (
  <html lang="en">
    <head>
      <meta charset="utf-8" />
      <meta name="viewport" content="width=device-width, initial-scale=1" />
      <meta name="color-scheme" content="light dark" />
      <meta name="robots" content="noindex" />
      <title>{title} · Postroom</title>
      <link rel="expect" href="#main" blocking="render" />
      <script src={asset("early.js")} />
      <link rel="stylesheet" href={asset("app.css")} />
      <link rel="stylesheet" href={asset("door.css")} />
      <Fonts />
      <link rel="icon" href={asset("favicon.svg")} type="image/svg+xml" />
      {passkeys && <script src={asset("webauthn.js")} defer />}
      <script src={asset("door.js")} defer />
    </head>
    <body class="door">
      <header>
        <p class="brand">Postroom</p>
      </header>
      <main class="card sheet" id="main">
        <div class="body">
          <h1>{title}</h1>
          {lead && <p class="hint">{lead}</p>}
          {problem && (
            <div class="note bad" role="alert">
              <Icon name="circle-alert" />
              <p>{problem}</p>
            </div>
          )}
          {children}
        </div>
      </main>
    </body>
  </html>
);

type PasswordProps = {
  label: string;
  autocomplete: "current-password" | "new-password";
  hint?: string;
  maxlength?: number | undefined;
  error?: string | undefined;
  autofocus?: boolean;
};

/** A password field. With JavaScript, the password can be shown. */
export const PasswordField = ({ label, autocomplete, hint, maxlength, error, autofocus = false }: PasswordProps) => {
  const described = [hint && "password-hint", error && "password-error"].filter(Boolean).join(" ") || undefined;
  const minLength = autocomplete === "new-password" ? 12 : undefined;
  return (
    <div class="field">
      <label for="f-password">{label}</label>
      <div class="reveal">
        <input
          class="input"
          id="f-password"
          name="password"
          type="password"
          required
          minlength={minLength}
          maxlength={maxlength}
          autocomplete={autocomplete}
          aria-describedby={described}
          aria-invalid={error ? "true" : undefined}
          autofocus={autofocus || error !== undefined}
        />
        <button
          type="button"
          class="btn with-script"
          data-reveal="f-password"
          aria-label="Show password"
          aria-pressed="false"
        >
          Show
        </button>
      </div>
      {hint && (
        <p class="hint" id="password-hint">
          {hint}
        </p>
      )}
      {error && (
        <p class="error" id="password-error">
          <Icon name="circle-alert" />
          {error}
        </p>
      )}
    </div>
  );
};

const ended = "Your session has ended, and nothing was changed. Sign in to continue.";

/** `hasEnded`: whether they were signed in until now, and did something that was refused. */
type SignInProps = { next: string; email?: string; problem?: string; hasEnded?: boolean };

export const SignInPage = ({ next, email, problem, hasEnded = false }: SignInProps) => (
  <SignedOutLayout title="Sign in" problem={problem} lead={hasEnded && ended} passkeys>
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
      <PasswordField label={`Password for ${email}`} autocomplete="current-password" autofocus />
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

type SecondStepProps = { next: string; step: string; input: Input; problem?: string };

export const SecondStepPage = ({ next, step, input, problem }: SecondStepProps) => (
  <SignedOutLayout
    title="Two-step verification"
    problem={problem}
    lead="Enter the six-digit code from your authenticator app, or a recovery code."
  >
    <form method="post" action={`${paths.signIn}/code`} class="stack">
      <input type="hidden" name="next" value={next} />
      <input type="hidden" name="step" value={step} />
      <Field {...input} label="Code" required autocomplete="one-time-code" autofocus />
      <button type="submit" class="btn primary">
        Continue
      </button>
      <a href={paths.signIn}>Start again</a>
    </form>
  </SignedOutLayout>
);
