alter table "api_keys" add column "upload_limits" text collate "C";
alter table "api_keys" add column "first_used_at" bigint;
alter table "api_keys" add column "ends_when_quiet" bigint not null default 0;
alter table "uploads" add column "metadata" text collate "C";
alter table "uploads" add column "verifying_since" bigint;
alter table "webhook_endpoints" add column "verify_seconds" bigint not null default 30;
alter table "webhook_endpoints" add column "accepts_unanswered" bigint not null default 0;
create index "deliveries_verifying" on "webhook_deliveries" ("subject_id") where type = 'upload.verify' and state = 'queued';
-- What is remembered about a key holds when what it may upload changes
drop trigger api_keys_version on api_keys;
create trigger api_keys_version after insert or delete or update of hash, active, expires_at, replaced_by, scopes, networks, upload_limits on api_keys for each row execute function new_version('keys');
