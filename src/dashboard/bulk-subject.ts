/* What a subject declares to have bulk actions: a table of them, and what its rows are called. */

/** An action on the selected rows, as people see it. */
export type BulkAction = {
  /** The title and button of the question for "3 posts", such as "Delete 3 posts permanently". */
  verb: (rows: string) => string;
  /** When the question is asked: never; above a hundred rows, with their number typed; for more than one; or always. */
  asks: "never" | "many" | "several" | "always";
  /** The consequence, in the question. */
  consequence?: (count: number) => string;
  /** The result, after the rows' name or number: "moved to the trash". */
  past: string;
  /** Replaces the subject's `tooLate` if nothing was left to change. */
  tooLate?: string;
  /**
   * The action that undoes it, offered with the result. `ofMany`: it finds several rows by the moment of their change.
   */
  undo?: { do: string; ofMany: boolean };
};

/** The noun for the rows: "post", "posts". */
export type Rows = readonly [one: string, many: string];

export type Subject<Name extends string, Row> = {
  rows: Rows;
  nameOf: (row: Row) => string;
  noneSelected: string;
  /** Said if nothing was left to change of this many selected rows; 0 if the number is unknown. */
  tooLate: (count: number) => string;
  /**
   * Said after the result if this many of the selected rows had already been changed by someone else; "" says nothing.
   */
  others: (count: number) => string;
  actions: Record<Name, BulkAction>;
};

/** The action of moving rows to the trash. @param consequence what else it means */
export const toTrash = (
  consequence = "They will be moved to the trash and can be restored for 30 days.",
): BulkAction => ({
  verb: (rows) => `Delete ${rows}`,
  asks: "several",
  consequence: () => consequence,
  past: "moved to the trash",
  undo: { do: "restore", ofMany: true },
});
