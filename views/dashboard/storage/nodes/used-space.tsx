import { bytes } from "../../../components/bytes";
import type { Frame } from "../../../components/frame";
import { Time } from "../../../components/time";
import type { NodeFacts } from "./state";

/** How full a node is, as a bar that screen readers skip. */
export const SpaceBar = ({ node: { usedBytes, reservedBytes, capacityBytes } }: { node: NodeFacts }) => {
  const share = (part: number) => (capacityBytes > 0 ? Math.min(100, (part / capacityBytes) * 100) : 0);
  const used = share(usedBytes);
  return (
    <svg class="room-bar" viewBox="0 0 100 6" preserveAspectRatio="none" aria-hidden="true">
      <rect class="held" x={0} y={0} width={used} height={6} />
      <rect class="promised" x={used} y={0} width={Math.min(share(reservedBytes), 100 - used)} height={6} />
    </svg>
  );
};

/** How full a node is: a bar, and the same in words. */
export const UsedSpace = ({ node, frame }: { node: NodeFacts; frame: Frame }) => {
  const { usedBytes, reservedBytes, capacityBytes, probe } = node;
  const isReported = node.refusedBytes === null && node.freeBytes < capacityBytes - usedBytes - reservedBytes;
  return (
    <div class="room">
      <SpaceBar node={node} />
      <p>
        <span class="key held">{bytes(usedBytes)} used</span>
        <span class="key promised">{bytes(reservedBytes)} reserved</span>
        <span class="key">
          {bytes(node.freeBytes)} free of {bytes(capacityBytes)}
          {isReported && probe?.freeAt && (
            <>
              , reported by the server <Time at={new Date(probe.freeAt)} clock={frame} />
            </>
          )}
        </span>
      </p>
      {node.refusedBytes !== null && (
        <p class="problem flawed">
          {node.refusedBytes > 0 ? `Rejects files of ${bytes(node.refusedBytes)} or more` : "Rejects all files"}: the
          node has no free space. New files go to other nodes until it has space again.
        </p>
      )}
    </div>
  );
};
