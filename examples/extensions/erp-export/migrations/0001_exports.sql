create table ext_erp_export.exports (
  business_id text collate "C" not null,
  order_id text collate "C" not null,
  exported_at timestamptz not null,
  constraint exports_pkey primary key (business_id, order_id)
);
