-- Files of a business: pictures with their renditions, and other files as they are. The bytes are in a store outside; a row says what
-- is there. Everything that the store has of a file lies below keys that follow from its row.
create schema media;

-- `mime_type` is that of the uploaded file, `kind` its first part. `size` counts against the quota unless the file is REJECTED.
-- `words` are those of name, texts and tags; `sort_name` is what the list is sorted by. `width`, `height`, `is_transparent` and
-- `is_animated` are null unless it is a picture that is READY: its renditions follow from them. `avif` is null where there are none to
-- make. Whoever works on a file has a `lease` on it, until `leased_until`; a lease that nobody renews is over.
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
create index files_to_end on media.files (updated_at) where status in ('PENDING', 'REJECTED');

-- Which file has a word. Read by its beginning, and never further than a page needs.
create table media.words (
  business_id text collate "C" not null,
  word text collate "C" not null,
  file_id text collate "C" not null,
  constraint words_pkey primary key (business_id, word, file_id)
);

-- What a business has in the store, in bytes: the sizes of its files that are not REJECTED. Changed last in each transaction, by one
-- statement that also looks whether it fits: two uploads at once cannot both take the last room.
create table media.used (
  business_id text collate "C" not null,
  bytes bigint not null,
  constraint used_pkey primary key (business_id),
  constraint used_bytes_check check (bytes >= 0)
) with (fillfactor = 20);

-- Which records show a file, written in the transaction that writes the record. Without foreign keys: a file may be deleted by force.
create table media.usages (
  business_id text collate "C" not null,
  kind text collate "C" not null,
  record_id text collate "C" not null,
  media_id text collate "C" not null,
  constraint usages_pkey primary key (business_id, kind, record_id, media_id),
  constraint usages_kind_check check (kind in ('PRODUCT', 'CATEGORY', 'ENTRY'))
);
create index usages_by_media on media.usages (business_id, media_id, kind, record_id);

-- What is to be deleted from the store, by the beginning of its keys: once soon, and once more when nobody can write it any more.
create table media.leftovers (
  business_id text collate "C" not null,
  prefix text collate "C" not null,
  due_at timestamptz not null,
  constraint leftovers_pkey primary key (business_id, prefix, due_at)
);
create index leftovers_by_time on media.leftovers (due_at);
