import * as subscribers from "../../../db/newsletter/subscribers";
import { fakeProvider } from "../mail";
import { broadcastStage } from "./broadcasts";

/** A provider, a sender, and people who subscribe; what has to be closed is added to `afterwards`. */
export async function sequenceStage(afterwards: (() => unknown)[], rules: Parameters<typeof fakeProvider>[0] = {}) {
  const clock = { time: 0 };
  const provider = await fakeProvider({ ...rules, now: () => new Date(clock.time) });
  const stage = await broadcastStage({ env: provider.env });
  clock.time = stage.clock.time;
  const sender = stage.sender();
  afterwards.push(
    provider.stop,
    () => stage.db.close(),
    () => sender.close(),
  );
  const later = async (ms: number, by = sender) => {
    stage.clock.time += ms;
    clock.time = stage.clock.time;
    await by.drain();
  };
  const { db, now } = stage;
  const subscribe = (email: string, topics?: string[]) =>
    subscribers.subscribe(db, { email, topics }, { via: "form" }, now(), { welcome: false });
  /** Who got which email of a sequence, in the order in which they were delivered: "ada 1". */
  const gotOf = ({ emails }: { emails: string[] }) =>
    provider.delivered().flatMap(({ to: [to = ""], tags = [] }) => {
      const at = emails.indexOf(tags.find(({ name }) => name === "postroom_b")?.value ?? "");
      return at < 0 ? [] : `${to.split("@")[0]} ${at + 1}`;
    });
  const idOf = async (email: string) => (await subscribers.byEmail(db, email))?.id ?? "";
  return { ...stage, provider, sender, later, subscribe, gotOf, idOf };
}
