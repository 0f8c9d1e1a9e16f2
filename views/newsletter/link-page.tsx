import type { AssetName } from "../assets";
import type { Child } from "../jsx/jsx-runtime";
import type { Translator } from "../languages/translator";
import { PublicLayout } from "../public-layout";

type LinkPageProps = { t: Translator; home: string; extras?: AssetName[]; children?: Child };

/** The page of a link in an email: no script, and a link back to the site. */
export const LinkPage = ({ t, home, extras = [], children }: LinkPageProps) => (
  <PublicLayout root={t.root} title={t("newsletter")} extras={extras}>
    {children}
    <p class="back">
      <a href={home}>{t("back", { host: new URL(home).host })}</a>
    </p>
  </PublicLayout>
);

export const InvalidLink = ({ t }: { t: Translator }) => (
  <>
    <h1>{t("invalid.title")}</h1>
    <p>{t("invalid.text")}</p>
  </>
);

/** Too many requests from there: in so many seconds the link works again. */
export const Limited = ({ t, seconds }: { t: Translator; seconds: number }) => (
  <>
    <h1>{t("limit.title")}</h1>
    <p>{t("limit.text", { count: seconds })}</p>
  </>
);

/** The address behind a valid token, masked, because someone may look over the reader's shoulder (D14). */
export const Masked = ({ email }: { email: string }) => <strong>{masked(email)}</strong>;

type LinkButtonProps = {
  action: string;
  /** Above or below an ordinary button. */
  weight?: "main-act" | "quiet-act";
  children?: Child;
};

/** A button that posts to the link's own URL: the link's token is the authority. */
export const LinkButton = ({ action, weight, children }: LinkButtonProps) => (
  <form method="post" action={action}>
    <button type="submit" class={weight}>
      {children}
    </button>
  </form>
);

/** ha•••@example.com: enough to recognise your own address, but not to read someone else's. */
function masked(email: string): string {
  const cut = email.lastIndexOf("@");
  const local = [...email.slice(0, cut)];
  return `${local.slice(0, local.length > 3 ? 2 : 1).join("")}•••${email.slice(cut)}`;
}

/** Leads to the topics and the language that someone gets. @param search the parameters of their own link */
export const ChangePreferences = ({ t, search }: { t: Translator; search: string }) => (
  <p>
    <a class="button" href={`/newsletter/preferences${search}`}>
      {t("left.topic.change")}
    </a>
  </p>
);
