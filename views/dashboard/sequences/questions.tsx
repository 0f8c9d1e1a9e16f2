import type { NamedSequence } from "../../../db/sequences/sequences";
import type { Child } from "../../jsx/jsx-runtime";
import { Badge } from "../../components/badge";
import { Form } from "../../components/forms/form";
import type { Frame } from "../../components/frame";
import { number, plural } from "../../components/list";
import { paths } from "../../paths";
import type { CheckView } from "../broadcasts/composer/checks";
import { DialogFooter } from "../dialog";
import { triggerWords } from "./sequences";

/* What is asked before emails of a sequence are sent to whoever begins it. */

type Emails = { id: string; subject: string; checks: CheckView[] }[];
type QuestionProps = { frame: Frame; sequence: NamedSequence; emails: Emails };

/** What speaks against these emails, by email, and the button if nothing forbids it. */
const Question = ({
  frame,
  sequence,
  emails,
  act,
  verb,
  children,
}: QuestionProps & { act: string; verb: string; children: Child }) => (
  <Form action={`${paths.sequence(sequence.id)}/${act}`} token={frame.token} class="stack">
    <input type="hidden" name="version" value={String(sequence.version)} />
    {children}
    {emails
      .filter(({ checks }) => checks.length)
      .map(({ id, subject, checks }) => (
        <section>
          <h3>
            <a href={`${paths.broadcasts}/${id}`}>{subject || "No subject yet"}</a>
          </h3>
          <ul>
            {checks.map(({ kind, sentence }) => (
              <li>
                {kind === "block" && <Badge tone="bad">Correct this</Badge>} {sentence}
              </li>
            ))}
          </ul>
        </section>
      ))}
    {isBlocked(emails) ? (
      <footer>
        <a class="btn" href={paths.sequence(sequence.id)} data-close data-focus>
          Close
        </a>
      </footer>
    ) : (
      <DialogFooter cancel={paths.sequence(sequence.id)}>{verb}</DialogFooter>
    )}
  </Form>
);

const isBlocked = (emails: Emails) => emails.some(({ checks }) => checks.some(({ kind }) => kind === "block"));

export const StartQuestion = (props: QuestionProps) => (
  <Question {...props} act="start" verb="Start sequence">
    <p>
      {triggerWords(props.sequence)}, they get {plural(props.emails.length, "email")}. Who is here already gets none.
      Later you can publish a new version of the emails.
    </p>
  </Question>
);

/** `inside`: how many people are in the sequence. */
export const PublishQuestion = ({ inside, ...props }: QuestionProps & { inside: number }) => (
  <Question {...props} act="publish" verb="Publish new version">
    <p>
      People who begin from now on get{" "}
      {props.emails.length === 1 ? "this email" : `these ${props.emails.length} emails`}.
    </p>
    {inside > 0 && !isBlocked(props.emails) && <PeopleChoice inside={inside} />}
  </Question>
);

const PeopleChoice = ({ inside }: { inside: number }) => {
  const them = inside === 1 ? "The person who is in it now" : `The ${number(inside)} people who are in it now`;
  return (
    <fieldset class="field">
      <legend>{them}</legend>
      <span class="check">
        <input type="radio" id="people-keep" name="people" value="keep" checked />
        <label for="people-keep">
          {inside === 1 ? "Keeps the version that they began" : "Keep the version that they began"}
        </label>
      </span>
      <span class="check">
        <input type="radio" id="people-go-on" name="people" value="go-on" />
        <label for="people-go-on">
          {inside === 1 ? "Goes" : "Go"} on with the new one, after the last email that they had. They get no email
          twice.
        </label>
      </span>
    </fieldset>
  );
};
