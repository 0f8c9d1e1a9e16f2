alter table "broadcast_recipients" add column "run" bigint not null default 0;
alter table "sequence_people" add column "run" bigint not null default 0;
alter table "sequences" add column "again_days" bigint;
-- By hand: someone may get an email again, in another run of its sequence
drop index "broadcast_recipients_once";
create unique index "broadcast_recipients_once" on "broadcast_recipients" ("broadcast_row", "subscriber_row", "run");
create index "subscriber_events_key" on "subscriber_events" ("api_key_id", "subscriber_id") where api_key_id is not null and kind in ('subscribed', 'reactivated');
