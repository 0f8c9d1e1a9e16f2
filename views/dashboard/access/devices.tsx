import { Badge } from "../../components/badge";
import { deviceName } from "../../components/device-name";
import { Form } from "../../components/forms/form";
import { Time } from "../../components/time";
import { type AccessView, path } from "./access";

export const Devices = ({ frame, devices, current }: AccessView) => (
  <section class="card" aria-labelledby="devices">
    <header>
      <h2 id="devices">Signed-in devices</h2>
    </header>
    <div class="body">
      <ul class="lines">
        {devices.map((device) => (
          <li class="row">
            <span>
              <strong>{deviceName(device.userAgent)}</strong>
              <span class="sub">
                {device.address} · <Time at={device.seenAt} clock={frame} />
              </span>
            </span>
            {device.id === current ? (
              <Badge tone="good">This device</Badge>
            ) : (
              <Form action={`${path}/sessions/${device.id}/end`} token={frame.token} plain>
                <button type="submit" class="btn quiet sm" aria-label={`Sign out ${deviceName(device.userAgent)}`}>
                  Sign out
                </button>
              </Form>
            )}
          </li>
        ))}
      </ul>
      {devices.length > 1 && (
        <Form action={`${path}/sessions/end-others`} token={frame.token} plain>
          <button type="submit" class="btn">
            Sign out of all other devices
          </button>
        </Form>
      )}
    </div>
  </section>
);
