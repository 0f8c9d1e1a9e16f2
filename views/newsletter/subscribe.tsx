import type { Translator } from "../languages/translator";

type FormView = { t: Translator; label?: string; email?: string; error?: string };
/** The result of subscribing, or the form again with what is wrong. */
export type SubscribeState = { title: string; message?: string; form?: { email: string; error: string } };

/** Posts to one of our own pages, so it works without a script and on any page of the archive. */
export const SubscribeForm = ({ t, label = t("subscribe.label"), email, error }: FormView) => (
  // Not validated by the browser: Safari refuses domains that are not ASCII, and only we can say what is wrong in the site's language
  <form class="join" method="post" action="/newsletter/subscribe" novalidate>
    <label for="email">{label}</label>
    {error && (
      <p class="error" id="email-error" role="alert">
        {error}
      </p>
    )}
    <span>
      <input
        id="email"
        name="email"
        type="email"
        autocomplete="email"
        maxlength="200"
        required
        value={email}
        aria-invalid={error ? "true" : undefined}
        aria-describedby={error && "email-error"}
      />
      <button type="submit" class="main-act">
        {t("subscribe")}
      </button>
    </span>
  </form>
);
