import { PublicLayout } from "./public-layout";
import { paths } from "./paths";

/** A failure outside every area, for people: what happened, and the way back. */
export const ErrorPage = ({ status, message, path }: { status: number; message: string; path?: string }) => (
  <PublicLayout title={`${status}`}>
    <h1>{titles[status] ?? "Something went wrong"}</h1>
    <p>{message}</p>
    <p class="back">
      <a href={path === "/" ? paths.overview : "/"}>Go to the home page</a>
    </p>
  </PublicLayout>
);

const titles: Record<number, string> = {
  404: "Page not found",
  405: "Method not allowed",
  413: "Request too large",
  503: "Service busy",
};
