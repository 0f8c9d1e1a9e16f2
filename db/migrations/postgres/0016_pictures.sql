create table "file_variants" (
  "key" text collate "C" primary key,
  "node_id" text collate "C" not null,
  "bytes" bigint not null default 0,
  "claimed_until" bigint not null,
  "ready_at" bigint
);
alter table "uploads" add column "width" bigint;
alter table "uploads" add column "height" bigint;
alter table "uploads" add column "picture" text collate "C";
alter table "uploads" add column "measure_at" bigint;
alter table "uploads" add column "picture_failures" bigint not null default 0;
alter table "uploads" add column "alt" text collate "C";
alter table "uploads" add column "focal_x" bigint;
alter table "uploads" add column "focal_y" bigint;
alter table "file_variants" add foreign key ("node_id") references "storage_nodes" ("id");
create index "file_variants_node" on "file_variants" ("node_id", "key");
create index "uploads_measure" on "uploads" ("measure_at") where measure_at is not null and state = 'completed';
-- Pictures from before are read in the background
update uploads set measure_at = 0 where lower(mime_type) in ('image/jpeg', 'image/png', 'image/webp', 'image/gif', 'image/avif', 'image/tiff');
