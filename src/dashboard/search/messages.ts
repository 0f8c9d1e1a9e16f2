import { find } from "../../../db/contact/list";
import { byId, type Message } from "../../../db/contact/messages";
import { paths } from "../../../views/paths";
import { excerptOf } from "./excerpt";
import { asResults, listWith, type Subject } from "./subject";

const path = paths.contact;

const resultOf = ({ id, name, message }: Message, q: string) => ({
  icon: "inbox",
  title: name,
  sub: excerptOf(message, q),
  href: `${path}/${id}`,
});

export const messages: Subject = {
  id: "messages",
  name: "Messages",
  path,
  listOf: listWith(path),
  find: async ({ db }, _, q, limit) => asResults(await find(db, q, limit), (message) => resultOf(message, q)),
  one: async ({ db }, _, id) => {
    const message = await byId(db, id);
    return message && !message.deletedAt ? resultOf(message, "") : undefined;
  },
};
