import type { Broadcast } from "../../../db/broadcasts/broadcasts";
import { Fact } from "../../components/fact";
import { Form } from "../../components/forms/form";
import type { Frame } from "../../components/frame";
import { Time } from "../../components/time";
import { InboxLine } from "./inbox-line";
import { onTheWeb } from "./question";
import { path, titleOf, webPageOf } from "./state";

type CardProps = {
  frame: Frame;
  broadcast: Broadcast;
  audienceWords: string;
  from: { address: string; name: string };
};

/** What was confirmed, by whom, and where it can be read. */
export const EmailCard = ({ frame, broadcast, audienceWords, from }: CardProps) => {
  const { id, confirmedAt, confirmedBy, archive, version } = broadcast;
  const webPage = webPageOf(broadcast);
  const sender = { ...from, name: broadcast.fromName || from.name };
  return (
    <section class="card" aria-labelledby="email-title">
      <header>
        <h2 id="email-title">The email</h2>
        <a href={`${path}/${id}/preview?as=html`} target="_blank" rel="noopener" id="read-it">
          Read it
        </a>
      </header>
      <div class="body">
        <InboxLine from={sender} subject={titleOf(broadcast)} preheader={broadcast.preheader} isFramed />
        <dl class="facts">
          <Fact name="To">{audienceWords}</Fact>
          {webPage && (
            <Fact name="Web page">
              <a href={webPage} target="_blank" rel="noopener">
                {webPage}
              </a>
            </Fact>
          )}
          {confirmedAt && (
            <Fact name="Confirmed">
              <Time at={confirmedAt} clock={frame} />
              {confirmedBy && ` by ${confirmedBy}`}
            </Fact>
          )}
        </dl>
        <Form action={`${path}/${id}/archive`} token={frame.token} label="On the web" class="field">
          <input type="hidden" name="version" value={String(version)} />
          <label for="archive">On the web</label>
          <div class="joined">
            <select class="input" id="archive" name="archive">
              {(["listed", "unlisted", "none"] as const).map((value) => (
                <option value={value} selected={value === archive}>
                  {onTheWeb[value]}
                </option>
              ))}
            </select>
            <button type="submit" class="btn" id="save-archive">
              Save
            </button>
          </div>
        </Form>
      </div>
    </section>
  );
};
