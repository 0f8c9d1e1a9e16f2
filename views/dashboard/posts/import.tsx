import { Badge } from "../../components/badge";
import { FileField } from "../../components/forms/fields";
import { Form } from "../../components/forms/form";
import type { Frame } from "../../components/frame";
import { Icon } from "../../components/icon";
import { number, plural } from "../../components/list";
import { type Column, ColumnTable } from "../../components/lists/table";
import { Menu } from "../../components/lists/row-actions";
import { Crumb, Head } from "../shell";
import { path } from "./state";

/** Links to import and export, for the head of the list. */
export const ImportAndExport = () => (
  <Menu id="posts" label="Import and export posts">
    <a class="btn quiet" id="import-posts" href={`${path}/import`}>
      <Icon name="upload" />
      Import
    </a>
    <a class="btn quiet" id="export-posts" href={`${path}/export.zip`}>
      <Icon name="download" />
      Export
    </a>
  </Menu>
);

export const PostImportPage = ({ frame, problem }: { frame: Frame; problem?: string | undefined }) => (
  <>
    <BackToList />
    <Head title="Import posts" lead="Upload files or a ZIP archive. You can review the changes before importing." />
    <Form action={`${path}/import`} token={frame.token} class="card stack narrow" encoding="multipart/form-data" plain>
      <div class="body">
        <FileField
          id="files"
          label="Files or ZIP archive"
          accept=".md,.mdx,.zip,text/markdown,application/zip"
          multiple
          problem={problem}
        >
          Markdown or MDX with front matter between two <code>---</code> lines. Only <code>title</code> is required. A
          file with an existing slug updates that post. Up to 5,000 posts and 16 MB; use the command line for more.
        </FileField>
        <div class="save">
          <button type="submit" class="btn primary">
            Review files
          </button>
        </div>
      </div>
    </Form>
  </>
);

const BackToList = () => <Crumb href={path}>Posts</Crumb>;

/** The result of importing a file, actual or predicted: its post, or why it was rejected. */
type Result =
  | { file: string; outcome: "new" | "changed" | "same"; slug: string; title: string }
  | { file: string; outcome: "refused"; reason: string };
export type ResultCounts = Record<Result["outcome"], number>;

type ReportProps = { frame: Frame; results: Result[]; counts: ResultCounts; token: string };

const maxShown = 200;

/** The predicted result for each file, and the button that imports them. */
export function PostImportReport({ frame, results, counts, token }: ReportProps) {
  const changes = counts.new + counts.changed;
  const rows = results.toSorted((a, b) => order[a.outcome] - order[b.outcome]).slice(0, maxShown);
  return (
    <>
      <BackToList />
      <Head title="Review before importing" lead="Nothing has been changed yet." />
      <section class="list stack wide" aria-label="Summary">
        <Form action={`${path}/import/confirm`} token={frame.token} class="card" label="Import" plain>
          <div class="body">
            <p class="tally">
              <strong>{number(counts.new)}</strong> new, <strong>{number(counts.changed)}</strong> updated,{" "}
              <strong>{number(counts.same)}</strong> unchanged, <strong>{number(counts.refused)}</strong> rejected
            </p>
            <input type="hidden" name="upload" value={token} />
            <div class="save">
              {changes > 0 && (
                <button type="submit" class="btn primary">
                  Import {plural(changes, "post")}
                </button>
              )}
              <a class="btn" href={`${path}/import`}>
                Choose other files
              </a>
            </div>
            {changes === 0 && <p class="hint">Nothing to import.</p>}
          </div>
        </Form>
        <ColumnTable caption="Result for each file" columns={columns} rows={rows} />
        {results.length > rows.length && <p class="hint">The first {number(rows.length)} are shown.</p>}
      </section>
    </>
  );
}

/** What needs attention comes first. */
const order: Record<Result["outcome"], number> = { refused: 0, changed: 1, new: 2, same: 3 };
const badges = {
  new: <Badge tone="good">New</Badge>,
  changed: <Badge tone="warn">Updated</Badge>,
  same: <Badge tone="off">Unchanged</Badge>,
  refused: <Badge tone="bad">Rejected</Badge>,
};

const columns: Column<Result>[] = [
  { title: "File", kind: "main wrap mono", cell: ({ file }) => file },
  { title: "Result", kind: "state", cell: ({ outcome }) => badges[outcome] },
  { title: "Post or reason", cell: (result) => <PostOrReason result={result} /> },
];

const PostOrReason = ({ result }: { result: Result }) =>
  result.outcome === "refused" ? (
    <>{result.reason}</>
  ) : (
    <>
      <span class="who">{result.title}</span>
      <span class="sub mono">{result.slug}</span>
    </>
  );
