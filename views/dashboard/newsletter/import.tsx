import { FileField } from "../../components/file-field";
import { Form } from "../../components/form";
import type { Frame } from "../../components/frame";
import { number, plural } from "../../components/list";
import { Crumb, Head } from "../shell";
import { paths } from "../../paths";
import { Check } from "../../components/choices";

type ImportProps = { frame: Frame; problem?: string | undefined };

export const ImportPage = ({ frame, problem }: ImportProps) => (
  <>
    <BackToList />
    <Head title="Import subscribers" lead="Upload a CSV file. You can review the changes before importing." />
    <Form
      action={paths.newsletterImport}
      token={frame.token}
      class="card stack narrow"
      encoding="multipart/form-data"
      plain
    >
      <div class="body">
        <FileField id="file" label="CSV file" accept=".csv,text/csv" problem={problem}>
          The first line must name the columns: <code>email</code>, and optionally <code>name</code>,{" "}
          <code>source</code>, <code>state</code> and <code>created_at</code>. Up to 32 MB; use the command line for
          larger files.
        </FileField>
        <Check
          name="revive"
          label="Also reactivate people who unsubscribed"
          hint="Only if they asked you to. Otherwise people who unsubscribed stay unsubscribed."
        />
        <div class="save">
          <button type="submit" class="btn primary">
            Review file
          </button>
        </div>
      </div>
    </Form>
  </>
);

/** How many rows an import would add or change, and the first of those that are not valid. */
type ImportReport = Record<"new" | "already" | "keptUnsubscribed" | "revived" | "invalid", number> & {
  problems: { line: number; message: string }[];
};
type ReportProps = { frame: Frame; report: ImportReport; token: string; revive: boolean };

/** What the import would do, and the button that does it. */
export const ImportReportPage = ({ frame, report, token, revive }: ReportProps) => (
  <>
    <BackToList />
    <Head title="Review before importing" lead="Nothing has been changed yet." />
    <section class="card narrow" aria-label="Summary">
      <div class="body">
        <Counts report={report} revive={revive} />
        {report.problems.length > 0 && <Problems report={report} />}
        <Confirmation changes={report.new + report.revived} frame={frame} token={token} />
      </div>
    </section>
  </>
);

const Counts = ({ report, revive }: Pick<ReportProps, "report" | "revive">) => (
  <dl class="facts">
    <dt>New</dt>
    <dd>{number(report.new)}</dd>
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
    <dt>Invalid</dt>
    <dd>{number(report.invalid)}</dd>
  </dl>
);

const Problems = ({ report: { problems, invalid } }: Pick<ReportProps, "report">) => (
  <details>
    <summary>Invalid lines</summary>
    <ul>
      {problems.map(({ line, message }) => (
        <li>
          Line {line}: {message}
        </li>
      ))}
    </ul>
    {invalid > problems.length && <p class="hint">The first {problems.length} are shown.</p>}
  </details>
);

const Confirmation = ({ changes, frame, token }: { changes: number; frame: Frame; token: string }) =>
  changes > 0 ? (
    <Form action={`${paths.newsletterImport}/confirm`} token={frame.token} plain>
      <input type="hidden" name="upload" value={token} />
      <div class="save">
        <button type="submit" class="btn primary">
          Import {plural(changes, "subscriber")}
        </button>
        <a class="btn" href={paths.newsletterImport}>
          Choose another file
        </a>
      </div>
      <p class="hint">Imported subscribers do not get a welcome email.</p>
    </Form>
  ) : (
    <p>
      Nothing to import: the file contains no new subscribers. <a href={paths.newsletterImport}>Choose another file</a>
    </p>
  );

const BackToList = () => <Crumb href={paths.newsletter}>Newsletter</Crumb>;
