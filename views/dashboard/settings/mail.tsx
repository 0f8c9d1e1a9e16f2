import { Badge } from "../../components/badge";
import { Form } from "../../components/form";
import type { Frame } from "../../components/frame";
import { paths } from "../../paths";

export type MailView = { isLive: boolean; from: string; owner: string | undefined; recipient: string };

/** @param requested a test e-mail was just asked for */
export const Mail = ({ mail, frame, requested }: { mail: MailView; frame: Frame; requested?: boolean }) => (
  <Form action={`${paths.settings}/test-mail`} token={frame.token} id="form-mail" label="E-mail" class="card">
    <div class="body">
      <dl class="facts">
        <dt>Provider</dt>
        <dd>
          {mail.isLive ? <Badge tone="good">Set in the environment</Badge> : <Badge tone="warn">Not set</Badge>}
          {!mail.isLive && <span class="hint"> E-mails are logged. Set MAILER_API_KEY to send them.</span>}
        </dd>
        <dt>From</dt>
        <dd>{mail.from}</dd>
        <dt>Notifications to</dt>
        <dd>{mail.owner ?? <span class="none">Nobody: set an e-mail address under Owner</span>}</dd>
      </dl>
      <div class="save">
        <button type="submit" class="btn" id="send-test">
          Send a test e-mail
        </button>
        <p class="hint">
          To {mail.recipient}
          {requested && ": on its way. "}
          {requested && <a href={`${paths.mails}?kind=test`}>See it in Emails</a>}
        </p>
      </div>
    </div>
  </Form>
);
