"use server";

import { headers } from "next/headers";
import { isPostroomError } from "postroom/client";
import { postroom } from "../lib/postroom";

/** Subscribes on behalf of the visitor, whose address the proxy in front of Next passes on. @returns what to tell them */
export async function subscribe(_: string, form: FormData): Promise<string> {
  const incoming = await headers();
  const address = incoming.get("x-forwarded-for")?.split(",").at(-1)?.trim() ?? "";
  const visitor = postroom.for({ address, headers: incoming });
  try {
    const { message } = await visitor.newsletter.subscribe({ email: String(form.get("email")), source: "blog" });
    return message;
  } catch (error) {
    if (!isPostroomError(error)) throw error;
    if (error.code === "VALIDATION_ERROR") return `The email address ${error.details[0]?.message}.`;
    if (error.code === "RATE_LIMITED") return `Please try again in ${error.retryAfter} seconds.`;
    return "The subscription was not saved. Please try again in a few minutes.";
  }
}
