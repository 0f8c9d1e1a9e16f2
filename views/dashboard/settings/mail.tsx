import { Badge } from "../../components/badge";
import { Form } from "../../components/forms/form";
import type { Frame } from "../../components/frame";
import { paths } from "../../paths";

/** `provider` is undefined while emails are only logged. */
export type MailView = { provider: string | undefined; from: string; owner: string | undefined; recipient: string };

/** @param requested a test email has just been requested */
export const Mail = ({ mail, frame, requested }: { mail: MailView; frame: Frame; requested?: boolean }) => (
  <Form action={`${paths.settings}/test-mail`} token={frame.token} id="form-mail" label="Email" class="card">
    <div class="body">
      <dl class="facts">
        <dt>Provider</dt>
        <dd>
          {mail.provider ? <Badge tone="good">{mail.provider}</Badge> : <Badge tone="warn">Not configured</Badge>}
          {!mail.provider && <span class="hint"> Emails are logged, not sent. Set MAILER_API_KEY to send them.</span>}
        </dd>
        <dt>From</dt>
        <dd>{mail.from}</dd>
        <dt>Notifications to</dt>
        <dd>{mail.owner ?? <span class="none">None. Set an email address under Owner.</span>}</dd>
      </dl>
      <div class="save">
        <button type="submit" class="btn" id="send-test">
          Send test email
        </button>
        <p class="hint">
          To {mail.recipient}
          {requested && ". Sending… "}
          {requested && <a href={`${paths.mails}?kind=test`}>View in Emails</a>}
        </p>
      </div>
    </div>
  </Form>
);
