import { z } from "zod";
import type { Chosen } from "../../db/subscriber-desk";
import { Confirm } from "../../views/components/dialog";
import type { Frame } from "../../views/components/frame";
import { plural } from "../../views/components/list";
import { ask } from "./answers";
import { answer, choice, fromFilter, isConfirmed, typing } from "./list-query";
import { filterOf, path, Query } from "./newsletter-query";

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

export function askFirst(request: Request, frame: Frame, { ids, all, filter, do: verb, typed }: Order, count: number) {
  const fields = { do: verb, filter, ...(all ? { all } : { ids }) };
  const asked = typing(count, typed, "subscribers");
  const isDelete = verb === "delete";
  const action = `${path}/bulk`;
  return ask(request, {
    frame,
    title: `${isDelete ? "Delete" : "Reactivate"} ${plural(count, "subscriber")}?`,
    status: asked.error ? 422 : 200,
    children: (
      <Confirm
        frame={frame}
        action={action}
        verb={`${isDelete ? "Delete" : "Reactivate"} ${plural(count, "subscriber")}`}
        cancel={path}
        fields={fields}
        {...asked}
      >
        <p>
          {isDelete
            ? "They are removed for good, and this cannot be undone. Export them first if you may need the addresses again."
            : "They will get the newsletter again. Only do this if they asked you to: writing to people who unsubscribed is against the law in many places."}
        </p>
      </Confirm>
    ),
  });
}
