create table "api_key_callers" (
  "id" text collate "C" primary key,
  "key_id" text collate "C" not null,
  "network" text collate "C" not null,
  "agent" text collate "C" not null,
  "route" text collate "C" not null,
  "outcome" text collate "C" not null,
  "calls" bigint not null,
  "last_at" bigint not null
);
alter table "api_keys" add column "scopes" text collate "C";
alter table "api_keys" add column "networks" text collate "C";
alter table "api_keys" add column "warned_days" bigint;
alter table "subscriber_events" add column "api_key_id" text collate "C";
create index "api_key_callers_key" on "api_key_callers" ("key_id", "last_at");
-- What is remembered about a key holds when it is replaced, or when what it may do changes
drop trigger api_keys_version on api_keys;
create trigger api_keys_version after insert or delete or update of hash, active, expires_at, replaced_by, scopes, networks on api_keys for each row execute function new_version('keys');
