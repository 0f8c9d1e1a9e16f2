import type { Child } from "../jsx/jsx-runtime";

/** A row in a table of details. */
export const Row = ({ label, children }: { label: string; children?: Child }) => (
  <tr>
    <td class="quiet" valign="top" style="padding:2px 20px 2px 0;font-size:14px;line-height:22px;color:#585149">
      {label}
    </td>
    <td class="ink" style="padding:2px 0;font-size:14px;line-height:22px;color:#251f19;overflow-wrap:anywhere">
      {children}
    </td>
  </tr>
);

/** The full date and time, because an email may be read anywhere. */
export const moment = (date: Date, timeZone = "UTC") =>
  `${date.toLocaleString("en-GB", { dateStyle: "long", timeStyle: "short", timeZone })} ${timeZone}`;
