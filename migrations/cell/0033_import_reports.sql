-- Imports of products get a dry run, a report line by line, and an undo. Imports that are there already have no report: `is_undoable`
-- is false for them.
alter table catalog.imports
  add column dry_run boolean not null default false,
  add column format text,
  add column market_id text collate "C",
  add column file_name text,
  add column unchanged integer not null default 0,
  add column skipped integer not null default 0,
  add column undone integer not null default 0,
  add column kept integer not null default 0,
  add column is_undoable boolean not null default false,
  add column applied_by jsonb,
  add column undone_by jsonb;
alter table catalog.imports drop constraint imports_status_check;
alter table catalog.imports add constraint imports_status_check
  check (status in ('RECEIVING', 'DRY_RUN', 'READY', 'RUNNING', 'DONE', 'STOPPED', 'DISCARDED', 'UNDOING', 'UNDONE')) not valid;

-- What a line does to its product, or would do; lines that failed are in `import_rows`. `version` is the product's: as the dry run
-- found it (0: there was none), then as the import left it. `before` is what an undo puts back.
create table catalog.import_items (
  business_id text collate "C" not null,
  import_id text collate "C" not null,
  number integer not null,
  status text not null,
  product_id text collate "C",
  slug text collate "C" not null,
  name text not null,
  version integer not null,
  changes json not null,
  warnings text[] not null,
  before json,
  constraint import_items_pkey primary key (business_id, import_id, number),
  constraint import_items_status_check check (status in ('CREATED', 'CHANGED', 'UNCHANGED', 'SKIPPED', 'UNDONE', 'KEPT'))
);
create index import_items_by_status on catalog.import_items (business_id, import_id, status, number);
create index import_items_by_slug on catalog.import_items (business_id, import_id, slug);
create index import_items_warned on catalog.import_items (business_id, import_id, number) where warnings <> '{}';
