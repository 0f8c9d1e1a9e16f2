alter table "broadcast_batches" add column "admitted_at" bigint;
-- What was attempted in the last hour counts towards its limit
update broadcast_batches set admitted_at = created_at where created_at > now_ms() - 3600000 and attempts > 0;
drop index broadcast_batches_created;
create index "broadcast_batches_admitted" on "broadcast_batches" ("admitted_at", "count") where admitted_at is not null;
alter table "outbox" add column "in_doubt_since" bigint;
-- What became of earlier attempts was not recorded: the provider may have the email since it was created
update outbox set in_doubt_since = created_at where state = 'queued' and attempts > 0;
