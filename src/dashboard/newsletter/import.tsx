import { z } from "zod";
import * as audit from "../../../db/audit";
import { plural } from "../../../views/components/list";
import { ImportPage, ImportReportPage } from "../../../views/dashboard/newsletter/import";
import type { Deps } from "../../boot/deps";
import { actorOf, managerFor } from "../../security/session";
import { importCsv } from "../../content/subscribers-csv";
import { seeOther, show } from "../responses";
import { frameOf, pages } from "../pages";
import { waitingRoom } from "../pending-imports";
import { paths } from "../../../views/paths";

const path = paths.newsletterImport;

const Upload = z.object({
  file: z.instanceof(File).refine(({ size }) => size > 0),
  revive: z.literal("yes").optional(),
});
const Confirmation = z.object({ upload: z.string() });

type Waiting = { file: File; revive: boolean };
const mostWaiting = 4;

export const newsletterImport = (deps: Deps) => {
  const { db, now } = deps;
  const waiting = waitingRoom<Waiting>(deps, mostWaiting);

  const read = (request: Request, { file, revive }: Waiting, rehearsal: boolean) => {
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

  return pages(path, deps)
    .get("/", ({ request }) => formAgain(request))
    .post("/", async ({ request, body }) => {
      const upload = Upload.safeParse(body);
      if (!upload.success) return formAgain(request, "Choose a CSV file.");
      const { file, revive } = { file: upload.data.file, revive: upload.data.revive === "yes" };
      const report = await read(request, { file, revive }, true).catch(() => undefined);
      if (!report) return formAgain(request, "This is not a CSV file whose first line names a column email.");
      const token = waiting.keep({ file, revive }, managerFor(request).session.id);
      const frame = await frameOf(deps, request);
      return show(
        { frame, title: "Check before you import" },
        <ImportReportPage {...{ frame, report, token, revive }} />,
      );
    })
    .post(
      "/confirm",
      async ({ request, body }) => {
        const upload = waiting.take(body.upload, managerFor(request).session.id);
        if (!upload) return formAgain(request, "The file is no longer here. Choose it again.");
        const report = await read(request, upload, false);
        const changes = report.new + report.revived;
        const details = { new: String(report.new), revived: String(report.revived), invalid: String(report.invalid) };
        await audit.note(db, { ...actorOf(request), action: "subscriber.import", details }, now());
        return seeOther(request, paths.newsletter, {
          kind: "good",
          text: `${plural(changes, "subscriber was", "subscribers were")} imported.`,
        });
      },
      { body: Confirmation },
    );
};
