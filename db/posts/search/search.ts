import type { SQL } from "drizzle-orm";
import { byEngine } from "../../engine/dialects";
import type { Orm } from "../../engine/open";
import { allRows } from "../../lib/rows";
import * as postgres from "./search.postgres";
import * as sqlite from "./search.sqlite";
import type { Searchable } from "./terms";

const engine = byEngine<Pick<typeof postgres, "index" | "matchingRows">>({ sqlite, postgres });

/** Indexes the current text of the post. */
export const index = (orm: Orm, row: number, text: Searchable): Promise<void> => engine(orm).index(orm, row, text);

/**
 * Returns a query of the rows of all posts, including hidden ones, whose folded text contains `text` literally. `text`
 * must be folded and not empty.
 */
export const matchingRows = (orm: Orm, text: string): SQL => engine(orm).matchingRows(text);

/** The same as an array. */
export const rowsWith = (orm: Orm, text: string): Promise<number[]> => allRows(orm, matchingRows(orm, text));
