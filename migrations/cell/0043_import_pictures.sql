-- An import may ask for the pictures that its lines name by address to be loaded into the library.
alter table catalog.imports add column fetches_pictures boolean not null default false;

-- A picture of a line, written with its product. WAITING: to be loaded. FETCHED: loaded, and being made ready. DONE: the product shows
-- the file, if it still had the address. FAILED: given up; the product keeps the address. Whoever loads it moves `due_at` ahead: if
-- they die, it is due again.
create table catalog.import_pictures (
  business_id text collate "C" not null,
  import_id text collate "C" not null,
  number integer not null,
  address_hash text collate "C" not null,
  address text not null,
  product_id text collate "C" not null,
  slug text collate "C" not null,
  status text collate "C" not null,
  problem text collate "C",
  media_id text collate "C",
  attempts integer not null default 0,
  due_at timestamptz not null,
  constraint import_pictures_pkey primary key (business_id, import_id, number, address_hash),
  constraint import_pictures_status_check check (status in ('WAITING', 'FETCHED', 'DONE', 'FAILED'))
);
create index import_pictures_waiting on catalog.import_pictures (business_id, due_at) where status = 'WAITING';
create index import_pictures_by_address on catalog.import_pictures (business_id, address_hash) where status = 'WAITING';
create index import_pictures_fetched on catalog.import_pictures (due_at) where status = 'FETCHED';
create index import_pictures_by_media on catalog.import_pictures (business_id, media_id) where status = 'FETCHED';
create index import_pictures_by_status on catalog.import_pictures (business_id, import_id, status, number);

-- Where files were loaded from, by a hash of the address: it need not be loaded again.
create table media.sources (
  business_id text collate "C" not null,
  address_hash text collate "C" not null,
  media_id text collate "C" not null,
  constraint sources_pkey primary key (business_id, address_hash)
);
create index sources_by_media on media.sources (business_id, media_id);
