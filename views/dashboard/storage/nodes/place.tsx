import { bytes } from "../../../components/bytes";
import { plural } from "../../../components/list";
import { NodeState } from "./state";
import { UsedSpace } from "./used-space";
import type { View } from "./facts";

export const Place = ({ node, holds, frame }: View) => (
  <section class="card node" aria-labelledby="place-title">
    <header>
      <h2 id="place-title">Capacity</h2>
      <NodeState node={node} now={frame.now} />
    </header>
    <div class="body">
      <div>
        <UsedSpace node={node} frame={frame} />
        <dl class="facts">
          <dt>Contains</dt>
          <dd>
            {plural(holds.files, "file")}, {plural(holds.uploads, "open upload")}
          </dd>
          <dt>Endpoint</dt>
          <dd class="mono">{node.endpoint}</dd>
          {node.publicEndpoint !== node.endpoint && (
            <>
              <dt>Public endpoint</dt>
              <dd class="mono">{node.publicEndpoint}</dd>
            </>
          )}
          <dt>Bucket</dt>
          <dd>
            <span class="mono">{node.bucket}</span>, region {node.region}
          </dd>
          <dt>Single-upload limit</dt>
          <dd>{bytes(node.largestPut)}; larger files are sent in parts</dd>
          <dt>Unfinished uploads</dt> <dd>kept for {plural(node.staleUploadHours, "hour")}</dd>
        </dl>
      </div>
    </div>
  </section>
);
