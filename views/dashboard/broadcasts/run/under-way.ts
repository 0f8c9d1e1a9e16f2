import { plural } from "../../../components/list";
import { timeOfDay } from "../../../components/time";
import type { RunView } from "./view";

/** What is certain about emails without a response, on a page that does not follow them. */
export const stillUnderWay = (count: number, { now, preferences }: RunView["frame"]): string =>
  `At ${timeOfDay(now, preferences)}, ${plural(count, "email was", "emails were")} still on the way to the provider, which may accept ${count === 1 ? "it" : "them"}.`;
