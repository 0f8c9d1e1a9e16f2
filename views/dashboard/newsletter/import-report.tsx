import { Fact } from "../../components/fact";
import { Field, type Input } from "../../components/forms/fields";
import { Form } from "../../components/forms/form";
import { Icon } from "../../components/icon";
import type { Frame } from "../../components/frame";
import { capitalized, number, plural } from "../../components/list";
import type { Child } from "../../jsx/jsx-runtime";
import { paths } from "../../paths";
import { Crumb, Head } from "../shell";
import { ImportSteps } from "./import";

/** How many rows an import would add or change, and the first of those that are not valid. */
type ImportReport = Record<
  | ("new" | "newUnsubscribed" | "already" | "left" | "keptUnsubscribed" | "revived" | "erased")
  | ("undated" | "otherLanguage" | "newTags" | "leftOutTags" | "newTopics" | "leftOutTopics")
  | ("newFields" | "leftOutValues" | "invalid" | "neverAgreed"),
  number
> & {
  /** The names of what is new, if there are not too many. */
  made: { tags: string[]; topics: string[]; fields: string[] };
  problems: { line: number; message: string }[];
};
/** How the file was read. */
type FileFacts = {
  encoding: string;
  dates: string | undefined;
  listed: "stated" | "left" | "never";
  /** Columns that count as no status although they say that people are not subscribed, with how many. */
  ignored: { name: string; count: number; isField: boolean }[];
};
type ReportProps = {
  frame: Frame;
  report: ImportReport;
  file: FileFacts;
  token: string;
  revive: boolean;
  /** Whether people begin sequences. */
  begin: boolean;
  /** The answer about consent, and what is wrong with it. */
  consent?: string | undefined;
  problem?: string | undefined;
  consentInput: Input;
};

/** What the import would do, the question how these people agreed, and the button that imports them. */
export const ImportReportPage = ({ frame, report, file, token, revive, begin, ...question }: ReportProps) => (
  <>
    <Crumb href={paths.newsletter}>Subscribers</Crumb>
    <Head title="Review before importing" lead="Nothing has been changed yet." />
    <ImportSteps at={3} />
    <section class="card narrow" aria-label="Summary">
      <div class="body stack">
        <Warnings file={file} report={report} begin={begin} />
        <Counts report={report} revive={revive} file={file} />
        {report.problems.length > 0 && <Problems report={report} frame={frame} token={token} />}
        <Confirmation report={report} frame={frame} token={token} {...question} />
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

type ImportedProps = { frame: Frame; text: string; report: Omit<ImportReport, "problems"> };

/** What became of an import, and the file that says it of each line. */
export const ImportedPage = ({ frame, text, report }: ImportedProps) => (
  <>
    <Crumb href={paths.newsletter}>Subscribers</Crumb>
    <Head title="Imported" lead={text} />
    <section class="card narrow" aria-label="Summary">
      <div class="body stack">
        <dl class="facts">
          <People report={report} revive={report.revived > 0} />
          <Labels report={report} />
        </dl>
        <Form action={`${paths.newsletterImport}/report`} token={frame.token} plain>
          <div class="row">
            <button type="submit" class="btn" data-plain>
              <Icon name="download" />
              Download report
            </button>
            <a class="btn" href={paths.newsletter}>
              Show subscribers
            </a>
          </div>
        </Form>
        <p class="hint">The report has a line for each line of your file. It can be downloaded for an hour.</p>
      </div>
    </section>
  </>
);

const Warnings = ({ file: { listed, ignored }, report, begin }: Pick<ReportProps, "file" | "report" | "begin">) => (
  <>
    {listed === "never" && (
      <Warning>The file lists people who never agreed to get emails. None of them is imported.</Warning>
    )}
    {listed === "left" && (
      <Warning>The file lists people who have unsubscribed. All of them are imported as unsubscribed.</Warning>
    )}
    {report.left > 0 && (
      <Warning>
        {plural(report.left, "subscriber")} active here will be unsubscribed, because the file says that they left.
      </Warning>
    )}
    {begin && (
      <Warning>
        People who get a tag or topic with which a sequence begins will get the emails of that sequence.
      </Warning>
    )}
    {ignored.map(({ name, count, isField }) => (
      <Warning>
        The column “{name}” is {isField ? "a field" : "ignored"}, although {plural(count, "row says", "rows say")} that
        the person is not subscribed.
      </Warning>
    ))}
  </>
);

const Warning = ({ children }: { children: Child }) => (
  <p class="note">
    <Icon name="triangle-alert" />
    <span>{children}</span>
  </p>
);

const Counts = ({ report, revive, file }: Pick<ReportProps, "report" | "revive" | "file">) => (
  <dl class="facts">
    <People report={report} revive={revive} />
    <Labels report={report} />
    <dt>Encoding</dt>
    <dd>{file.encoding}</dd>
    {file.dates && <Fact name="Dates">{file.dates}</Fact>}
  </dl>
);

const People = ({ report, revive }: { report: Omit<ImportReport, "problems">; revive: boolean }) => (
  <>
    <dt>New, active</dt>
    <dd>{number(report.new - report.newUnsubscribed)}</dd>
    <dt>New, unsubscribed</dt>
    <dd>{number(report.newUnsubscribed)}</dd>
    <dt>Already subscribed</dt>
    <dd>{number(report.already)}</dd>
    {report.left > 0 && <Fact name="Unsubscribed by the file">{number(report.left)}</Fact>}
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
    {report.neverAgreed > 0 && <Fact name="Of these, never agreed">{number(report.neverAgreed)}</Fact>}
    {report.undated > 0 && <Fact name="Without a readable date">{number(report.undated)}</Fact>}
    {report.otherLanguage > 0 && (
      <Fact name="In a language that Postroom does not have">{number(report.otherLanguage)}</Fact>
    )}
  </>
);

/** What the site does not have yet, by name, and what is left out. */
const Labels = ({ report }: { report: Omit<ImportReport, "problems"> }) => (
  <>
    <Made name="New tags" count={report.newTags} names={report.made.tags} />
    {report.leftOutTags > 0 && <Fact name="Tags left out, too long or too many">{number(report.leftOutTags)}</Fact>}
    <Made name="New topics (public)" count={report.newTopics} names={report.made.topics} />
    {report.leftOutTopics > 0 && (
      <Fact name="Topics left out, too long or too many">{number(report.leftOutTopics)}</Fact>
    )}
    <Made name="New fields" count={report.newFields} names={report.made.fields} />
    {report.leftOutValues > 0 && (
      <Fact name="Values left out, because they do not fit their field">{number(report.leftOutValues)}</Fact>
    )}
  </>
);

const Made = ({ name, count, names }: { name: string; count: number; names: string[] }) =>
  count > 0 ? (
    <Fact name={name}>
      {number(count)}: {names.join(", ")}
      {count > names.length && " …"}
    </Fact>
  ) : null;

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

type ConfirmationProps = Pick<ReportProps, "report" | "frame" | "token" | "consent" | "problem" | "consentInput">;

const Confirmation = ({ report, frame, token, ...question }: ConfirmationProps) => {
  const [added, becomeActive] = [report.new + report.revived, report.new - report.newUnsubscribed + report.revived];
  const verbs = [
    added > 0 && `import ${report.left > 0 ? number(added) : plural(added, "subscriber")}`,
    report.left > 0 && `unsubscribe ${added > 0 ? number(report.left) : plural(report.left, "subscriber")}`,
  ].filter(Boolean);
  if (!verbs.length) return <p>Nothing to import: the file contains no new subscribers.</p>;
  const verb = verbs.join(" and ");
  return (
    <Form action={`${paths.newsletterImport}/confirm`} token={frame.token} class="stack" plain>
      <input type="hidden" name="upload" value={token} />
      {becomeActive > 0 && <ConsentField {...question} />}
      <div class="save">
        <button type="submit" class="btn primary">
          {capitalized(verb)}
        </button>
      </div>
      <p class="hint">Imported subscribers do not get a welcome email.</p>
    </Form>
  );
};

const ConsentField = ({
  consent,
  problem,
  consentInput,
}: Pick<ReportProps, "consent" | "problem" | "consentInput">) => (
  <Field
    {...consentInput}
    value={consent}
    errors={problem ? [{ field: "consent", message: problem }] : []}
    lines={2}
    minlength={10}
  />
);
