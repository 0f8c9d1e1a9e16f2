import type { FiguresSoFar } from "../metrics";
import type { Verdict } from "../security/rate-limit";

/** What a worker asks of the office, all that came up in one turn of its event loop. */
export type Asked = { turn: number; keys: { id: string; isPassive: boolean }[] };
/** What it tells about the answers it gave. */
export type Told = { figures: FiguresSoFar };
/** The office's answer to `Asked`, in its order. */
export type Decided = { turn: number; verdicts: Verdict[] };
