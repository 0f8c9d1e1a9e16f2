import { Icon } from "../../components/icon";
import { Head } from "../shell";

/** The page's heading, and a warning while no email is sent. */
export const OutboxHead = ({ isLive }: { isLive: boolean }) => (
  <>
    <Head title="Emails" lead="All emails sent by Postroom and their delivery status." />
    {!isLive && (
      <p class="note">
        <Icon name="triangle-alert" />
        <span>
          <strong>Emails are not being sent.</strong> No email provider is configured, so emails are logged and kept
          here. To send them, set <code>MAILER_API_KEY</code> and restart.
        </span>
      </p>
    )}
  </>
);
