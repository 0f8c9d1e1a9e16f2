import type { Overview } from "../../../db/people/overview";
import { Fact } from "../../components/fact";
import type { Frame } from "../../components/frame";
import { exact } from "../../components/time";
import { Crumb, Head } from "../shell";
import { suppressionReasons } from "../suppressions/reasons";
import { State } from "../newsletter/subscribers";
import { Happened } from "./person";
import { countsOf, personPath } from "./stored";

type PrintProps = { frame: Frame; overview: Overview };

/** Everything about a person on one page, for printing. */
export const PrintPage = ({ frame, overview }: PrintProps) => {
  const { email, subscriber, suppression, messages } = overview;
  return (
    <>
      <Crumb href={personPath(email)}>{email}</Crumb>
      <Head title={email} lead={`${countsOf(overview)}. As of ${exact(frame.now, "UTC")} UTC.`} />
      <div class="stack">
        {subscriber && (
          <section class="card" aria-labelledby="subscription-title">
            <header>
              <h2 id="subscription-title">Subscription</h2>
            </header>
            <dl class="body facts">
              <Fact name="Name">{subscriber.name ?? <span class="none">None</span>}</Fact>
              <Fact name="Status">
                <State subscriber={subscriber} />
              </Fact>
              <Fact name="Source">{subscriber.source ?? <span class="none">None</span>}</Fact>
              <Fact name="Joined">{exact(subscriber.createdAt, "UTC")} UTC</Fact>
              {subscriber.confirmedAt && <Fact name="Confirmed">{exact(subscriber.confirmedAt, "UTC")} UTC</Fact>}
              {subscriber.consentNote && <Fact name="Consent">{subscriber.consentNote}</Fact>}
              <Fact name="Suppressed">{suppression ? suppressionReasons[suppression.reason] : "No"}</Fact>
            </dl>
          </section>
        )}
        <Happened frame={frame} overview={overview} more={personPath(email, "/export.json")} />
        {messages.rows.length > 0 && (
          <section class="card" aria-labelledby="texts-title">
            <header>
              <h2 id="texts-title">Texts of the messages</h2>
            </header>
            <dl class="body facts">
              {messages.rows.map(({ createdAt, message }) => (
                <Fact name={`${exact(createdAt, "UTC")} UTC`}>
                  <span class="words">{message}</span>
                </Fact>
              ))}
            </dl>
          </section>
        )}
      </div>
    </>
  );
};
