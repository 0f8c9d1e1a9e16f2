import { bytes } from "../../components/bytes";
import { OnTheServer } from "../../components/help";
import type { Frame } from "../../components/frame";
import { Time } from "../../components/time";
import { paths } from "../../paths";
import type { Child } from "../../jsx/jsx-runtime";

/** What is known of the database's copies. Times in milliseconds. */
export type BackupsView =
  | { kind: "off" }
  | { kind: "no-key" }
  | {
      kind: "copies";
      last: { at: number; bytes: number } | undefined;
      problem: { at: number; text: string } | undefined;
      /** Someone opened a copy with the key in the last 90 days. */
      isVerified: boolean;
    }
  | { kind: "archive"; isOn: boolean; archivedAt: number | null; failedAt: number | null };

/** One line: the last good copy, or what is missing. */
export const Backups = ({ view, frame }: { view: BackupsView; frame: Frame }) => (
  <section class="card" aria-labelledby="backups-title">
    <header>
      <h2 id="backups-title">Backups</h2>
    </header>
    <div class="body">
      <p>{wordsOf(view, frame)}</p>
      {frame.manager.role === "owner" && (view.kind === "off" || view.kind === "no-key") && (
        <p>
          <a href={`${paths.installation}#backups`}>Set up backups</a>
        </p>
      )}
      {frame.manager.role === "owner" && view.kind === "copies" && (
        <p>
          <a href={paths.backups}>View the copies</a>
        </p>
      )}
      <ToDo view={view} />
    </div>
  </section>
);

function wordsOf(view: BackupsView, frame: Frame): Child {
  switch (view.kind) {
    case "off":
      return "No backups are made automatically.";
    case "no-key":
      return "No backups are made until there is a key to encrypt them.";
    case "copies":
      return <Copies {...view} frame={frame} />;
    case "archive":
      return <Archive {...view} frame={frame} />;
  }
}

/** What is left to do where the service runs. */
function ToDo({ view }: { view: BackupsView }) {
  const isUntested = view.kind === "copies" && view.last && !view.isVerified;
  if (view.kind !== "off" && view.kind !== "no-key" && !isUntested) return null;
  return (
    <OnTheServer>
      {view.kind === "off" ? (
        <p>
          Set <code>BACKUP_URL</code> in the environment of the service to have encrypted copies stored on an S3 server.
        </p>
      ) : (
        <p>
          Run <code>npm run postroom -- backup {view.kind === "no-key" ? "init" : "verify"}</code>.
        </p>
      )}
    </OnTheServer>
  );
}

type Of<Kind> = Extract<BackupsView, { kind: Kind }> & { frame: Frame };
const when = (at: number, frame: Frame) => <Time at={new Date(at)} clock={frame} />;

const Copies = ({ last, problem, isVerified, frame }: Of<"copies">) => (
  <>
    {last ? (
      <>
        Last good copy: {when(last.at, frame)}, {bytes(last.bytes)}. It was read back, decrypted and compared.
      </>
    ) : (
      "There is no good copy yet."
    )}
    {problem && (
      <>
        {" "}
        The last attempt failed {when(problem.at, frame)}: {problem.text}
      </>
    )}
    {last && !isVerified && " The key was not tested in the last 90 days."}
  </>
);

const Archive = ({ isOn, archivedAt, failedAt, frame }: Of<"archive">) => (
  <>
    Backups of the PostgreSQL database are made by its operator.{" "}
    {!isOn
      ? "It does not archive its write-ahead log."
      : archivedAt === null
        ? "It has archived no write-ahead log yet."
        : "It last archived its write-ahead log "}
    {isOn && archivedAt !== null && <>{when(archivedAt, frame)}.</>}
    {isOn && failedAt !== null && failedAt > (archivedAt ?? 0) && <> Archiving failed {when(failedAt, frame)}.</>}
  </>
);
