import { DialogFooter } from "../../components/dialog";
import type { FieldError } from "../../components/forms/field-errors";
import { Field } from "../../components/forms/field";
import { Form } from "../../components/forms/form";
import type { Frame } from "../../components/frame";
import { Icon } from "../../components/icon";
import { exact } from "../../components/time";
import { paths } from "../../paths";
import { Choice } from "../../components/forms/choices";
import { CopyButton } from "../../components/copy-button";

const path = paths.managers;

export const roles = [
  ["manager", "Manager"],
  ["owner", "Owner"],
] as const;

type InviteProps = {
  frame: Frame;
  email?: string | undefined;
  errors?: FieldError[] | undefined;
  /** Whether there is a provider who delivers the invitation. */
  canMail: boolean;
};

export const InviteForm = ({ frame, email, errors = [], canMail }: InviteProps) => (
  <Form action={`${path}/invite`} token={frame.token} class="stack">
    <Field
      name="email"
      label="Email address"
      type="email"
      value={email}
      errors={errors}
      required
      maxlength={200}
      autocomplete="off"
      autofocus
    />
    <Choice name="role" label="Role" value="manager" options={roles} hint="Owners also manage access." />
    {canMail && (
      <Choice
        name="by"
        label="Invitation"
        value="email"
        options={[
          ["email", "Send the link by email"],
          ["link", "Show me the link"],
        ]}
      />
    )}
    <DialogFooter cancel={path}>{canMail ? "Invite manager" : "Create invitation link"}</DialogFooter>
  </Form>
);

type LinkProps = { email: string; link: { url: string; expiresAt: Date }; frame: Frame; back: string };

/** The only time the link is shown: the database has its hash. */
export const InvitationLink = ({ email, link, frame, back }: LinkProps) => (
  <div class="stack">
    <div class="note">
      <Icon name="triangle-alert" />
      <p>
        The first person to open this link gets access. Send it to <strong>{email}</strong> yourself, through a channel
        you trust. It will not be shown again.
      </p>
    </div>
    <div class="field">
      <label for="invitation">Single-use link, valid until {exact(link.expiresAt, frame.preferences)}</label>
      <div class="secret">
        <input class="input" id="invitation" value={link.url} readonly autocomplete="off" data-secret data-focus />
        <CopyButton from="invitation" class="btn primary" />
      </div>
    </div>
    <footer>
      <a class="btn" href={back}>
        Done
      </a>
    </footer>
  </div>
);
