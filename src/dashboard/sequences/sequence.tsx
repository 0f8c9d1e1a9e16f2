import { readSegment } from "../../../db/newsletter/segments/definition";
import { addStep, deleteSequence, moveStepUp, removeStep, setWait } from "../../../db/sequences/edit";
import { countLate, skipOrStopLate } from "../../../db/sequences/late";
import { earlierSteps, insideOf, nextDue, whereabouts } from "../../../db/sequences/report";
import {
  draftEdition,
  maxSequences,
  type NamedSequence,
  stepsIn,
  type StepWithBroadcast,
} from "../../../db/sequences/sequences";
import { end, needsReview, pause, resume } from "../../../db/sequences/states";
import { readWelcome } from "../../../db/settings/settings";
import type { AssetName } from "../../../views/assets";
import { Confirm } from "../../../views/components/confirm";
import type { FormState } from "../../../views/components/forms/fields";
import type { Frame } from "../../../views/components/frame";
import { paths } from "../../../views/paths";
import { StartQuestion } from "../../../views/dashboard/sequences/questions";
import { SequencePage, type SequenceView, StepForm } from "../../../views/dashboard/sequences/sequence";
import { path } from "../../../views/dashboard/sequences/sequences";
import { checkSequence, startSequence } from "../../broadcasts/sequence";
import { readSite } from "../../emails/site";
import { defaultWelcome } from "../../emails/welcome";
import { inputsOf } from "../../fields/field";
import { StepFields, WaitFields, waitOf, waitValues } from "../../fields/sequences";
import { actorOf } from "../../security/session";
import type { Deps } from "../deps";
import { readForm, textFields } from "../form-input";
import { frameOf, pages } from "../pages";
import { forManagers } from "../permissions";
import { notReviewed, seeOther, show, showDialog } from "../responses";
import { sentencesOf } from "../segments/words";
import { type About, about, answer } from "./about";

const extras: AssetName[] = ["broadcasts.css"];

/** `/dashboard/sequences/:id`: a sequence, its emails and where its people are, and what a manager does with them. */
export const sequencePage = (deps: Deps) =>
  pages(path, deps, forManagers)
    .get("/:id", ({ request, params }) => about(deps, request, { params }, showOne))
    .get("/:id/start", ({ request, params }) => about(deps, request, { params }, askToStart))
    .post("/:id/start", ({ request, params, body }) => about(deps, request, { params, body }, start))
    .post("/:id/pause", ({ request, params, body }) => about(deps, request, { params, body }, pauseOne))
    .post("/:id/resume", ({ request, params, body }) => about(deps, request, { params, body }, resumeOne))
    .get("/:id/end", ({ request, params }) => about(deps, request, { params }, askToEnd))
    .post("/:id/end", ({ request, params, body }) => about(deps, request, { params, body }, endOne))
    .get("/:id/delete", ({ request, params }) => about(deps, request, { params }, askToDelete))
    .post("/:id/delete", ({ request, params, body }) => about(deps, request, { params, body }, deleteOne))
    .get("/:id/emails", ({ request, params }) => about(deps, request, { params }, askForEmail))
    .post("/:id/emails", ({ request, params, body }) => about(deps, request, { params, body }, addEmail))
    .get("/:id/emails/:email/wait", ({ request, params }) => about(deps, request, { params }, askForWait))
    .post("/:id/emails/:email/wait", ({ request, params, body }) => about(deps, request, { params, body }, saveWait))
    .post("/:id/emails/:email/up", ({ request, params, body }) => about(deps, request, { params, body }, moveUp))
    .post("/:id/emails/:email/remove", ({ request, params, body }) =>
      about(deps, request, { params, body }, removeEmail),
    );

async function showOne({ deps, request, sequence }: About) {
  const frame = await frameOf(deps, request);
  return show({ frame, title: sequence.name, extras }, <SequencePage {...await viewOf(deps, frame, sequence)} />);
}

const nextShown = 5;

async function viewOf(deps: Deps, frame: Frame, sequence: NamedSequence): Promise<SequenceView> {
  const { db } = deps;
  const [whereabout, late, [segmentWords = ""]] = await Promise.all([
    whereabouts(db, sequence),
    sequence.state === "paused" ? countLate(db, { ...sequence, reviewedAt: null }, frame.now) : 0,
    sentencesOf(db, [readSegment(sequence.frozenSegment ?? sequence.segment)], frame.preferences),
  ]);
  const { byStep, ...people } = whereabout;
  const nobody = { waiting: 0, held: 0, underWay: 0 };
  const counted = (each: StepWithBroadcast) => ({ ...each, ...(byStep.get(each.step.row) ?? nobody) });
  const [steps, drafts, earlier] = await db.read(async (orm) => [
    await stepsIn(orm, sequence, sequence.edition),
    await stepsIn(orm, sequence, draftEdition(sequence)),
    await earlierSteps(orm, sequence, [...byStep.keys()]),
  ]);
  const waitedFor = [...byStep].filter(([, at]) => at.waiting > 0).map(([row]) => row);
  const next = sequence.state === "on" ? await nextDue(db, waitedFor, nextShown) : [];
  return {
    frame,
    sequence,
    next,
    late,
    segmentWords,
    welcomeSubject: (await readWelcome(db)).subject || defaultWelcome(await readSite(deps)).subject,
    needsReview: needsReview(sequence),
    steps: steps.map(counted),
    drafts: drafts.map(counted),
    earlier: earlier.map(counted),
    people: { ...people, ...insideOf(whereabout) },
  };
}

async function askToStart({ deps, request, sequence }: About) {
  const frame = await frameOf(deps, request);
  const emails = await checkSequence(deps, sequence, deps.now());
  const children = <StartQuestion frame={frame} sequence={sequence} emails={emails} />;
  return showDialog(request, { frame, title: `Start “${sequence.name}”?`, children });
}

async function start(of: About) {
  const { deps, request, sequence, seen } = of;
  const result = await startSequence(deps, seen, actorOf(request), deps.now());
  if (result.outcome === "blocked" || result.outcome === "empty")
    return seeOther(request, paths.sequence(sequence.id), {
      kind: "bad",
      text: "Not started: correct the emails first.",
    });
  return answer(of, result, `Sequence “${sequence.name}” started.`);
}

const pauseOne = async (of: About) =>
  answer(of, await pause(of.deps.db, of.seen, actorOf(of.request), of.deps.now()), "Paused. People who begin it wait.");

async function resumeOne(of: About) {
  const { deps, request, sequence, seen, sent } = of;
  if (needsReview(sequence) && !sent.reviewed) return seeOther(request, paths.sequence(sequence.id), notReviewed);
  const isSeen = sequence.state === "paused" && sequence.version === seen.version;
  if (isSeen && sent.late !== "send") await skipOrStopLate(deps.db, sequence, sent.late, deps.now());
  return answer(of, await resume(deps.db, seen, actorOf(request), deps.now()), "Resumed.");
}

type Question = { act: "end" | "delete"; verb: string; words: string };

/** Asks before what cannot be undone. */
async function askFirst({ deps, request, sequence }: About, { act, verb, words }: Question) {
  const frame = await frameOf(deps, request);
  const here = paths.sequence(sequence.id);
  return showDialog(request, {
    frame,
    title: `${verb} “${sequence.name}”?`,
    children: (
      <Confirm
        frame={frame}
        action={`${here}/${act}`}
        verb={`${verb} sequence`}
        cancel={here}
        fields={{ version: String(sequence.version) }}
      >
        <p>{words} This cannot be undone.</p>
      </Confirm>
    ),
  });
}

const askToEnd = (of: About) =>
  askFirst(of, {
    act: "end",
    verb: "End",
    words:
      "No one begins it from now on, and no one who is in it gets another email. Its figures stay. To stop for a while, pause it instead.",
  });

const endOne = async (of: About) =>
  answer(of, await end(of.deps.db, of.seen, actorOf(of.request), of.deps.now()), "Ended.");

const askToDelete = (of: About) =>
  askFirst(of, {
    act: "delete",
    verb: "Delete",
    words: "Its emails are permanently deleted too. No one has got any of them.",
  });

async function deleteOne(of: About) {
  const { deps, request, sequence, seen } = of;
  const result = await deleteSequence(deps.db, seen, actorOf(request), deps.now());
  if (result.outcome !== "changed") return answer(of, result, "");
  return seeOther(request, path, { kind: "good", text: `Sequence “${sequence.name}” deleted.` });
}

const [stepInputs, waitInputs] = [inputsOf(StepFields), inputsOf(WaitFields)];
type Asked = Omit<FormState, "inputs">;

const askForEmail = (of: About) => emailForm(of, { values: { after: "1", unit: "days" } });

async function emailForm({ deps, request, sequence }: About, form: Asked) {
  const frame = await frameOf(deps, request);
  const here = paths.sequence(sequence.id);
  const children = (
    <StepForm
      frame={frame}
      form={{ inputs: stepInputs, ...form }}
      action={`${here}/emails`}
      cancel={here}
      verb="Add email"
      version={sequence.version}
    />
  );
  return showDialog(request, { frame, title: "Add email", status: form.errors ? 422 : 200, children });
}

/** Adds an email, which is then written in the editor. */
async function addEmail(of: About) {
  const { deps, request, seen, body } = of;
  const values = textFields.parse(body);
  const { input, errors } = readForm(StepFields, values);
  if (errors) return emailForm(of, { values, errors });
  const wait = waitOf(input);
  if ("message" in wait) return emailForm(of, { values, errors: [wait] });
  const step = { wait, subject: input.subject, content: "" };
  const added = await addStep(deps.db, { seen, step }, actorOf(request), deps.now());
  if (added.outcome === "full") {
    const message = `A sequence can have ${maxSequences.steps} emails.`;
    return emailForm(of, { values, errors: [{ field: "subject", message }] });
  }
  if (added.outcome !== "changed") return answer(of, added, "");
  return seeOther(request, `${paths.broadcasts}/${added.broadcastId}`, { kind: "good", text: "Email added." });
}

async function askForWait(of: About) {
  const { deps, sequence, email } = of;
  const steps = await deps.db.read((orm) => stepsIn(orm, sequence, draftEdition(sequence)));
  const step = steps.find(({ broadcast }) => broadcast.id === email)?.step;
  return step ? waitForm(of, { values: waitValues(step) }) : answer(of, { outcome: "conflict" }, "");
}

async function waitForm({ deps, request, sequence, email }: About, form: Asked) {
  const frame = await frameOf(deps, request);
  const here = paths.sequence(sequence.id);
  const children = (
    <StepForm
      frame={frame}
      form={{ inputs: waitInputs, ...form }}
      action={`${here}/emails/${email}/wait`}
      cancel={here}
      verb="Save"
      version={sequence.version}
    />
  );
  return showDialog(request, { frame, title: "When is it sent?", status: form.errors ? 422 : 200, children });
}

async function saveWait(of: About) {
  const { deps, request, seen, email, body } = of;
  const values = textFields.parse(body);
  const { input, errors } = readForm(WaitFields, values);
  if (errors) return waitForm(of, { values, errors });
  const wait = waitOf(input);
  if ("message" in wait) return waitForm(of, { values, errors: [wait] });
  return answer(of, await setWait(deps.db, { seen, broadcastId: email, wait }, actorOf(request), deps.now()), "Saved.");
}

async function moveUp(of: About) {
  const { deps, request, seen, email } = of;
  return answer(of, await moveStepUp(deps.db, { seen, broadcastId: email }, actorOf(request), deps.now()), "Moved up.");
}

async function removeEmail(of: About) {
  const { deps, request, seen, email } = of;
  const removed = await removeStep(deps.db, { seen, broadcastId: email }, actorOf(request), deps.now());
  return answer(of, removed, "Email deleted.");
}
