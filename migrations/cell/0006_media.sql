-- Files of the media library, their usage, and objects to delete from the store.
create schema media;

-- `mime_type` is the type of the upload, `kind` its first part. `size` counts toward the quota unless the file is REJECTED.
-- `words` are the words of name, alt texts, and tags. `width`, `height`, `is_transparent`, and `is_animated` are null unless the
-- file is an image that is READY; its renditions follow from them. `avif` is null if no AVIF is made. A worker that processes a
-- file has a `lease` until `leased_until` and renews it.
create table media.files (
  business_id text collate "C" not null,
  id text collate "C" not null,
  status text collate "C" not null,
  problem text collate "C",
  file_name text not null,
  sort_name text collate "C" not null,
  mime_type text collate "C" not null,
  kind text collate "C" not null,
  size bigint not null,
  sha256 text collate "C" not null,
  alt json not null,
  focal_point json,
  tags text[] not null,
  words text[] collate "C" not null,
  width integer,
  height integer,
  is_transparent boolean,
  is_animated boolean,
  placeholder text,
  avif text collate "C",
  upload_expires_at timestamptz not null,
  completed_at timestamptz,
  attempts integer not null default 0,
  lease text collate "C",
  leased_until timestamptz,
  version integer not null default 1,
  created_at timestamptz not null,
  updated_at timestamptz not null,
  constraint files_pkey primary key (business_id, id),
  constraint files_status_check check (status in ('PENDING', 'PROCESSING', 'READY', 'REJECTED')),
  constraint files_avif_check check (avif in ('WAITING', 'DONE', 'FAILED')),
  constraint files_size_check check (size > 0)
);
create index files_by_hash on media.files (business_id, sha256) where status = 'READY';
create index files_by_name on media.files (business_id, sort_name, id);
create index files_by_size on media.files (business_id, size, id);
create index files_by_kind on media.files (business_id, kind, id);
create index files_unfinished on media.files (business_id, status, id) where status <> 'READY';
create index files_processing on media.files (business_id, completed_at, id) where status = 'PROCESSING';
create index files_without_avif on media.files (business_id, id) where avif = 'WAITING';
-- Lists of one kind by name or size. Without them, all files of that kind are sorted, or all other files read.
create index files_by_kind_and_name on media.files (business_id, kind, sort_name, id);
create index files_by_kind_and_size on media.files (business_id, kind, size, id);
create index files_unfinished_by_name on media.files (business_id, status, sort_name, id) where status <> 'READY';
create index files_unfinished_by_size on media.files (business_id, status, size, id) where status <> 'READY';
-- For the cleanup job: rejected files are kept longer than abandoned uploads.
create index files_to_end_by_status on media.files (status, updated_at) where status in ('PENDING', 'REJECTED');

-- Words of files, searched by prefix.
create table media.words (
  business_id text collate "C" not null,
  word text collate "C" not null,
  file_id text collate "C" not null,
  constraint words_pkey primary key (business_id, word, file_id)
);

-- Storage used by a business: the total size of its files that are not REJECTED. Updated last in a transaction, by the statement
-- that checks the quota, so that concurrent uploads cannot exceed it.
create table media.used (
  business_id text collate "C" not null,
  bytes bigint not null,
  constraint used_pkey primary key (business_id),
  constraint used_bytes_check check (bytes >= 0)
) with (fillfactor = 20);

-- Files shown by records, written in the transaction that writes the record. No foreign keys: a file can be deleted by force
-- while records show it. BUSINESS is the logo, which is set in control; `record_id` is the id of the logo item there, new for
-- each file.
create table media.usages (
  business_id text collate "C" not null,
  kind text collate "C" not null,
  record_id text collate "C" not null,
  media_id text collate "C" not null,
  constraint usages_pkey primary key (business_id, kind, record_id, media_id),
  constraint usages_kind_check check (kind in ('PRODUCT', 'CATEGORY', 'ENTRY', 'BUSINESS'))
);
create index usages_by_media on media.usages (business_id, media_id, kind, record_id);

-- Key prefixes to delete from the store. Each has two rows: one is due at once, the other when no worker or client can still be
-- writing there.
create table media.leftovers (
  business_id text collate "C" not null,
  prefix text collate "C" not null,
  due_at timestamptz not null,
  constraint leftovers_pkey primary key (business_id, prefix, due_at)
);
create index leftovers_by_time on media.leftovers (due_at);

-- URLs that files were copied from, as hashes, so that the same URL is not downloaded again.
create table media.sources (
  business_id text collate "C" not null,
  address_hash text collate "C" not null,
  media_id text collate "C" not null,
  constraint sources_pkey primary key (business_id, address_hash)
);
create index sources_by_media on media.sources (business_id, media_id);
