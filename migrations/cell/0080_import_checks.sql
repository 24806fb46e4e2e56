-- The columns of an import's file that it does not read. Null: of an import begun before, or still arriving.
alter table catalog.imports add column unknown_columns jsonb;
alter table newsletter.imports add column unknown_columns jsonb;

-- The SKUs and slugs of a file, each with the first line that has it: a later line with the same one has an error.
create table catalog.import_keys (
  business_id text collate "C" not null,
  import_id text collate "C" not null,
  key text collate "C" not null,
  number integer not null,
  constraint import_keys_pkey primary key (business_id, import_id, key)
);
create index import_keys_by_number on catalog.import_keys (business_id, import_id, number);
