import { z } from "zod";
import { Confirm } from "../../views/components/dialog";
import type { Frame } from "../../views/components/frame";
import { number } from "../../views/components/list";
import type { Child } from "../../views/jsx/jsx-runtime";
import { ask, queryBefore } from "./responses";

/* What is done to many rows at once: what a form with boxes sends, and the question that comes first. */

/** The rows a form chose: by their boxes, at most a thousand, or all that match the filter it was shown with. */
export const choice = {
  ids: z
    .union([z.string(), z.array(z.string())])
    .default([])
    .transform((ids) => [ids].flat().slice(0, 1_000)),
  all: z.literal("matching").optional().catch(undefined),
  filter: z.string().default(""),
};

/** The answer to a question: that it was asked and, for more than a hundred rows, their number in writing. */
export const answer = { confirmed: z.string().optional(), typed: z.string().optional() };

export const fromFilter = (filter: string): Record<string, string> => Object.fromEntries(new URLSearchParams(filter));

/** The list that the rows were chosen on: as the form says, or as the page that sent it. */
export const listBefore = (request: Request, path: string, filter: string | undefined) =>
  filter === undefined ? queryBefore(request, path) : fromFilter(filter);

/** Whether the answer is yes, to a question about so many rows. */
export const isConfirmed = (
  { confirmed, typed = "" }: { confirmed?: string | undefined; typed?: string | undefined },
  count: number,
) => confirmed === "yes" && (count <= 100 || Number(typed.replace(/\D/g, "") || "0") === count);

type Question = {
  frame: Frame;
  /** What the form said: the question sends it again. */
  order: {
    do: string;
    ids: string[];
    all?: "matching" | undefined;
    filter?: string | undefined;
    typed?: string | undefined;
  };
  /** Further fields of the order. */
  more?: Record<string, string>;
  /** What happens, which is the button: "Delete 214 posts". */
  verb: string;
  title?: string;
  /** What the rows are: "posts". */
  rows: string;
  count: number;
  action: string;
  cancel: string;
  /** What it means. */
  children: Child;
};

/** The question before something is done to many rows; for more than a hundred their number is typed. */
export function askAboutMany(
  request: Request,
  { frame, order, more, verb, title = `${verb}?`, rows, count, action, cancel, children }: Question,
) {
  const { do: move, ids, all, filter = "", typed } = order;
  const isMistyped = count > 100 && typed !== undefined;
  return ask(request, {
    frame,
    title,
    status: isMistyped ? 422 : 200,
    children: (
      <Confirm
        {...{ frame, action, verb, cancel }}
        fields={{ do: move, filter, ...more, ...(all ? { all } : { ids }) }}
        typed={count > 100 ? count : undefined}
        error={isMistyped ? `Type ${number(count)}, the number of ${rows}.` : undefined}
      >
        {children}
      </Confirm>
    ),
  });
}
