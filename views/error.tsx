import { PublicLayout } from "./public-layout";
import { paths } from "./paths";

/** A failure outside every area, for people: what happened, and the way back. */
export const ErrorPage = ({ status, message, path }: { status: number; message: string; path?: string }) => (
  <PublicLayout title={`${status}`}>
    <h1>{titles[status] ?? "Something went wrong"}</h1>
    <p>{message}</p>
    <p class="back">
      <a href={path === "/" ? paths.overview : "/"}>To the start page</a>
    </p>
  </PublicLayout>
);

const titles: Record<number, string> = {
  404: "Nothing here",
  405: "Not that way",
  413: "Too large",
  503: "Busy",
};
