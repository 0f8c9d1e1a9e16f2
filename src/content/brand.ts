import type { Db } from "../../db/engine/open";
import { brandKeys } from "../../db/settings/rules";
import { mediaPath, type StoredFile } from "../../db/storage/files";
import { logoSize } from "../../db/storage/picture-widths";
import { storedLogo } from "../../db/storage/pictures";
import { type Brand, brandOf } from "../../views/brand";
import type { Config } from "../platform/config";

type Saved = Partial<Record<string, string>>;
type Needs = { config: Pick<Config, "BASE_URL">; db: Db };

/** The look of emails, from the site's settings. The logo is a JPEG or PNG, because Outlook for Windows shows no other. */
export async function readBrand({ config, db }: Needs, saved: Saved): Promise<Brand> {
  const brand = brandOf(saved[brandKeys.accent]);
  const logo = await readLogo(db, saved);
  if (!logo) return brand;
  const { file, width, height, loaded } = logo;
  const path = mediaPath(file);
  return { ...brand, logo: { path, src: `${config.BASE_URL}${path}?w=${loaded}&as=jpeg`, width, height } };
}

export type LogoFile = { file: StoredFile } & ReturnType<typeof logoSize>;

/** Returns the picture that is the site's logo, and how large it is shown. Undefined: its name stands there. */
export async function readLogo(db: Db, saved: Saved): Promise<LogoFile | undefined> {
  const file = await storedLogo(db, saved[brandKeys.logo] ?? "");
  return file && { file, ...logoSize(file) };
}
