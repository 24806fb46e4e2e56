-- Saved views of dashboard lists.
create schema backoffice;

-- `list` is the name of the list; `filters` are its query parameters.
create table backoffice.saved_views (
  business_id text collate "C" not null,
  id text collate "C" not null,
  author_id text collate "C" not null,
  list text collate "C" not null,
  name text not null,
  filters json not null,
  columns text[] not null,
  is_shared boolean not null,
  version integer not null default 1,
  created_at timestamptz not null,
  updated_at timestamptz not null,
  constraint saved_views_pkey primary key (business_id, id)
);
create index saved_views_by_author on backoffice.saved_views (business_id, author_id, id);
create index saved_views_shared on backoffice.saved_views (business_id, id) where is_shared;
