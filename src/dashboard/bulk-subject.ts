/* What a subject declares to have bulk actions: a table of them, and how its rows are called. */

/** One thing that can be done to the selected rows, as people meet it. */
export type BulkAction = {
  /** The title and button of the question, for "3 posts": "Delete 3 posts for good". */
  verb: (rows: string) => string;
  /** Whether the question comes first: never, for so many rows that their number is typed, for more than one, or always. */
  asks: "never" | "many" | "several" | "always";
  /** What it means, in the question. */
  consequence?: (count: number) => string;
  /** What became of the rows, behind their name or number: "moved to the trash". */
  past: string;
  /** Instead of `tooLate` of the subject: nothing was left to change. */
  tooLate?: string;
  /** The action that takes it back, offered with the result; `ofMany` where it finds many by when they were changed. */
  undo?: { do: string; ofMany: boolean };
};

/** What the rows are: "post", "posts". */
export type Rows = readonly [one: string, many: string];

export type Subject<Name extends string, Row> = {
  rows: Rows;
  nameOf: (row: Row) => string;
  noneSelected: string;
  /** Nothing was left to change of so many selected rows; 0 when nobody knows how many. */
  tooLate: (count: number) => string;
  /** Behind the result: this many of the selected rows were changed by somebody else before. "" says nothing. */
  others: (count: number) => string;
  actions: Record<Name, BulkAction>;
};

/** Moving rows to the trash, for every list that has one. @param consequence what it means besides */
export const toTrash = (
  consequence = "They will be moved to the trash and can be restored for 30 days.",
): BulkAction => ({
  verb: (rows) => `Delete ${rows}`,
  asks: "several",
  consequence: () => consequence,
  past: "moved to the trash",
  undo: { do: "restore", ofMany: true },
});
