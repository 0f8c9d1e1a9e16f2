import { byId, type Broadcast } from "../../../db/broadcasts/broadcasts";
import * as broadcastList from "../../../db/broadcasts/list";
import { path, titleOf } from "../../../views/dashboard/broadcasts/state";
import { asResults, listWith, type Subject } from "./subject";

const resultOf = (broadcast: Broadcast) => ({
  icon: "megaphone",
  title: titleOf(broadcast),
  sub: `Broadcast, ${broadcast.state}`,
  href: `${path}/${broadcast.id}`,
});

export const broadcasts: Subject = {
  id: "broadcasts",
  name: "Broadcasts",
  path,
  listOf: listWith(path),
  find: async ({ db }, _, q, limit) =>
    asResults(await broadcastList.list(db, { tab: "all", q }, { page: 1, per: limit }), resultOf),
  one: async ({ db }, _, id) => {
    const broadcast = await byId(db, id);
    return broadcast && !broadcast.deletedAt ? resultOf(broadcast) : undefined;
  },
};
