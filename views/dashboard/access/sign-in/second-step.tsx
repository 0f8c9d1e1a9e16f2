import { Field } from "../../../components/forms/field";
import { paths } from "../../../paths";
import { SignedOutLayout } from "./layout";

type SecondStepProps = { next: string; step: string; problem?: string };

export const SecondStepPage = ({ next, step, problem }: SecondStepProps) => (
  <SignedOutLayout
    title="Two-step verification"
    problem={problem}
    lead="Enter the six-digit code from your authenticator app, or a recovery code."
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
  </SignedOutLayout>
);
