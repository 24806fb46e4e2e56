-- What a person asked to have of everything that is theirs. PENDING → RUNNING → READY, or FAILED. Gone a day after it is ready.
create table accounts.exports (
  id text collate "C" not null,
  user_id text collate "C" not null,
  status text collate "C" not null,
  bytes bigint not null default 0,
  parts integer not null default 0,
  created_at timestamptz not null,
  finished_at timestamptz,
  expires_at timestamptz not null,
  constraint exports_pkey primary key (id),
  constraint exports_user_fkey foreign key (user_id) references accounts.users (id) on delete cascade,
  constraint exports_status_check check (status in ('PENDING', 'RUNNING', 'READY', 'FAILED'))
);
create unique index exports_live on accounts.exports (user_id) where status in ('PENDING', 'RUNNING');
create index exports_user on accounts.exports (user_id, id);
create index exports_expiry on accounts.exports (expires_at);

-- The file in pieces, each packed and sealed: neither making nor fetching it holds more than one.
create table accounts.export_parts (
  export_id text collate "C" not null,
  number integer not null,
  sealed bytea not null,
  constraint export_parts_pkey primary key (export_id, number),
  constraint export_parts_export_fkey foreign key (export_id) references accounts.exports (id) on delete cascade
);
-- They are packed already.
alter table accounts.export_parts alter column sealed set storage external;
