import { beginEdition, discardEdition } from "../../../db/sequences/editions";
import { insideOf, whereabouts } from "../../../db/sequences/report";
import { Confirm } from "../../../views/components/confirm";
import { PublishQuestion } from "../../../views/dashboard/sequences/questions";
import { path } from "../../../views/dashboard/sequences/sequences";
import { paths } from "../../../views/paths";
import { checkSequence, publishSequence } from "../../broadcasts/sequence";
import { actorOf } from "../../security/session";
import type { Deps } from "../deps";
import { frameOf, pages } from "../pages";
import { forManagers } from "../permissions";
import { seeOther, showDialog } from "../responses";
import { type About, about, answer } from "./about";

/** New emails of a sequence that was started: begun, published or discarded. They are written on its page. */
export const sequenceEdition = (deps: Deps) =>
  pages(path, deps, forManagers)
    .post("/:id/edit", ({ request, params, body }) => about(deps, request, { params, body }, begin))
    .get("/:id/publish", ({ request, params }) => about(deps, request, { params }, askToPublish))
    .post("/:id/publish", ({ request, params, body }) => about(deps, request, { params, body }, publish))
    .get("/:id/discard", ({ request, params }) => about(deps, request, { params }, askToDiscard))
    .post("/:id/discard", ({ request, params, body }) => about(deps, request, { params, body }, discard));

const begin = async (of: About) =>
  answer(
    of,
    await beginEdition(of.deps.db, of.seen, actorOf(of.request), of.deps.now()),
    "Edit the new version. Nothing changes for anyone until you publish it.",
  );

async function askToPublish({ deps, request, sequence }: About) {
  const frame = await frameOf(deps, request);
  const emails = await checkSequence(deps, sequence, deps.now());
  const { waiting, held, underWay } = insideOf(await whereabouts(deps.db, sequence));
  const inside = waiting + held + underWay;
  const children = <PublishQuestion frame={frame} sequence={sequence} emails={emails} inside={inside} />;
  return showDialog(request, { frame, title: `Publish a new version of “${sequence.name}”?`, children });
}

async function publish(of: About) {
  const { deps, request, sequence, seen, sent } = of;
  const carriesOn = sent.people === "go-on";
  const result = await publishSequence(deps, { seen, carriesOn }, actorOf(request), deps.now());
  if (result.outcome === "blocked" || result.outcome === "empty")
    return seeOther(request, paths.sequence(sequence.id), {
      kind: "bad",
      text: "Not published: correct the emails first.",
    });
  return answer(of, result, "New version published.");
}

async function askToDiscard({ deps, request, sequence }: About) {
  const frame = await frameOf(deps, request);
  const here = paths.sequence(sequence.id);
  const children = (
    <Confirm
      frame={frame}
      action={`${here}/discard`}
      verb="Discard new version"
      cancel={here}
      fields={{ version: String(sequence.version) }}
    >
      <p>What you changed in these emails is lost. People go on getting the emails that they get now.</p>
    </Confirm>
  );
  return showDialog(request, { frame, title: "Discard the new version?", children });
}

const discard = async (of: About) =>
  answer(
    of,
    await discardEdition(of.deps.db, of.seen, actorOf(of.request), of.deps.now()),
    "New version discarded. Nothing has changed.",
  );
