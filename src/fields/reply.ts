import { z } from "zod";
import { maxTextLength } from "../../db/contact/conversation";
import { line, lines } from "../platform/text/schemas";
import { field } from "./field";

/* What managers write beside a message. */

export const replyText = field(lines({ min: 1, max: maxTextLength }), { label: "Reply" });

export const SnippetFields = z.object({
  name: field(line({ min: 1, max: 60 }), { label: "Name" }),
  text: field(lines({ min: 1, max: 5_000 }), {
    label: "Text",
    hint: "{name} becomes the name of the person you write to, {email} their address.",
  }),
});
