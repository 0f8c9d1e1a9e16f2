import { paths } from "../../../views/paths";
import { limits } from "../settings/limits";
import { sections } from "../settings/fields";
import { groupOf } from "./group";

const fields = [...sections, limits].flatMap(({ id, title, fields }) => [
  { title, sub: "Settings", at: id },
  ...fields.map(({ label, key }) => ({ title: label, sub: title, at: id, also: key })),
]);

const others = [
  { title: "Custom keys", sub: "Settings", at: "custom", also: "postalAddress doubleOptIn" },
  { title: "Welcome email", sub: "Settings", at: "welcome", also: "subject text confirmation" },
  { title: "Email provider", sub: "Settings", at: "mail", also: "test email sender from" },
  { title: "Theme", sub: "Appearance", at: "appearance", also: "mode" },
  { title: "Density", sub: "Appearance", at: "appearance" },
  { title: "Keyboard shortcuts", sub: "Appearance", at: "appearance" },
];

const ofAccount = [
  { title: "Time zone", at: "times" },
  { title: "Date format", at: "times" },
  { title: "Two-step verification", at: "second-step", also: "2fa totp code" },
  { title: "Passkeys", at: "passkeys" },
].map(({ at, ...rest }) => ({ ...rest, sub: "Account", icon: "settings", href: `${paths.account}#${at}` }));

/** Settings by name. Everyone may see them; the page says who may change them. */
export const settingResults = (q: string, limit: number) =>
  groupOf(
    { id: "settings", name: "Settings" },
    [
      ...[...fields, ...others].map(({ at, ...rest }) => ({
        ...rest,
        icon: "settings",
        href: `${paths.settings}#${at}`,
      })),
      ...ofAccount,
    ],
    q,
    limit,
  );
