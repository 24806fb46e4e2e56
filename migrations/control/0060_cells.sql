-- The cells of this deployment. A process learns of a change by a notification, and looks now and then.
create table control.cells (
  id text collate "C" not null,
  state text collate "C" not null default 'OPEN',
  weight integer not null default 100,
  region text,
  address bytea, -- sealed: JSON with url and directUrl. Null: CELLS of each process says where it is, or it is main
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  constraint cells_pkey primary key (id),
  constraint cells_id check (id ~ '^[a-z0-9-]{1,32}$'),
  constraint cells_state check (state in ('OPEN', 'CLOSED', 'DRAINING', 'OFF')),
  constraint cells_weight check (weight between 1 and 10000),
  constraint cells_main check (id <> 'main' or (state <> 'OFF' and address is null))
);

-- Which deployment this is. Each cell's database notes it, so that nobody takes the database of another one.
create table control.identity (
  is_only boolean not null default true,
  id uuid not null default gen_random_uuid(),
  constraint identity_pkey primary key (is_only),
  constraint identity_one check (is_only)
);
insert into control.identity default values;

-- How many businesses each cell has: the sum. A change is a row, not an update, so that nobody who creates a business waits for
-- another. The rows are summed up every hour.
create table control.cell_businesses (
  cell text collate "C" not null,
  change bigint not null
);

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

insert into control.cell_businesses (cell, change) select cell, count(*) from access.businesses group by cell;
insert into control.cells (id) select 'main' union select cell from access.businesses where cell ~ '^[a-z0-9-]{1,32}$';
