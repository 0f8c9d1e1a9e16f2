import type { FieldError } from "../../../components/forms/field-errors";
import { paths } from "../../../paths";
import { SignedOutLayout } from "./layout";
import { NewPassword } from "./set-up";

type Resetting = { token: string; email: string; errors?: FieldError[]; problem?: string | undefined };

export const ResetPage = ({ token, email, errors = [], problem }: Resetting) => (
  <SignedOutLayout
    title="New password"
    problem={problem}
    lead={`For ${email}. Saving signs you out of all devices and turns off two-step verification and passkeys; you can set them up again afterwards.`}
  >
    <form method="post" action={paths.reset} class="stack">
      <input type="hidden" name="token" value={token} />
      <input type="hidden" name="email" value={email} autocomplete="username" />
      <NewPassword errors={errors} />
      <button type="submit" class="btn primary">
        Save and sign in
      </button>
    </form>
  </SignedOutLayout>
);
