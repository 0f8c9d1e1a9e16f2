-- The sliding windows of rate limits, which SQLite's one process keeps in memory: one row for each client of a limit.
create table rate_limit_windows (
  "limit" text collate "C" not null,
  client text collate "C" not null,
  hits bigint[] not null, -- times in ms, oldest first
  granted integer not null, -- by the latest request
  primary key ("limit", client)
);
-- Hits from the future are those of a clock that was ahead (P77)
create function live(hits bigint[], since bigint, until bigint) returns bigint[] language sql immutable as
  'select array(select hit from unnest(hits) hit where hit > since and hit <= until order by hit)';
