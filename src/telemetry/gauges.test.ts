import { expect, test } from "bun:test";
import { dataGauges } from "./gauges";

test("a node's name is a label, whatever it is made of", () => {
  const gauges = dataGauges({
    ...{
      subscribers: [],
      mailsQueued: 0,
      webhooksQueued: 0,
      mailsAwaitingTurn: 0,
      messagesQuarantined: 0,
      messagesUnread: 0,
    },
    endpoints: [{ state: "failing", count: 1 }],
    reservations: [{ state: "open", count: 2 }],
    broadcasts: { recipients: [["accepted", 5]], states: [{ state: "sent", count: 1 }], resting: 0 },
    nodes: [{ name: 'a"b\\c\nd', usedBytes: 1, reservedBytes: 2, capacityBytes: 3, isUp: false }],
  });
  const node = String.raw`node="a\"b\\c\nd"`;
  expect(gauges).toMatchObject({
    'storage_reservations{state="open"}': 2,
    'broadcast_recipients{outcome="accepted"}': 5,
    'broadcasts{state="sent"}': 1,
    'webhook_endpoints{state="failing"}': 1,
    [`storage_bytes{${node},kind="reserved"}`]: 2,
    [`storage_node_up{${node}}`]: 0,
  });
});
