-- Collections with their schemas, entries with versions and search, and usage of text generation.
create schema content;

-- `schema_version` counts the changes of `blocks`, the schema. `is_paid`: a plan has a price, so entries are for paying
-- subscribers only. `double_opt_in`: new subscribers have to confirm. `document` is the serialized response to a read.
create table content.collections (
  business_id text collate "C" not null,
  id text collate "C" not null,
  name text not null,
  slug text collate "C" not null,
  description text not null,
  type text collate "C" not null,
  blocks json not null,
  statuses json not null,
  status text collate "C" not null,
  plans json not null,
  is_paid boolean not null,
  double_opt_in boolean not null default false,
  schema_version integer not null,
  version integer not null,
  document text not null,
  created_at timestamptz not null,
  updated_at timestamptz not null,
  -- Newsletters: track clicks and opens of subscribers who allow it.
  count_clicks boolean not null default false,
  count_opens boolean not null default false,
  constraint collections_pkey primary key (business_id, id),
  constraint collections_slug_key unique (business_id, slug),
  constraint collections_type_check check (type in ('STANDARD', 'NEWSLETTER')),
  constraint collections_status_check check (status in ('DRAFT', 'PUBLISHED', 'ARCHIVED'))
);

-- All past and current schemas of a collection.
create table content.collection_schemas (
  business_id text collate "C" not null,
  collection_id text collate "C" not null,
  version integer not null,
  blocks json not null,
  created_at timestamptz not null,
  constraint collection_schemas_pkey primary key (business_id, collection_id, version),
  constraint collection_schemas_collection_fkey foreign key (business_id, collection_id)
    references content.collections (business_id, id) on delete cascade
);

-- `owner` is a collection, an order, or a reservation; `collection_id` is null for the latter two, which have no schema.
-- `schema_version` is the last schema that the blocks were valid for; `stale`: they are not valid for the current one. `targets`:
-- records that the blocks refer to, as `PRODUCT prod_…`. `document` is the serialized response to a read.
create table content.entries (
  business_id text collate "C" not null,
  id text collate "C" not null,
  owner text collate "C" not null,
  collection_id text collate "C",
  locale text collate "C" not null,
  blocks json not null,
  statuses json not null,
  status text collate "C" not null,
  schema_version integer,
  stale boolean not null default false,
  publish_at timestamptz,
  targets text[] not null,
  version integer not null,
  document text not null,
  created_at timestamptz not null,
  updated_at timestamptz not null,
  constraint entries_pkey primary key (business_id, id),
  constraint entries_status_check check (status in ('DRAFT', 'PUBLISHED', 'ARCHIVED')),
  constraint entries_collection_fkey foreign key (business_id, collection_id) references content.collections (business_id, id)
);
create index entries_by_collection on content.entries (business_id, collection_id, status, id);
create index entries_by_owner on content.entries (business_id, owner, id) where collection_id is null;
create index entries_stale on content.entries (business_id, collection_id, id) where stale;
create index entries_publish_at on content.entries (publish_at) where publish_at is not null;

-- lz4 decompresses three times faster than the default, but not every server supports it.
do $$
begin
  alter table content.collections alter column document set compression lz4;
  alter table content.entries alter column document set compression lz4;
exception when feature_not_supported then null;
end $$;

-- Filters of entry lists: a row for each short value of a block, `t:` and a text or `n:` and a number, and one with an empty
-- block id for `l:` and the locale. The key contains the status, so that a page of a list is one range of the key.
create table content.entry_values (
  business_id text collate "C" not null,
  collection_id text collate "C" not null,
  block_id text collate "C" not null,
  value text collate "C" not null,
  status text collate "C" not null,
  entry_id text collate "C" not null,
  constraint entry_values_pkey primary key (business_id, collection_id, block_id, value, status, entry_id)
);

-- Full-text search. Separate from the documents, because ranking reads many of these rows. `held` repeats the values of
-- content.entry_values as `<block> <value>`, to combine filters with search terms.
create table content.search (
  business_id text collate "C" not null,
  entry_id text collate "C" not null,
  collection_id text collate "C" not null,
  status text collate "C" not null,
  held text[] collate "C" not null,
  terms tsvector not null,
  constraint search_pkey primary key (business_id, entry_id),
  constraint search_entry_fkey foreign key (business_id, entry_id) references content.entries (business_id, id) on delete cascade
);
-- Contains collection and values, so that a common word with a selective filter reads few entries.
create index search_terms on content.search using gin (business_id, collection_id, held, terms) with (fastupdate = off);

-- Each word under itself and under each spelling with one letter left out: words within one typo of each other share a spelling.
create table content.spellings (
  business_id text collate "C" not null,
  spelling text collate "C" not null,
  word text collate "C" not null,
  constraint spellings_pkey primary key (business_id, spelling, word)
);

-- An entry after each change. `number` is the version of the entry.
create table content.entry_versions (
  business_id text collate "C" not null,
  entry_id text collate "C" not null,
  number integer not null,
  owner text collate "C" not null,
  locale text not null,
  status text not null,
  blocks json not null,
  user_id text collate "C",
  created_at timestamptz not null,
  constraint entry_versions_pkey primary key (business_id, entry_id, number),
  constraint entry_versions_entry_fkey foreign key (business_id, entry_id)
    references content.entries (business_id, id) on delete cascade
);

-- Use of the language model per business and day (UTC).
create table content.generation_usage (
  business_id text collate "C" not null,
  day date not null,
  tokens bigint not null,
  requests integer not null,
  constraint generation_usage_pkey primary key (business_id, day)
);
