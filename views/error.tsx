import type { Key } from "./languages/en";
import type { Translator } from "./languages/translator";
import { paths } from "./paths";
import { PublicLayout } from "./public-layout";

type ErrorPageProps = {
  t: Translator;
  status: number;
  /** The home page or the overview itself failed, so the way back does not lead there. */
  isRoot?: boolean;
  /** Below the dashboard, so the way back is the overview. */
  isDashboard?: boolean;
};

/** A failure outside every area, as a page: what happened, and a link back. */
export const ErrorPage = ({ t, status, isRoot, isDashboard }: ErrorPageProps) => {
  const { title, text } = texts[status] ?? failed;
  return isDashboard ? (
    <ErrorSheet {...failureOf(t, status, isRoot)} />
  ) : (
    <PublicLayout root={t.root} title={`${status}`}>
      <h1>{t(title)}</h1>
      <p>{t(text)}</p>
      <p class="back">
        <a href={isRoot ? paths.overview : "/"}>{t("error.home")}</a>
      </p>
    </PublicLayout>
  );
};

/** What happened, for a page of the dashboard. */
export function failureOf(t: Translator, status: number, isOverview = false): Failure {
  const { title, text } = texts[status] ?? failed;
  const message = [t(text), remedies[status]].filter(Boolean).join(" ");
  return { title: t(title), message, isOverview };
}

/** What to do about it. A request that is refused was not read. */
const remedies: Record<number, string> = {
  413: "Nothing was changed. Go back in the browser: what you typed is still in the form, and can be shortened.",
  503: "Nothing was changed. Reload this page, which also sends a form again.",
};

const failed = { title: "error.500.title", text: "error.500.text" } as const;
const texts: Record<number, { title: ErrorKey; text: ErrorKey }> = {
  404: { title: "error.404.title", text: "error.404.text" },
  405: { title: "error.405.title", text: "error.405.text" },
  413: { title: "error.413.title", text: "error.413.text" },
  503: { title: "error.503.title", text: "error.503.text" },
};
type ErrorKey = Extract<Key, `error.${number}.${string}`>;

export type Failure = {
  title: string;
  message: string;
  number?: string;
  /** The overview itself failed, so there is no link back to it. */
  isOverview?: boolean | undefined;
};

/** A failure inside the dashboard, alone. It does not query the database, which may be what failed. */
export const ErrorSheet = (failure: Failure) => (
  <PublicLayout title={failure.title}>
    <ErrorWords {...failure} />
  </PublicLayout>
);

/** What failed, and the way back. */
export const ErrorWords = ({ title, message, number, isOverview }: Failure) => (
  <>
    <h1>{title}</h1>
    <p role="alert">{message}</p>
    {number && <p class="muted">If this keeps happening, search the log for {number}</p>}
    {!isOverview && (
      <p class="back">
        <a href={paths.overview}>Go to the overview</a>
      </p>
    )}
  </>
);
