import { bytes } from "../../views/components/bytes";
import type { Upload } from "./upload";

export { bytes };

export const files = (count: number) => (count === 1 ? "1 file" : `${count} files`);

export const percentOf = (sent: number, size: number) => (size ? Math.floor((100 * sent) / size) : 0);

/** "61% · 84 MB/s · 3 min left", without what is not known yet. */
export function pace(sent: number, size: number, speed: number): string {
  const rate = speed >= 1 ? ` · ${bytes(speed)}/s · ${left((size - sent) / speed)} left` : "";
  return `${percentOf(sent, size)}%${rate}`;
}

function left(seconds: number): string {
  if (seconds < 90) return `${Math.max(1, Math.ceil(seconds))} s`;
  if (seconds < 5_400) return `${Math.round(seconds / 60)} min`;
  return seconds < 172_800 ? `${Math.round(seconds / 3_600)} h` : `${Math.round(seconds / 86_400)} days`;
}

type Face = { badge: string; tone: "busy" | "good" | "bad" | "warn" | "off"; line: string; button: string };

/** How an upload appears in its row. `button` is the current action of its main button. */
export function faceOf(upload: Upload): Face {
  const { state, sent, size, speed, problem, handle } = upload;
  const kept = `${percentOf(sent, size)}% uploaded`;
  switch (state) {
    case "waiting":
      return navigator.onLine
        ? { badge: "Waiting", tone: "off", line: "Waiting", button: "Pause" }
        : { badge: "Offline", tone: "warn", line: `${kept} · continues when you are online`, button: "Pause" };
    case "starting":
      return { badge: "Starting", tone: "busy", line: "Reserving space", button: "Pause" };
    case "running":
      return { badge: "Uploading", tone: "busy", line: pace(sent, size, speed), button: "Pause" };
    case "finishing":
      return { badge: "Finishing", tone: "busy", line: "100% · finishing on the storage node", button: "Pause" };
    case "paused":
      return { badge: "Paused", tone: "off", line: kept, button: "Resume" };
    case "interrupted": {
      const how = handle ? "resume any time" : "choose the same file to resume";
      return {
        badge: "Interrupted",
        tone: "off",
        line: problem || `${kept} · ${how}`,
        button: handle ? "Resume" : "Choose file",
      };
    }
    case "failed":
      return { badge: "Failed", tone: "bad", line: problem, button: "Retry" };
    default:
      return { badge: "Uploaded", tone: "good", line: "100%", button: "" };
  }
}
