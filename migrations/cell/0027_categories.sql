-- Categories: a tree of names for what products say in their `category`. A product is in the one whose slug that is.
create table catalog.categories (
  business_id text collate "C" not null,
  id text collate "C" not null,
  parent_id text collate "C",
  name text not null,
  slug text collate "C" not null,
  position integer not null,
  description text not null,
  image json,
  seo json not null,
  translations json not null,
  version integer not null default 1,
  created_at timestamptz not null,
  updated_at timestamptz not null,
  constraint categories_pkey primary key (business_id, id),
  constraint categories_slug_key unique (business_id, slug),
  constraint categories_parent_fkey foreign key (business_id, parent_id) references catalog.categories
);
create index categories_by_parent on catalog.categories (business_id, parent_id, id);

-- The slugs of all locales: each leads to one category, however many of its locales share it.
create table catalog.category_slugs (
  business_id text collate "C" not null,
  slug text collate "C" not null,
  category_id text collate "C" not null,
  constraint category_slugs_pkey primary key (business_id, slug),
  constraint category_slugs_category_fkey foreign key (business_id, category_id) references catalog.categories
);
create index category_slugs_by_category on catalog.category_slugs (business_id, category_id);

-- Whoever changes categories locks the row of their business first: changes of one tree come one after another.
create table catalog.category_locks (
  business_id text collate "C" not null,
  constraint category_locks_pkey primary key (business_id)
);
