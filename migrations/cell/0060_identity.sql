-- Which cell this is, and of which deployment. Noted when it is migrated for the first time; another cell is refused this database.
create table cell.identity (
  is_only boolean not null default true,
  cell text collate "C" not null,
  control_id uuid not null,
  noted_at timestamptz not null default now(),
  constraint identity_pkey primary key (is_only),
  constraint identity_one check (is_only)
);
