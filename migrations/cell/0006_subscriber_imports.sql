-- Imports of a newsletter's subscribers, as catalog.imports are of products. `skipped`: addresses that were left alone.
create table newsletter.imports (
  business_id text collate "C" not null,
  id text collate "C" not null,
  collection_id text collate "C" not null,
  status text not null,
  total integer not null default 0,
  created integer not null default 0,
  updated integer not null default 0,
  skipped integer not null default 0,
  failed integer not null default 0,
  position integer not null default 0,
  actor jsonb,
  created_at timestamptz not null,
  updated_at timestamptz not null,
  finished_at timestamptz,
  constraint imports_pkey primary key (business_id, id),
  constraint imports_status_check check (status in ('RECEIVING', 'RUNNING', 'DONE'))
);
create index imports_created_at on newsletter.imports (created_at);

-- Waiting rows, and those that failed with what was wrong. What was imported is deleted.
create table newsletter.import_rows (
  business_id text collate "C" not null,
  import_id text collate "C" not null,
  number integer not null,
  line text not null,
  details jsonb,
  constraint import_rows_pkey primary key (business_id, import_id, number)
);
create index import_rows_failed on newsletter.import_rows (business_id, import_id, number) where details is not null;
