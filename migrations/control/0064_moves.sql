-- Businesses that move from one cell to another. Until `switched_at` it lives where it did, and can stay there; from then on
-- it lives in the other cell. The old rows go last, after they were compared.
create table control.moves (
  id text collate "C" not null,
  business_id text collate "C" not null,
  from_cell text collate "C" not null,
  to_cell text collate "C" not null,
  step text collate "C" not null default 'WAITING',
  take_back boolean not null default false,
  keep_seconds integer not null default 120, -- how long the old rows stay at least
  rows_copied bigint not null default 0,
  rows_followed bigint not null default 0,
  rows_compared bigint not null default 0,
  rows_deleted bigint not null default 0,
  pause_ms integer, -- how long nobody could write
  error text, -- why it stopped, or what it last failed with
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  copied_at timestamptz,
  switched_at timestamptz,
  finished_at timestamptz,
  constraint moves_pkey primary key (id),
  constraint moves_elsewhere check (from_cell <> to_cell),
  constraint moves_step check (step in ('WAITING', 'COPYING', 'FOLLOWING', 'CLOSING', 'COMPARING', 'CLEARING', 'DONE', 'TAKEN_BACK', 'STOPPED'))
);
create unique index moves_under_way on control.moves (business_id) where finished_at is null;
create index moves_of_business on control.moves (business_id, created_at);

-- Requests that write wait until then, or until it is null again.
alter table access.businesses add column held_until timestamptz;
-- Since then it lives in its cell, if it has ever moved.
alter table access.businesses add column moved_at timestamptz;
