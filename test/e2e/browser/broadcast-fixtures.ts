import { create } from "../../../db/broadcasts/edit";
import type { Segment } from "../../../db/newsletter/segments/definition";
import { addRecipients, setState } from "../../support/broadcasts/sent";
import type { Stage } from "../../support/broadcasts/stage";

const minute = 60_000;

const text = `Dear {name, "friend"},

On 4 November it rained eighty millimetres in a day, and my own table said eighty-nine. Priya Raman wrote to tell me.

## What four hundred lines can do

The library in Ballstad lends nine hundred books to four hundred people. Their catalogue is
[one file of Python](https://halvorsen.example/posts/library).

- accounts, because the librarian knows you,
- reminders, because she tells you.

<TideTable month="11" />
`;

/** A broadcast in each state. Returns the pages of all of them. */
export async function addBroadcastFixtures({ db, now, owner }: Stage): Promise<Record<string, string>> {
  const by = { actor: owner.manager.email };
  const write = async (subject: string, segment: Segment = {}, content = text) => {
    const fields = { subject, preheader: "What eighty millimetres did to my table.", fromName: "", segment, content };
    return (await create(db, { source: { kind: "own" }, fields: { ...fields, archive: "listed" } }, by, now())).id;
  };
  const at = (ago: number) => new Date(now().getTime() - ago * minute);
  const [draft, empty] = [await write("Rain gauges, and a library in four hundred lines"), await write("", {}, "")];
  const scheduled = await write("What I would build again");
  await setState(db, scheduled, { state: "scheduled", audience: 52, confirmedAt: at(1), scheduledAt: at(-0.9) });
  const sending = await write("The talk is moved to Thursday", {
    v: 2,
    all: [{ field: "source", is: "none", of: ["landing"] }],
  });
  await setState(db, sending, { state: "sending", audience: 52, startedAt: at(2), settledAt: at(0), ceiling: 60 });
  await addRecipients(
    db,
    sending,
    Array.from({ length: 20 }, () => ({ acceptedAt: at(1) })),
  );
  const paused = await write("The October tide table, corrected", {
    v: 2,
    all: [
      { field: "source", is: "any", of: ["blog"] },
      { field: "joined", is: "from", of: at(50_000).toISOString() },
    ],
  });
  const why = { stateReason: "bounces", startedAt: at(3_000), settledAt: at(2_900), ceiling: 60 };
  await setState(db, paused, { state: "paused", audience: 26, ...why });
  const bounce = { deliveredAt: null, bouncedAt: at(2_950), error: "5.1.1 No such user here" };
  await addRecipients(
    db,
    paused,
    Array.from({ length: 12 }, (_, i) => (i % 3 ? { deliveredAt: at(2_950) } : bounce)),
  );
  const sent = await write("Eighteen hours a year");
  await setState(db, sent, { state: "sent", audience: 40, startedAt: at(9_000), finishedAt: at(8_990), ceiling: 60 });
  await addRecipients(db, sent, [
    ...Array.from({ length: 30 }, () => ({ deliveredAt: at(8_980) })),
    { ...bounce },
    { state: "uncertain", error: "The answer of the provider was lost" },
    { state: "uncertain", error: "The answer of the provider was lost" },
    { state: "failed", error: "550 Mailbox unavailable" },
    { complainedAt: at(8_000), deliveredAt: at(8_980) },
    { unsubscribedAt: at(8_000), deliveredAt: at(8_980) },
  ]);
  const unknown = await write("Repair notes");
  await setState(db, unknown, { state: "sent", audience: 5, startedAt: at(20_000), finishedAt: at(19_990) });
  await addRecipients(
    db,
    unknown,
    Array.from({ length: 5 }, () => ({ acceptedAt: at(19_995) })),
  );
  const page = (id: string, rest = "") => `/dashboard/broadcasts/${id}${rest}`;
  return {
    broadcasts: "/dashboard/broadcasts",
    composer: page(draft),
    "empty composer": page(empty),
    audience: page(draft, "/audience"),
    "the question before sending": page(draft, "/send"),
    "a blocked broadcast": page(empty, "/send"),
    "a scheduled broadcast": page(scheduled),
    "a broadcast being sent": page(sending),
    "a paused broadcast": page(paused),
    "a sent broadcast": page(sent),
    "cancel a broadcast": page(sending, "/cancel"),
    recipients: page(sent, "/recipients"),
    "a broadcast by source and day": page(sent, "/figures"),
    "a sent broadcast without reports": page(unknown),
  };
}
