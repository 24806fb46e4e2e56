-- Collections with their schemas, entries with their versions, what entries are found by, and what generating text has cost.
-- Every key begins with the business: nothing here ever reaches into another one's rows.
-- json, not jsonb: what was sent is handed out again with its keys in their order.
create schema if not exists content;

-- `document` is the answer to a read, ready to be sent. `schema_version` counts the changes of `blocks`.
-- `is_paid`: one of its plans costs something, so its entries are for those who pay. `double_opt_in`: who subscribes must confirm.
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
  constraint collections_pkey primary key (business_id, id),
  constraint collections_slug_key unique (business_id, slug),
  constraint collections_type_check check (type in ('STANDARD', 'NEWSLETTER')),
  constraint collections_status_check check (status in ('DRAFT', 'PUBLISHED', 'ARCHIVED'))
);

-- Every schema that a collection has had.
create table content.collection_schemas (
  business_id text collate "C" not null,
  collection_id text collate "C" not null,
  version integer not null,
  blocks json not null,
  created_at timestamptz not null,
  constraint collection_schemas_pkey primary key (business_id, collection_id, version),
  constraint collection_schemas_collection_fkey foreign key (business_id, collection_id)
    references content.collections on delete cascade
);

-- `collection_id` is null for what belongs to an order or a reservation. `schema_version` is the last one that the blocks
-- fitted, `stale` whether they do not fit the one of today. `targets` are what the blocks point at, as `PRODUCT prod_…`.
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
  constraint entries_collection_fkey foreign key (business_id, collection_id) references content.collections,
  constraint entries_status_check check (status in ('DRAFT', 'PUBLISHED', 'ARCHIVED'))
);
create index entries_by_collection on content.entries (business_id, collection_id, status, id);
create index entries_by_owner on content.entries (business_id, owner, id) where collection_id is null;
create index entries_stale on content.entries (business_id, collection_id, id) where stale;
create index entries_publish_at on content.entries (publish_at) where publish_at is not null;

-- lz4 is three times faster to read than the built-in compression, but not every server has it.
do $$
begin
  alter table content.entries alter column document set compression lz4;
  alter table content.collections alter column document set compression lz4;
exception when feature_not_supported then null;
end $$;

-- What an entry can be found by, a row for each short value of its blocks: `t:` and a text, `n:` and a number; and one without a
-- block, `l:` and its locale. The status stands here too, so that a page is one walk along the key.
create table content.entry_values (
  business_id text collate "C" not null,
  collection_id text collate "C" not null,
  block_id text collate "C" not null,
  value text collate "C" not null,
  status text collate "C" not null,
  entry_id text collate "C" not null,
  constraint entry_values_pkey primary key (business_id, collection_id, block_id, value, status, entry_id)
);

-- What can be searched, apart from the documents: ranking reads many of these rows. `held` are the values again, as
-- `<block> <value>`, for looking for words and values at once.
create table content.search (
  business_id text collate "C" not null,
  entry_id text collate "C" not null,
  collection_id text collate "C" not null,
  status text collate "C" not null,
  held text[] collate "C" not null,
  terms tsvector not null,
  constraint search_pkey primary key (business_id, entry_id),
  constraint search_entry_fkey foreign key (business_id, entry_id) references content.entries on delete cascade
);
-- With collection and values: a word that is everywhere, asked for where there is little, then reads that little only.
create index search_terms on content.search
  using gin (business_id, collection_id, held, terms) with (fastupdate = off);

-- Each word, and each way to leave out one of its letters. Two words at most one typo apart share one of these.
create table content.spellings (
  business_id text collate "C" not null,
  spelling text collate "C" not null,
  word text collate "C" not null,
  constraint spellings_pkey primary key (business_id, spelling, word)
);

-- What an entry was after each change; `number` is its version then.
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
  constraint entry_versions_entry_fkey foreign key (business_id, entry_id) references content.entries on delete cascade
);

-- What asking a language model has cost a business on a day (UTC).
create table content.generation_usage (
  business_id text collate "C" not null,
  day date not null,
  tokens bigint not null,
  requests integer not null,
  constraint generation_usage_pkey primary key (business_id, day)
);
