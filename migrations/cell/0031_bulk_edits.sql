-- Bulk edits of products: what is to be changed, how far that is, and a row for each product with what it was and what it becomes.
create table catalog.bulk_edits (
  business_id text collate "C" not null,
  id text collate "C" not null,
  status text not null,
  filters json,
  changes json not null,
  total integer not null default 0,
  changing integer not null default 0,
  unchanged integer not null default 0,
  refused integer not null default 0,
  applied integer not null default 0,
  skipped integer not null default 0,
  undone integer not null default 0,
  kept integer not null default 0,
  changed_values integer not null default 0,
  warnings jsonb not null default '{}',
  selected_up_to text collate "C",
  position integer not null default 0,
  failure text,
  actor jsonb not null,
  applied_by jsonb,
  undone_by jsonb,
  created_at timestamptz not null,
  updated_at timestamptz not null,
  applied_at timestamptz,
  undone_at timestamptz,
  constraint bulk_edits_pkey primary key (business_id, id),
  constraint bulk_edits_status_check
    check (status in ('DRY_RUN', 'READY', 'APPLYING', 'DONE', 'UNDOING', 'UNDONE', 'FAILED', 'DISCARDED'))
);
-- One of a business works at a time.
create unique index bulk_edits_running on catalog.bulk_edits (business_id) where status in ('DRY_RUN', 'APPLYING', 'UNDOING');
create index bulk_edits_created_at on catalog.bulk_edits (created_at);

-- `version` is that of the product in the dry run; once applied, the one that this has made.
create table catalog.bulk_edit_items (
  business_id text collate "C" not null,
  bulk_edit_id text collate "C" not null,
  number integer not null,
  product_id text collate "C" not null,
  status text not null,
  version integer,
  changes json,
  warnings text[] not null default '{}',
  details json,
  constraint bulk_edit_items_pkey primary key (business_id, bulk_edit_id, number),
  constraint bulk_edit_items_edit_fkey foreign key (business_id, bulk_edit_id) references catalog.bulk_edits,
  constraint bulk_edit_items_status_check
    check (status in ('SELECTED', 'PENDING', 'UNCHANGED', 'REFUSED', 'APPLIED', 'SKIPPED', 'UNDONE', 'KEPT'))
);
create index bulk_edit_items_warned on catalog.bulk_edit_items (business_id, bulk_edit_id, number) where warnings <> '{}';
