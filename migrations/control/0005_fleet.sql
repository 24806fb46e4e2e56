-- Processes, cells, and moves of businesses between cells.

-- Heartbeats of processes, with the cells that each one knows. Unlogged: after a crash of the server the processes write them
-- again.
create unlogged table control.processes (
  id text collate "C" not null,
  kind text collate "C" not null,
  version text not null,
  cells text[] collate "C" not null,
  started_at timestamptz not null,
  seen_at timestamptz not null,
  constraint processes_pkey primary key (id),
  constraint processes_kind check (kind in ('api', 'worker'))
);

-- The cells of this deployment. Processes are notified of changes and also poll.
create table control.cells (
  id text collate "C" not null,
  state text collate "C" not null default 'OPEN',
  weight integer not null default 100,
  region text,
  -- Sealed JSON with url and directUrl. Null: from CELLS in the environment; the main cell is in the database of control.
  address bytea,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  -- Sealed JSON with the url of a read replica. Null: from CELLS or, for main, DATABASE_REPLICA_URL; otherwise there is none.
  replica_address bytea,
  constraint cells_pkey primary key (id),
  constraint cells_id check (id ~ '^[a-z0-9-]{1,32}$'),
  constraint cells_state check (state in ('OPEN', 'CLOSED', 'DRAINING', 'OFF')),
  constraint cells_weight check (weight between 1 and 10000),
  constraint cells_main check (id <> 'main' or (state <> 'OFF' and address is null)),
  constraint cells_main_replica check (id <> 'main' or replica_address is null)
);

insert into control.cells (id) values ('main');

-- Identifies this deployment. Each cell's database records it, so that no other deployment can use that database.
create table control.identity (
  is_only boolean not null default true,
  id uuid not null default gen_random_uuid(),
  constraint identity_pkey primary key (is_only),
  constraint identity_one check (is_only)
);

insert into control.identity default values;

-- The number of businesses in a cell is the sum of its rows. Changes are inserted, so that businesses can be created
-- concurrently, and summed up every hour.
create table control.cell_businesses (
  cell text collate "C" not null,
  change bigint not null
);

-- Moves of businesses between cells. Until `switched_at` the business is in `from_cell` and the move can be undone. The old rows
-- are deleted last, once they have been compared with the copy.
create table control.moves (
  id text collate "C" not null,
  business_id text collate "C" not null,
  from_cell text collate "C" not null,
  to_cell text collate "C" not null,
  step text collate "C" not null default 'WAITING',
  take_back boolean not null default false, -- undo requested
  keep_seconds integer not null default 120, -- minimum time until the old rows are deleted
  rows_copied bigint not null default 0,
  rows_followed bigint not null default 0,
  rows_compared bigint not null default 0,
  rows_deleted bigint not null default 0,
  pause_ms integer, -- how long writes were blocked
  error text, -- why the move stopped, or the last failure
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  copied_at timestamptz,
  switched_at timestamptz,
  finished_at timestamptz,
  -- Copied tables, each with a fingerprint of its columns: if an upgrade changes them, the copy starts over. Null before copying.
  tables json,
  compared_at timestamptz, -- the old rows equal the copy and may be deleted
  constraint moves_pkey primary key (id),
  constraint moves_elsewhere check (from_cell <> to_cell),
  constraint moves_step check (
    step in ('WAITING', 'COPYING', 'FOLLOWING', 'CLOSING', 'COMPARING', 'CLEARING', 'DONE', 'TAKEN_BACK', 'STOPPED')
  )
);
-- One move per business at a time.
create unique index moves_under_way on control.moves (business_id) where finished_at is null;
create index moves_of_business on control.moves (business_id, created_at);

-- Triggers that keep control.cell_businesses up to date.
create function control.count_new_businesses() returns trigger language plpgsql as $$
begin
  insert into control.cell_businesses (cell, change) select cell, count(*) from changed group by cell;
  return null;
end $$;

create function control.count_gone_businesses() returns trigger language plpgsql as $$
begin
  insert into control.cell_businesses (cell, change) select cell, -count(*) from changed group by cell;
  return null;
end $$;

create function control.count_moved_business() returns trigger language plpgsql as $$
begin
  insert into control.cell_businesses (cell, change) values (old.cell, -1), (new.cell, 1);
  return null;
end $$;

create trigger businesses_new after insert on access.businesses
  referencing new table as changed for each statement execute function control.count_new_businesses();

create trigger businesses_gone after delete on access.businesses
  referencing old table as changed for each statement execute function control.count_gone_businesses();

create trigger businesses_moved after update of cell on access.businesses
  for each row when (old.cell is distinct from new.cell) execute function control.count_moved_business();
