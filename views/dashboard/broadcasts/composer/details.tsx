import type { Broadcast } from "../../../../db/broadcasts/broadcasts";
import { Choice } from "../../../components/forms/choices";
import { labels } from "./envelope";

const onTheWeb = [
  ["listed", "In the public archive"],
  ["unlisted", "Only by its link"],
  ["none", "Not at all"],
] as const;

type DetailsProps = { archive: Broadcast["archive"]; replyTo: string | undefined };

/** Where else it can be read, and where replies go. */
export const Details = ({ archive, replyTo }: DetailsProps) => (
  <section class="card" aria-labelledby="details-title">
    <header>
      <h2 id="details-title">Details</h2>
    </header>
    <div class="body">
      <Choice
        name="archive"
        form="broadcast-form"
        label={labels.archive}
        value={archive}
        options={onTheWeb}
        hint="Where the email can be read, apart from the inboxes it goes to."
      />
      <dl class="facts">
        <dt>Replies go to</dt>
        <dd>{replyTo ?? "the sender’s address"}</dd>
      </dl>
    </div>
  </section>
);
