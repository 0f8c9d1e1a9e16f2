import { CopyButton } from "../../components/buttons";
import { Confirm } from "../../components/confirm";
import { Field, type Input } from "../../components/forms/fields";
import { Form } from "../../components/forms/form";
import type { Frame } from "../../components/frame";
import { Icon } from "../../components/icon";
import { plural } from "../../components/list";
import { paths } from "../../paths";
import { Head } from "../shell";

/** A QR code, black on white in every theme: scanners are not made for light on dark. */
function QrCode({ modules, label }: { modules: boolean[][]; label: string }) {
  const size = modules.length;
  return (
    <svg class="qr" viewBox={`0 0 ${size} ${size}`} role="img" aria-label={label} shape-rendering="crispEdges">
      <path fill="#fff" d={`M0 0h${size}v${size}H0z`} />
      <path fill="#000" d={modules.map(rowOf).join("")} />
    </svg>
  );
}

/** The dark modules of a row, one rectangle for each run. */
const rowOf = (row: boolean[], y: number) =>
  [
    ...row
      .map((isDark) => (isDark ? "#" : " "))
      .join("")
      .matchAll(/#+/g),
  ]
    .map(({ 0: run, index }) => `M${index} ${y}h${run.length}v1h-${run.length}z`)
    .join("");

type SetUpProps = {
  frame: Frame;
  secret: string;
  url: string;
  /** The URL as a QR code, dark modules true. */
  modules: boolean[][];
  draft: string;
  input: Input;
  problem?: string | undefined;
};

export const SecondStepSetUp = ({ secret, url, modules, ...form }: SetUpProps) => (
  <>
    <Head
      title="Set up two-step verification"
      lead="After your password, you enter a code from an authenticator app on your phone."
    />
    <section class="card sheet">
      <div class="body">
        <h2>1. Add this account to your authenticator app</h2>
        <p>Scan this QR code with the app.</p>
        <QrCode modules={modules} label="QR code for your authenticator app" />
        <p>
          If the app is on this device, open the link. You can also enter the secret (time-based, 6 digits, 30 seconds).
        </p>
        <p>
          <a class="btn" href={url}>
            <Icon name="smartphone" />
            Open in authenticator app
          </a>
        </p>
        <Secret secret={secret} />
        <h2>2. Enter the code from the app</h2>
        <CodeForm {...form} />
      </div>
    </section>
  </>
);

const Secret = ({ secret }: { secret: string }) => (
  <div class="field">
    <label for="totp-secret">Secret</label>
    <div class="secret">
      <input class="input" id="totp-secret" value={grouped(secret)} readonly autocomplete="off" data-secret />
      <CopyButton from="totp-secret" />
    </div>
  </div>
);

const CodeForm = ({ frame, draft, input, problem }: Pick<SetUpProps, "frame" | "draft" | "input" | "problem">) => (
  <Form action={paths.twoFactor} token={frame.token} class="stack" plain>
    <input type="hidden" name="draft" value={draft} />
    <Field
      {...input}
      label="Code"
      inputmode="numeric"
      autocomplete="one-time-code"
      required
      errors={problem ? [{ field: "code", message: problem }] : []}
    />
    <footer>
      <a class="btn" href={paths.account}>
        Cancel
      </a>
      <button type="submit" class="btn primary">
        Turn on
      </button>
    </footer>
  </Form>
);

const grouped = (secret: string) => secret.replace(/(.{4})(?=.)/g, "$1 ");

/** The question before it is turned off. */
export const TurnOffSecondStep = ({ frame, passkeys }: { frame: Frame; passkeys: number }) => (
  <Confirm frame={frame} action={`${paths.twoFactor}/off`} verb="Turn off" cancel={paths.account}>
    <p>
      {passkeys > 0 ? "Besides your passkeys, your" : "Your"} password alone will sign you in, for you and for anyone
      who knows it. Your recovery codes will stop working. To turn it on again, you set it up anew.
    </p>
  </Confirm>
);

/** The question before those that are left end. */
export const ReplaceCodes = ({ frame, left }: { frame: Frame; left: number }) => (
  <Confirm
    frame={frame}
    action={`${paths.twoFactor}/codes`}
    verb="Make new codes"
    cancel={paths.account}
    isHarmless={left === 0}
    isPlain
  >
    <p>{left > 0 && `${plural(left, "code")} that you still have will stop working. `}The new codes are shown once.</p>
  </Confirm>
);

/** The codes, shown this once: the database has only their hashes. */
export const RecoveryCodesPage = ({ codes }: { codes: string[] }) => (
  <>
    <Head
      title="Recovery codes"
      isFocused
      lead="Two-step verification is on. Each code lets you sign in once if you lose access to your authenticator app."
    />
    <section class="card sheet">
      <div class="body">
        <div class="note">
          <Icon name="triangle-alert" />
          <p>Copy these codes, write them down or print this page now. They will not be shown again.</p>
        </div>
        <ul class="codes" id="recovery-codes">
          {codes.map((code) => (
            <li>{code}</li>
          ))}
        </ul>
        <footer>
          <CopyButton from="recovery-codes" id="copy-codes" />
          <a class="btn primary" href={paths.account}>
            I have saved them
          </a>
        </footer>
      </div>
    </section>
  </>
);
