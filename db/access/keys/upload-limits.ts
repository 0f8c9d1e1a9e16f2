import type { UploadLimits } from "../../schema/access";

type File = { size?: number; mimeType?: string; folderPath?: string | undefined };

/** Returns what of a file is outside the limits of a key, field by field. */
export function outside(limits: UploadLimits | null, { size, mimeType, folderPath }: File) {
  const { maxBytes, mimeTypes, folder } = limits ?? {};
  const faults: { field: string; message: string }[] = [];
  const fault = (field: string, message: string) => faults.push({ field, message: `${message} with this key` });
  if (size !== undefined && maxBytes !== undefined && size > maxBytes) fault("size", `must be at most ${maxBytes}`);
  if (mimeType !== undefined && mimeTypes && !mimeTypes.some((allowed) => isOfType(mimeType, allowed)))
    fault("mimeType", `must be ${mimeTypes.join(" or ")}`);
  if (folderPath !== undefined && folder && folderPath !== folder && !folderPath.startsWith(`${folder}/`))
    fault("folderPath", `must be ${folder} or a folder inside it`);
  return faults;
}

/** @param allowed a type, or all of a kind: "image/*" */
function isOfType(mimeType: string, allowed: string): boolean {
  const type = mimeType.split(";")[0]?.trim().toLowerCase() ?? "";
  return allowed.endsWith("/*") ? type.startsWith(allowed.slice(0, -1)) : type === allowed;
}
