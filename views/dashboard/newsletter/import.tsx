import { Fact } from "../../components/fact";
import { FileField } from "../../components/forms/file-field";
import { Field } from "../../components/forms/field";
import { Form } from "../../components/forms/form";
import { Icon } from "../../components/icon";
import type { Frame } from "../../components/frame";
import { number, plural } from "../../components/list";
import { Crumb, Head } from "../shell";
import { paths } from "../../paths";

type ImportProps = { frame: Frame; problem?: string | undefined };

export const ImportPage = ({ frame, problem }: ImportProps) => (
  <>
    <BackToList />
    <Head
      title="Import subscribers"
      lead="Upload a CSV file. You can check its columns and review the changes before importing."
    />
    <Form
      action={paths.newsletterImport}
      token={frame.token}
      class="card stack narrow"
      encoding="multipart/form-data"
      plain
    >
      <div class="body">
        <FileField id="file" label="CSV file" accept=".csv,text/csv" problem={problem}>
          An export of Postroom, Mailchimp, Substack, Ghost, listmonk or Buttondown, or any other CSV file whose first
          line names the columns. Up to 32 MB; use the command line for larger files.
        </FileField>
        <div class="save">
          <button type="submit" class="btn primary">
            Continue
          </button>
        </div>
      </div>
    </Form>
  </>
);

/** How many rows an import would add or change, and the first of those that are not valid. */
type ImportReport = Record<
  "new" | "newUnsubscribed" | "already" | "keptUnsubscribed" | "revived" | "erased" | "invalid",
  number
> & {
  problems: { line: number; message: string }[];
};
type ReportProps = {
  frame: Frame;
  report: ImportReport;
  token: string;
  revive: boolean;
  /** The answer about consent, and what is wrong with it. */
  consent?: string | undefined;
  problem?: string | undefined;
};

/** What the import would do, the question how these people agreed, and the button that imports them. */
export const ImportReportPage = ({ frame, report, token, revive, consent, problem }: ReportProps) => (
  <>
    <BackToList />
    <Head title="Review before importing" lead="Nothing has been changed yet." />
    <section class="card narrow" aria-label="Summary">
      <div class="body stack">
        <Counts report={report} revive={revive} />
        {report.problems.length > 0 && <Problems report={report} frame={frame} token={token} />}
        <Confirmation changes={report.new + report.revived} {...{ frame, token, consent, problem }} />
        <Form action={`${paths.newsletterImport}/columns`} token={frame.token} plain>
          <input type="hidden" name="upload" value={token} />
          <div class="row">
            <button type="submit" class="btn">
              Change columns
            </button>
            <a class="btn" href={paths.newsletterImport}>
              Choose another file
            </a>
          </div>
        </Form>
      </div>
    </section>
  </>
);

const Counts = ({ report, revive }: Pick<ReportProps, "report" | "revive">) => (
  <dl class="facts">
    <dt>New, active</dt>
    <dd>{number(report.new - report.newUnsubscribed)}</dd>
    <dt>New, unsubscribed</dt>
    <dd>{number(report.newUnsubscribed)}</dd>
    <dt>Already subscribed</dt>
    <dd>{number(report.already)}</dd>
    <dt>Remain unsubscribed</dt>
    <dd>{number(report.keptUnsubscribed)}</dd>
    {revive && (
      <>
        <dt>Reactivated</dt>
        <dd>{number(report.revived)}</dd>
      </>
    )}
    {report.erased > 0 && <Fact name="Not imported, erased on request">{number(report.erased)}</Fact>}
    <dt>Refused</dt>
    <dd>{number(report.invalid)}</dd>
  </dl>
);

const Problems = ({ report: { problems, invalid }, frame, token }: Pick<ReportProps, "report" | "frame" | "token">) => (
  <>
    <details>
      <summary>Refused lines</summary>
      <ul>
        {problems.map(({ line, message }) => (
          <li>
            Line {line}: {message}
          </li>
        ))}
      </ul>
      {invalid > problems.length && <p class="hint">The first {problems.length} are shown.</p>}
    </details>
    <Form action={`${paths.newsletterImport}/refused`} token={frame.token} plain>
      <input type="hidden" name="upload" value={token} />
      <button type="submit" class="btn sm" data-plain>
        <Icon name="download" />
        Download {plural(invalid, "refused line")}
      </button>
    </Form>
  </>
);

type ConfirmationProps = Pick<ReportProps, "frame" | "token" | "consent" | "problem"> & { changes: number };

const Confirmation = ({ changes, frame, token, consent, problem }: ConfirmationProps) =>
  changes > 0 ? (
    <Form action={`${paths.newsletterImport}/confirm`} token={frame.token} class="stack" plain>
      <input type="hidden" name="upload" value={token} />
      <Field
        name="consent"
        label="How did these people agree?"
        value={consent}
        errors={problem ? [{ field: "consent", message: problem }] : []}
        lines={2}
        required
        minlength={10}
        maxlength={300}
        hint="For example: “Signed up with the form on our old site, 2019–2024”. Kept with every subscriber as proof of consent."
      />
      <div class="save">
        <button type="submit" class="btn primary">
          Import {plural(changes, "subscriber")}
        </button>
      </div>
      <p class="hint">Imported subscribers do not get a welcome email.</p>
    </Form>
  ) : (
    <p>Nothing to import: the file contains no new subscribers.</p>
  );

const BackToList = () => <Crumb href={paths.newsletter}>Newsletter</Crumb>;
