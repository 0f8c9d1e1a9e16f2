import { NoMatch } from "../../components/empty";
import { ListHead } from "../../components/lists/head";
import type { Filter } from "../../components/lists/search";
import { kindNames } from "./file-kind";
import { Crumbs, folderUrl } from "./crumbs";
import { type FilesView, FileTable } from "./file-table";
import { NothingHere } from "./no-files";

/** The contents of a folder: folders first, then files. For a search, what was found and where. */
export const FileList = (view: FilesView) => {
  const { state, folder, folders, rows } = view;
  const { q, kind } = state.query;
  const isFirst = !rows.length && !folders.length && !folder && !q && !kind;
  return (
    <section class="list files" id="list" aria-label="Files" data-folder={folder}>
      <Crumbs folder={folder} />
      <ListHead view={view} noun="file" search={isFirst ? undefined : searchIn(folder)} />
      {rows.length || folders.length ? (
        <FileTable {...view} />
      ) : q || kind ? (
        <NoMatch what="files" query={q} clear={folderUrl(folder)} />
      ) : (
        <NothingHere folder={folder} frame={view.frame} />
      )}
    </section>
  );
};

const searchIn = (folder: string) => ({
  label: "Search for files",
  placeholder: folder ? "Search this folder" : "Search files",
  filters: filtersIn(folder),
});

const filtersIn = (folder: string): Filter[] => [
  {
    name: "where",
    label: "Search in",
    all: "This folder",
    options: folder ? [["everywhere", "All folders"]] : [],
  },
  { name: "kind", label: "Type", all: "All types", options: Object.entries(kindNames) },
];
