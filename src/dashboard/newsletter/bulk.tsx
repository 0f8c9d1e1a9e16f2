import { z } from "zod";
import type { Chosen } from "../../../db/newsletter/list";
import type { Frame } from "../../../views/components/frame";
import { plural } from "../../../views/components/list";
import { answer, askAboutMany, choice, fromFilter, isConfirmed } from "../bulk-actions";
import { filterOf, path, Query } from "./query";

/** The form of the table: rows by their boxes, or all that match the filter. */
export const Order = z.object({
  ...choice,
  do: z.enum(["reactivate", "delete"]).catch("reactivate"),
  ...answer,
});
export type Order = z.output<typeof Order>;

export const chosenBy = ({ all, ids, filter }: Order): Chosen =>
  all ? { matching: filterOf(Query.parse(fromFilter(filter))) } : { ids };

/** More than one is asked about, and so is every deletion; more than a hundred are typed. */
export const isSure = (order: Order, count: number) =>
  isConfirmed(order, count) || (order.do === "reactivate" && count === 1);

export function askFirst(request: Request, frame: Frame, order: Order, count: number) {
  const isDelete = order.do === "delete";
  return askAboutMany(request, {
    ...{ frame, order, count, rows: "subscribers", cancel: path },
    verb: `${isDelete ? "Delete" : "Reactivate"} ${plural(count, "subscriber")}`,
    action: `${path}/bulk`,
    children: (
      <p>
        {isDelete
          ? "They are removed for good, and this cannot be undone. Export them first if you may need the addresses again."
          : "They will get the newsletter again. Only do this if they asked you to: writing to people who unsubscribed is against the law in many places."}
      </p>
    ),
  });
}
