-- Products, their variants and prices, stock with its ledger, search, imports, promo codes.
-- Every key begins with the business: nothing here ever reaches into another one's rows.
-- json, not jsonb: what was sent is handed out again with its keys in their order.
create extension if not exists btree_gin; -- lets the business lead the full-text index, too
create schema if not exists catalog;

-- `document` is the answer to a read, ready to be sent, with a gap (U+0001) for the stock of each variant. It is made from the
-- rows in the transaction that changes them.
create table catalog.products (
  business_id text collate "C" not null,
  id text collate "C" not null,
  name text not null,
  slug text collate "C" not null,
  description text not null,
  category text collate "C" not null,
  gallery json not null,
  blocks json not null,
  statuses json not null,
  status text collate "C" not null,
  version integer not null,
  document text not null,
  created_at timestamptz not null,
  updated_at timestamptz not null,
  constraint products_pkey primary key (business_id, id),
  constraint products_status_check check (status in ('DRAFT', 'ACTIVE', 'ARCHIVED', 'DELETED'))
);
create unique index products_slug_key on catalog.products (business_id, slug) where status <> 'DELETED';
create index products_by_status on catalog.products (business_id, status, id);
create index products_by_category on catalog.products (business_id, category, status, id);

-- lz4 is three times faster to read than the built-in compression, but not every server has it.
do $$
begin
  alter table catalog.products alter column document set compression lz4;
exception when feature_not_supported then null;
end $$;

-- `position` is null once a variant was taken out of its product: orders and the ledger still name it.
create table catalog.variants (
  business_id text collate "C" not null,
  product_id text collate "C" not null,
  id text collate "C" not null,
  position integer,
  name text not null,
  sku text collate "C" not null,
  attributes json not null,
  prices json not null,
  gallery json not null,
  constraint variants_pkey primary key (business_id, product_id, id),
  constraint variants_product_fkey foreign key (business_id, product_id) references catalog.products
);
create index variants_by_sku on catalog.variants (business_id, sku) where sku <> '' and position is not null;

-- One narrow row a variant, all that a checkout changes. `version` counts the changes of `quantity`.
create table catalog.stock (
  business_id text collate "C" not null,
  product_id text collate "C" not null,
  variant_id text collate "C" not null,
  position integer,
  tracked boolean not null,
  quantity integer not null default 0,
  low_stock_threshold integer,
  version integer not null default 0,
  low_at timestamptz,
  low_news_due boolean not null default false,
  constraint stock_pkey primary key (business_id, product_id, variant_id),
  constraint stock_quantity_check check (quantity >= 0),
  constraint stock_variant_fkey foreign key (business_id, product_id, variant_id) references catalog.variants
) with (fillfactor = 70); -- room for the next version of a row beside it
create index stock_low_news_due on catalog.stock (low_at) where low_news_due;

-- The ledger: quantity = sum of delta. `number` is the stock's version after the change, `quantity` what was then there.
create table catalog.stock_movements (
  business_id text collate "C" not null,
  product_id text collate "C" not null,
  variant_id text collate "C" not null,
  number integer not null,
  delta integer not null,
  quantity integer not null,
  kind text not null,
  reason text,
  reference text collate "C",
  user_id text collate "C",
  created_at timestamptz not null,
  constraint stock_movements_pkey primary key (business_id, product_id, variant_id, number),
  constraint stock_movements_kind_check check (kind in ('ORDER', 'CANCEL', 'MANUAL', 'IMPORT'))
);

-- What can be searched, apart from the documents: ranking reads many of these rows.
create table catalog.search (
  business_id text collate "C" not null,
  product_id text collate "C" not null,
  status text collate "C" not null,
  category text collate "C" not null,
  terms tsvector not null,
  constraint search_pkey primary key (business_id, product_id),
  constraint search_product_fkey foreign key (business_id, product_id) references catalog.products
);
create index search_terms on catalog.search using gin (business_id, terms) with (fastupdate = off);

-- Each word, and each way to leave out one of its letters. Two words at most one typo apart share one of these.
create table catalog.spellings (
  business_id text collate "C" not null,
  spelling text collate "C" not null,
  word text collate "C" not null,
  constraint spellings_pkey primary key (business_id, spelling, word)
);

-- `position` is the number of the last row that has been dealt with: where to go on after a crash.
create table catalog.imports (
  business_id text collate "C" not null,
  id text collate "C" not null,
  status text not null,
  total integer not null default 0,
  created integer not null default 0,
  updated integer not null default 0,
  failed integer not null default 0,
  position integer not null default 0,
  actor jsonb,
  created_at timestamptz not null,
  updated_at timestamptz not null,
  finished_at timestamptz,
  constraint imports_pkey primary key (business_id, id),
  constraint imports_status_check check (status in ('RECEIVING', 'RUNNING', 'DONE'))
);
create index imports_created_at on catalog.imports (created_at);

-- Waiting rows, and those that failed with what was wrong. What was imported is deleted.
create table catalog.import_rows (
  business_id text collate "C" not null,
  import_id text collate "C" not null,
  number integer not null,
  line text not null,
  details jsonb,
  constraint import_rows_pkey primary key (business_id, import_id, number)
);
create index import_rows_failed on catalog.import_rows (business_id, import_id, number) where details is not null;

-- A deleted code keeps its row: orders that used it may still give their use back.
create table catalog.promo_codes (
  business_id text collate "C" not null,
  id text collate "C" not null,
  code text collate "C" not null,
  type text not null,
  value bigint not null,
  currency text,
  min_subtotal bigint,
  max_redemptions integer,
  max_per_customer integer,
  starts_at timestamptz,
  ends_at timestamptz,
  markets text[],
  redemptions integer not null default 0,
  version integer not null default 1,
  created_at timestamptz not null,
  updated_at timestamptz not null,
  deleted_at timestamptz,
  constraint promo_codes_pkey primary key (business_id, id),
  constraint promo_codes_type_check check (type in ('PERCENT', 'FIXED')),
  constraint promo_codes_value_check check (value >= 1 and (type = 'FIXED' or value <= 10000)),
  constraint promo_codes_currency_check check ((type = 'FIXED') = (currency is not null)),
  constraint promo_codes_limits_check check (max_redemptions >= 1 and max_per_customer >= 1),
  constraint promo_codes_time_check check (ends_at > starts_at),
  constraint promo_codes_redemptions_check check (redemptions >= 0)
) with (fillfactor = 70); -- every use of a code changes its row
create unique index promo_codes_code_key on catalog.promo_codes (business_id, code) where deleted_at is null;
create index promo_codes_live on catalog.promo_codes (business_id, id) where deleted_at is null;

-- How often each customer uses a code. Counted whether or not the code limits it today: the limit may come tomorrow.
create table catalog.promo_customers (
  business_id text collate "C" not null,
  promo_id text collate "C" not null,
  customer text collate "C" not null,
  redemptions integer not null,
  constraint promo_customers_pkey primary key (business_id, promo_id, customer),
  constraint promo_customers_promo_fkey foreign key (business_id, promo_id) references catalog.promo_codes,
  constraint promo_customers_redemptions_check check (redemptions >= 0)
);
