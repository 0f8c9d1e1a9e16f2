"use client";

import { useActionState } from "react";
import { subscribe } from "./actions";

export function SubscribeForm() {
  const [message, action, isPending] = useActionState(subscribe, "");
  return (
    <form action={action}>
      <h2>Newsletter</h2>
      {message && (
        <p className="notice" role="status">
          {message}
        </p>
      )}
      <label>
        Email address <input type="email" name="email" required />
      </label>
      <button disabled={isPending}>Subscribe</button>
    </form>
  );
}
