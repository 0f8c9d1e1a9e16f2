import { CopyButton } from "../../components/buttons";
import { bytes } from "../../components/bytes";
import { Empty } from "../../components/empty";
import type { Frame } from "../../components/frame";
import { Icon } from "../../components/icon";
import { plural } from "../../components/list";
import { type Column, ColumnTable } from "../../components/lists/table";
import { Moment } from "../../components/time";
import { paths } from "../../paths";
import { Crumb, Head } from "../shell";

type Row = { name: string; at: Date; bytes: number };

export type CopiesView =
  | { kind: "by-operator" | "off" }
  /** The server was asked, and why it did not tell. */
  | { kind: "silent"; reason: string }
  | {
      kind: "copies";
      where: string;
      /** The newest first. */
      rows: Row[];
      /** Older ones that are not listed. */
      more: number;
      /** What the command cannot find out by itself: BACKUP_URL, without its keys. */
      target: string | undefined;
      /** Named only if others have copies in the same place. */
      installation: string | undefined;
    };

type Props = { frame: Frame; view: CopiesView };
type Listed = Extract<CopiesView, { kind: "copies" }>;

/** The copies at BACKUP_URL, and the command that restores each. */
export const CopiesPage = ({ frame, view }: Props) => (
  <>
    <Crumb href={`${paths.installation}#backups`}>Set up</Crumb>
    <Head
      title="Copies of the database"
      lead={
        view.kind === "copies" &&
        view.rows.length > 0 && (
          <>
            Encrypted, at <span class="wrap">{view.where}</span>. Each was read back and compared before it counted.
          </>
        )
      }
    />
    {view.kind === "copies" && view.rows.length > 0 ? <Copies frame={frame} view={view} /> : <None view={view} />}
  </>
);

const Copies = ({ frame, view }: { frame: Frame; view: Listed }) => (
  <div class="stack">
    <section class="card" aria-labelledby="restore-title">
      <header>
        <h2 id="restore-title">Restore a copy</h2>
      </header>
      <div class="body">
        <p>
          Stop the service, run the copy’s command on the server, paste the key of the backups when it asks for it, and
          start the service again.
        </p>
        {view.target && (
          <p>
            The command needs <code class="wrap">BACKUP_URL={view.target}</code> in its environment, with the keys of
            that server.
          </p>
        )}
        <p class="hint">
          The database that is there now is kept in <code>DATA_DIR/backups</code>. Broadcasts that were scheduled or
          being sent are paused, and people who were erased since then are erased again. Files on storage nodes are not
          part of a copy. For a copy that was downloaded, write the name of its file instead of <code>s3:…</code>.
        </p>
      </div>
    </section>
    <section class="list" aria-label="Copies, the newest first">
      <ColumnTable caption="Copies, the newest first" columns={columnsOf(frame, view)} rows={view.rows} />
    </section>
    {view.more > 0 && (
      <p class="hint">
        {plural(view.more, "older copy", "older copies")} not listed: see <code>npm run postroom -- backup list</code>.
      </p>
    )}
  </div>
);

const columnsOf = (frame: Frame, { installation }: Listed): Column<Row>[] => [
  {
    title: "Copied",
    kind: "main",
    cell: ({ at, bytes: size }) => (
      <>
        <Moment at={at} clock={frame} toTheSecond />
        <span class="sub">{bytes(size)}</span>
      </>
    ),
  },
  {
    title: "To restore it",
    kind: "line",
    cell: ({ name, at }) => (
      <span class="row">
        <code id={`restore-${name}`} class="wrap">
          npm run postroom -- restore s3:{at.toISOString()}
          {installation && ` --installation=${installation}`}
        </code>
        <span>
          <CopyButton from={`restore-${name}`} class="btn quiet sm" />
          <a class="btn quiet sm" href={`${paths.backups}/${name}`} aria-label={`Download ${name}`}>
            <Icon name="download" />
            Download
          </a>
        </span>
      </span>
    ),
  },
];

function None({ view }: { view: CopiesView }) {
  switch (view.kind) {
    case "by-operator":
      return (
        <Empty icon="hard-drive" title="No copies here">
          <p>Backups of the PostgreSQL database are made by its operator.</p>
        </Empty>
      );
    case "off":
      return (
        <Empty icon="hard-drive" title="No backup target">
          <p>
            Name one under <a href={`${paths.installation}#backups`}>Set up</a> to have encrypted copies made.
          </p>
        </Empty>
      );
    case "silent":
      return (
        <div class="note" role="alert">
          <Icon name="triangle-alert" />
          <div>
            <p>
              <strong>The copies could not be listed.</strong> {view.reason}
            </p>
            <p>
              <a href={paths.backups}>Try again</a>
            </p>
          </div>
        </div>
      );
    case "copies":
      return (
        <Empty icon="hard-drive" title="No copies yet">
          <p>The first is made as soon as there is a key to encrypt it.</p>
        </Empty>
      );
  }
}
