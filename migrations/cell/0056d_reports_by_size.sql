-- The largest rows of a long span are found by the power of two below their figure. It seldom changes, so that an update of the row
-- seldom touches an index. The table is new in this version: it is empty, or small.
alter table reports.sums
  add column net_size smallint not null generated always as (floor(ln(greatest(total - refunded, 1)::float8) / ln(2::float8))::smallint) stored,
  add column unit_size smallint not null generated always as (floor(ln(greatest(units, 1)::float8) / ln(2::float8))::smallint) stored;
create index sums_by_net on reports.sums (business_id, kind, grain, at, net_size) where kind <> 'SALES' and grain >= 96;
create index sums_by_units on reports.sums (business_id, kind, grain, at, unit_size) where kind <> 'SALES' and grain >= 96;
