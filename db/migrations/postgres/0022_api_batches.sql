create table "api_batches" (
  "key" text collate "C" primary key,
  "fingerprint" text collate "C" not null,
  "results" text collate "C" not null,
  "created_at" bigint not null
);
