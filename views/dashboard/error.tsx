import { PublicLayout } from "../public-layout";
import { paths } from "../paths";

type Props = {
  title: string;
  message: string;
  number?: string;
  /** The failed page's own path: the overview does not link back to itself. */
  path?: string;
};

/** A failure inside the dashboard. It does not query the database, which may be what failed. */
export const ErrorSheet = ({ title, message, number, path = "" }: Props) => (
  <PublicLayout title={title}>
    <h1>{title}</h1>
    <p role="alert">{message}</p>
    {number && <p class="muted">If this keeps happening, search the log for {number}</p>}
    {!/^\/dashboard\/?$/.test(path) && (
      <p class="back">
        <a href={paths.overview}>Go to the overview</a>
      </p>
    )}
  </PublicLayout>
);
