import type { AuditEvent } from "../../../../db/audit";
import type { Frame } from "../../../components/frame";
import type { NodeShown } from "./last-check";
import type { CapabilityShown } from "./capability-line";

export type View = {
  frame: Frame;
  node: NodeShown;
  capabilities: CapabilityShown[];
  holds: { files: number; uploads: number };
  events: AuditEvent[];
};
