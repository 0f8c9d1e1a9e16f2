/*
 * Passkeys, and showing the password. The pages work without this file: a password can always be tried. Served with
 * types removed, otherwise as it is.
 */
import type * as WebAuthn from "@simplewebauthn/browser";

declare const SimpleWebAuthnBrowser: typeof WebAuthn | undefined; // webauthn.js, on pages with passkeys

const post = async (path: string, content: unknown, token = "") => {
  const response = await fetch(path, {
    method: "POST",
    headers: { "content-type": "application/json", "x-form-token": token },
    body: JSON.stringify(content),
  });
  if (response.redirected || response.status === 401) throw new Error("You were signed out. Reload the page.");
  const answer = await response.json();
  if (!response.ok) throw new Error(answer.message);
  return answer;
};

async function signIn({ next }: DOMStringMap, passkeys: typeof WebAuthn) {
  const options = await post("/dashboard/sign-in/passkey/challenge", {});
  const response = await passkeys.startAuthentication({ optionsJSON: options });
  location.assign((await post("/dashboard/sign-in/passkey", { response, next })).location);
}

async function add({ token }: DOMStringMap, passkeys: typeof WebAuthn) {
  const name = document.querySelector<HTMLInputElement>("#passkey-name")?.value;
  const options = await post("/dashboard/account/passkeys/challenge", {}, token);
  const response = await passkeys.startRegistration({ optionsJSON: options });
  location.assign((await post("/dashboard/account/passkeys", { response, name }, token)).location);
}

/** Replaces the browser's own messages for a cancelled dialog and for a response that is missing or not ours. */
function errorText(error: unknown, isAdding: boolean): string {
  const { name, message } = error instanceof Error ? error : new Error(String(error));
  if (name === "InvalidStateError") return "This device has a passkey for your account already.";
  if (name === "NotAllowedError")
    return isAdding
      ? "No passkey was added: it was cancelled, or the device did not allow it."
      : "Passkey sign-in was cancelled, or the device did not allow it.";
  const hasNoResponse = name === "TypeError" || name === "SyntaxError";
  return hasNoResponse ? "The server could not be reached. Check your connection and try again." : message;
}

for (const box of document.querySelectorAll<HTMLElement>("[data-passkey]")) {
  const passkeys = typeof SimpleWebAuthnBrowser === "undefined" ? undefined : SimpleWebAuthnBrowser;
  if (!passkeys?.browserSupportsWebAuthn()) {
    box.hidden = true; // hidden until we know more, so that nothing moves where passkeys work
    continue;
  }
  const problem = box.querySelector<HTMLElement>("[data-problem]");
  const button = box.querySelector("button");
  button?.addEventListener("click", async () => {
    button.disabled = true;
    if (problem) problem.textContent = "";
    const isAdding = box.dataset.passkey === "add";
    try {
      await (isAdding ? add : signIn)(box.dataset, passkeys);
    } catch (error) {
      if (problem) problem.textContent = errorText(error, isAdding);
    }
    button.disabled = false;
  });
}

for (const button of document.querySelectorAll<HTMLElement>("[data-reveal]"))
  button.addEventListener("click", () => {
    const field = document.getElementById(button.dataset.reveal ?? "");
    if (!(field instanceof HTMLInputElement)) return;
    const isShown = field.type === "password";
    field.type = isShown ? "text" : "password";
    button.setAttribute("aria-pressed", String(isShown));
    button.textContent = isShown ? "Hide" : "Show";
    button.ariaLabel = `${button.textContent} password`;
  });
