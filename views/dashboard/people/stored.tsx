import type { Overview } from "../../../db/people/overview";
import type { Frame } from "../../components/frame";
import { Icon } from "../../components/icon";
import { plural } from "../../components/list";
import { paths } from "../../paths";
import { OwnersNote } from "../../components/who";

/** What the page is called on which people are found, wherever it is named. */
export const peoplesData = "People’s data";

/** The URL of a person's page, by the address. */
export const personPath = (email: string, rest = "") => `${paths.people}${rest}?address=${encodeURIComponent(email)}`;

export const encoded = (text: string) => encodeURIComponent(text.toWellFormed());

/** An address as it stands in a `mailto:` link. */
export const mailAddress = (email: string) => {
  const cut = email.lastIndexOf("@");
  return `${encoded(email.slice(0, cut))}@${encoded(email.slice(cut + 1))}`;
};

/** What is stored, what is not included, and the actions on all of it. */
export const StoredData = ({ frame, overview }: { frame: Frame; overview: Overview }) => (
  <section aria-labelledby="data-title">
    <h2 id="data-title">Stored data</h2>
    <div class="stack">
      <p class="hint">{countsOf(overview)}. Not included: backups, server logs and what the email provider keeps.</p>
      <div class="row">
        <a class="btn sm" href={personPath(overview.email, "/export.json")} id="export-person">
          <Icon name="download" />
          Export
        </a>
        <a class="btn sm" href={personPath(overview.email, "/print")} id="print-person">
          Print view
        </a>
        {isOwner(frame) && (
          <a class="btn sm quiet" href={personPath(overview.email, "/erase")} id="erase-person">
            Erase all data…
          </a>
        )}
      </div>
      {!isOwner(frame) && <OwnersNote what="erase a person’s data" />}
    </div>
  </section>
);

const isOwner = ({ manager }: Frame) => manager.role === "owner";

/** "1 subscription, 9 broadcasts, 2 emails, 2 messages, 4 events" */
export const countsOf = ({ subscriber, received, emails, messages, events }: Overview): string =>
  [
    plural(subscriber ? 1 : 0, "subscription"),
    plural(received.total - received.steps, "broadcast"),
    ...(received.steps ? [`${plural(received.steps, "email")} of sequences`] : []),
    plural(emails.total, "email"),
    plural(messages.total, "message"),
    plural(events.length, "event"),
  ].join(", ");
