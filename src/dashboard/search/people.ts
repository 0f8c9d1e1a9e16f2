import * as subscriberList from "../../../db/newsletter/list";
import { statusOf } from "../../../db/newsletter/rules";
import type { Subscriber } from "../../../db/newsletter/subscribers";
import { paths } from "../../../views/paths";
import { asResults, listWith, type Subject } from "./subject";

const path = paths.newsletter;

const resultOf = (subscriber: Subscriber) => {
  const { id, email, name } = subscriber;
  const status = statusOf(subscriber);
  return {
    icon: "users",
    title: email,
    sub: [name ?? "Subscriber", status !== "active" && status].filter(Boolean).join(", "),
    href: `${path}/${id}`,
  };
};

export const people: Subject = {
  id: "people",
  name: "People",
  path,
  listOf: listWith(path),
  find: async ({ db }, _, q, limit) =>
    asResults(await subscriberList.list(db, { q }, "-joined", { page: 1, per: limit }), resultOf),
  one: async ({ db }, _, id) => {
    const person = await subscriberList.byId(db, id);
    return person && resultOf(person);
  },
};
