import { z } from "zod";
import * as audit from "../../db/audit";
import { plural } from "../../views/components/list";
import { ImportPage, ImportReportPage } from "../../views/dashboard/import";
import type { Deps } from "../deps";
import { randomToken } from "../security/secrets";
import { actorOf, managerFor } from "../security/session";
import { importCsv } from "../subscribers-csv";
import { seeOther, show } from "./answers";
import { frameOf, pages } from "./pages";

const path = "/dashboard/newsletter/import";

const Upload = z.object({
  file: z.instanceof(File).refine(({ size }) => size > 0),
  revive: z.literal("yes").optional(),
});
const Confirmation = z.object({ upload: z.string() });

/** A checked file waits in memory for its "Import": an hour, for the session that brought it, four files at most. */
type Waiting = { file: File; revive: boolean; sessionId: string; until: number };
const mostWaiting = 4;

export const newsletterImport = (deps: Deps) => {
  const { db, now } = deps;
  const waiting = new Map<string, Waiting>();

  const read = (request: Request, { file, revive }: Pick<Waiting, "file" | "revive">, rehearsal: boolean) => {
    const origin = { via: "import" as const, actor: actorOf(request).actor };
    return importCsv(db, file.stream(), { revive, origin, rehearsal }, now());
  };

  const formAgain = async (request: Request, problem?: string) => {
    const frame = await frameOf(deps, request);
    return show(
      { frame, title: "Import subscribers", status: problem ? 422 : 200 },
      <ImportPage frame={frame} problem={problem} />,
    );
  };

  function keep(upload: Waiting): string {
    for (const [token, { until }] of waiting) if (until < now().getTime()) waiting.delete(token);
    const [oldest] = waiting.keys();
    if (waiting.size >= mostWaiting && oldest) waiting.delete(oldest);
    const token = randomToken();
    waiting.set(token, upload);
    return token;
  }

  return pages(path, deps)
    .get("/", ({ request }) => formAgain(request))
    .post("/", async ({ request, body }) => {
      const upload = Upload.safeParse(body);
      if (!upload.success) return formAgain(request, "Choose a CSV file.");
      const { file, revive } = { file: upload.data.file, revive: upload.data.revive === "yes" };
      const report = await read(request, { file, revive }, true).catch(() => undefined);
      if (!report) return formAgain(request, "This is not a CSV file whose first line names a column email.");
      const { session } = managerFor(request);
      const token = keep({ file, revive, sessionId: session.id, until: now().getTime() + 3_600_000 });
      const frame = await frameOf(deps, request);
      return show(
        { frame, title: "Check before you import" },
        <ImportReportPage {...{ frame, report, token, revive }} />,
      );
    })
    .post(
      "/confirm",
      async ({ request, body }) => {
        const upload = waiting.get(body.upload);
        if (!upload || upload.sessionId !== managerFor(request).session.id || upload.until < now().getTime())
          return formAgain(request, "The file is no longer here. Choose it again.");
        waiting.delete(body.upload);
        const report = await read(request, upload, false);
        const changes = report.new + report.revived;
        const details = { new: String(report.new), revived: String(report.revived), invalid: String(report.invalid) };
        await audit.note(db, { ...actorOf(request), action: "subscriber.import", details }, now());
        return seeOther(request, "/dashboard/newsletter", {
          kind: "good",
          text: `${plural(changes, "subscriber was", "subscribers were")} imported.`,
        });
      },
      { body: Confirmation },
    );
};
