-- Archives of businesses that operators had made. The archive itself is in the store, below `private/exports/`, until `expires_at`.
create table access.business_exports (
  business_id text collate "C" not null,
  id text collate "C" not null,
  status text collate "C" not null default 'PENDING',
  has_files boolean not null,
  rows bigint not null default 0,
  bytes bigint,
  created_at timestamptz not null,
  finished_at timestamptz,
  expires_at timestamptz not null,
  constraint business_exports_pkey primary key (business_id, id),
  constraint business_exports_business foreign key (business_id) references access.businesses (id),
  constraint business_exports_status check (status in ('PENDING', 'RUNNING', 'READY', 'FAILED'))
);
-- One at a time for each business.
create unique index business_exports_live on access.business_exports (business_id) where status in ('PENDING', 'RUNNING');
create index business_exports_expires_at on access.business_exports (expires_at);
