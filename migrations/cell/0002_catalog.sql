-- Products, variants, stock, categories, promo codes, product lists, imports, and bulk edits.
create extension if not exists btree_gin; -- for GIN indexes that start with business_id
create schema catalog;

-- Hashes each mark of catalog.listing together with its business and market, for indexing. A GIN index on the three columns would
-- read the long lists of the business and the market for each lookup, and its statistics would not tell how common a mark is
-- within one business.
create function catalog.mark_keys(business_id text, market_id text, marks text[]) returns bigint[]
  language sql immutable parallel safe
  return array(
    select hashtextextended(mark, hashtextextended(market_id, hashtextextended(business_id, 0)))
      from unnest(marks) as mark);

-- `category` is the slug of a category, which may not exist. `document` is the serialized response to a read, with a placeholder
-- (U+0001) for the stock of each variant, and `public_document` the public response, with placeholders for stock, market, and
-- locale. Both are rebuilt in the transaction of each change. `prices_change_at` is when the next scheduled price starts or ends.
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
  tax_class text collate "C" not null default 'standard',
  tags text[] not null default '{}',
  seo json not null default '{"title":"","description":""}',
  translations json not null default '{}',
  public_document text not null,
  prices_change_at timestamptz,
  constraint products_pkey primary key (business_id, id),
  constraint products_status_check check (status in ('DRAFT', 'ACTIVE', 'ARCHIVED', 'DELETED'))
);
create unique index products_slug_key on catalog.products (business_id, slug) where status <> 'DELETED';
create index products_by_status on catalog.products (business_id, status, id);
create index products_by_category on catalog.products (business_id, category, status, id);
create index products_by_price_change on catalog.products (prices_change_at) where prices_change_at is not null;

-- lz4 decompresses three times faster than the default, but not every server supports it.
do $$
begin
  alter table catalog.products alter column document set compression lz4, alter column public_document set compression lz4;
exception when feature_not_supported then null;
end $$;

-- `position` is null once a variant has been removed from its product; orders and stock movements still refer to it.
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
  -- Null: no limit per variant.
  max_per_order integer,
  translations json not null default '{}',
  constraint variants_pkey primary key (business_id, product_id, id),
  constraint variants_max_per_order_check check (max_per_order between 1 and 10000),
  constraint variants_product_fkey foreign key (business_id, product_id) references catalog.products (business_id, id)
);
create index variants_by_sku on catalog.variants (business_id, sku) where sku <> '' and position is not null;

-- One narrow row per variant, the only catalog row that a checkout updates. `version` counts the changes of `quantity`. `low_at`
-- is when the quantity last fell to the threshold, noted once in a few hours; `low_news_due` is set until a job has announced it.
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
  constraint stock_variant_fkey foreign key (business_id, product_id, variant_id)
    references catalog.variants (business_id, product_id, id)
) with (fillfactor = 70);
create index stock_low_news_due on catalog.stock (low_at) where low_news_due;

-- The stock ledger: the quantity of a variant is the sum of its deltas. `number` and `quantity` are the version and the quantity
-- of the stock after the movement. `reference` is the order or stocktake.
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
  constraint stock_movements_kind_check check (kind in ('ORDER', 'CANCEL', 'RETURN', 'MANUAL', 'IMPORT', 'COUNT'))
);
-- BRIN, because the ledger only grows: it costs a checkout next to nothing.
create index stock_movements_by_time on catalog.stock_movements using brin (created_at)
  with (pages_per_range = 16, autosummarize = on);
-- Reasons that team members gave for returns of an order. A checkout never writes to it: its movements have no reason.
create index stock_movements_with_reason on catalog.stock_movements (business_id, reference)
  where reason is not null and reference is not null;

-- Full-text search. Separate from the documents, because ranking reads many of these rows.
create table catalog.search (
  business_id text collate "C" not null,
  product_id text collate "C" not null,
  status text collate "C" not null,
  category text collate "C" not null,
  terms tsvector not null,
  constraint search_pkey primary key (business_id, product_id),
  constraint search_product_fkey foreign key (business_id, product_id) references catalog.products (business_id, id)
);
create index search_terms on catalog.search using gin (business_id, terms) with (fastupdate = off);

-- Each word under itself and under each spelling with one letter left out: words within one typo of each other share a spelling.
create table catalog.spellings (
  business_id text collate "C" not null,
  spelling text collate "C" not null,
  word text collate "C" not null,
  constraint spellings_pkey primary key (business_id, spelling, word)
);

-- An import of products. `position` is the number of the last processed row, from which a worker resumes. `is_undoable`: the
-- import is small enough to be undone. `undone` and `kept` count the products that the undo restored, and those that it left
-- because they had changed since.
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
  dry_run boolean not null default false,
  format text,
  market_id text collate "C",
  file_name text,
  unchanged integer not null default 0,
  skipped integer not null default 0,
  undone integer not null default 0,
  kept integer not null default 0,
  is_undoable boolean not null default false,
  applied_by jsonb,
  undone_by jsonb,
  -- Whether to copy images from their URLs to the media library.
  fetches_pictures boolean not null default false,
  -- Columns of the file that the import ignores.
  unknown_columns jsonb not null default '[]' check (jsonb_typeof(unknown_columns) = 'array'),
  constraint imports_pkey primary key (business_id, id),
  constraint imports_status_check check (
    status in ('RECEIVING', 'DRY_RUN', 'READY', 'RUNNING', 'DONE', 'STOPPED', 'DISCARDED', 'UNDOING', 'UNDONE')
  )
);
create index imports_created_at on catalog.imports (created_at);

-- Rows that are still to be imported, and rows with errors (`details`). Imported rows are deleted.
create table catalog.import_rows (
  business_id text collate "C" not null,
  import_id text collate "C" not null,
  number integer not null,
  line text not null,
  details jsonb,
  constraint import_rows_pkey primary key (business_id, import_id, number)
);
create index import_rows_failed on catalog.import_rows (business_id, import_id, number) where details is not null;

-- `value` is in basis points for PERCENT, and in minor units of `currency` for FIXED. A deleted code keeps its row, because
-- canceled orders still give their redemption back.
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
) with (fillfactor = 70);
create unique index promo_codes_code_key on catalog.promo_codes (business_id, code) where deleted_at is null;
create index promo_codes_live on catalog.promo_codes (business_id, id) where deleted_at is null;

-- Redemptions of a code by customer, identified by email address or phone number. Counted for all codes, because a limit can be
-- added later.
create table catalog.promo_customers (
  business_id text collate "C" not null,
  promo_id text collate "C" not null,
  customer text collate "C" not null,
  redemptions integer not null,
  constraint promo_customers_pkey primary key (business_id, promo_id, customer),
  constraint promo_customers_redemptions_check check (redemptions >= 0),
  constraint promo_customers_promo_fkey foreign key (business_id, promo_id) references catalog.promo_codes (business_id, id)
);

-- Slugs of all locales, in one namespace per business.
create table catalog.product_slugs (
  business_id text collate "C" not null,
  slug text collate "C" not null,
  product_id text collate "C" not null,
  constraint product_slugs_pkey primary key (business_id, slug),
  constraint product_slugs_product_fkey foreign key (business_id, product_id) references catalog.products (business_id, id)
);
create index product_slugs_by_product on catalog.product_slugs (business_id, product_id);

-- Past prices of a variant in a market, each with the time when it ended. Current prices are in the variant.
create table catalog.price_history (
  business_id text collate "C" not null,
  product_id text collate "C" not null,
  variant_id text collate "C" not null,
  market_id text collate "C" not null,
  until timestamptz not null,
  price bigint not null,
  constraint price_history_pkey primary key (business_id, product_id, variant_id, market_id, until),
  constraint price_history_variant_fkey foreign key (business_id, product_id, variant_id)
    references catalog.variants (business_id, product_id, id)
);
create index price_history_until on catalog.price_history (until);

-- The category tree. Products refer to categories by slug.
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
  constraint categories_parent_fkey foreign key (business_id, parent_id) references catalog.categories (business_id, id)
);
create index categories_by_parent on catalog.categories (business_id, parent_id, id);

-- Slugs of all locales, in one namespace per business. Locales of one category may share a slug.
create table catalog.category_slugs (
  business_id text collate "C" not null,
  slug text collate "C" not null,
  category_id text collate "C" not null,
  constraint category_slugs_pkey primary key (business_id, slug),
  constraint category_slugs_category_fkey foreign key (business_id, category_id) references catalog.categories (business_id, id)
);
create index category_slugs_by_category on catalog.category_slugs (business_id, category_id);

-- Locked first by writers of categories, so that changes to the tree of a business are serialized.
create table catalog.category_locks (
  business_id text collate "C" not null,
  constraint category_locks_pkey primary key (business_id)
);

-- What product lists filter and sort by: one narrow row per product and market in which it has a current price, and one without a
-- market (''). `marks` are the tags, categories, and attributes. Written with the product.
create table catalog.listing (
  business_id text collate "C" not null,
  market_id text collate "C" not null,
  product_id text collate "C" not null,
  status text collate "C" not null,
  name_key text collate "C" not null,
  price bigint,
  category text collate "C" not null,
  is_in_stock boolean not null,
  marks text[] collate "C" not null,
  -- Units sold as of last night; the same in all rows of a product.
  sold bigint not null default 0,
  constraint listing_pkey primary key (business_id, market_id, product_id)
);
create index listing_by_product on catalog.listing (business_id, product_id);
create index listing_by_price on catalog.listing (business_id, market_id, status, price, product_id) where price is not null;
create index listing_by_name on catalog.listing (business_id, market_id, status, name_key, product_id);
create index listing_by_age on catalog.listing (business_id, market_id, status, product_id);
create index listing_by_mark_key on catalog.listing
  using gin (catalog.mark_keys(business_id, market_id, marks)) with (fastupdate = off);
create index listing_by_sold on catalog.listing (business_id, market_id, status, sold, product_id);

-- For common marks, the planner prefers a sequential scan until enough rows have turned up, which may take the whole table. These
-- functions force the index and stop after `most` rows. Keys are hashes, so callers also compare the marks.
create function catalog.listing_with_all(keys bigint[], most integer) returns setof catalog.listing
  language sql stable set enable_seqscan = off as $$
  select * from catalog.listing where catalog.mark_keys(business_id, market_id, marks) @> keys limit most
$$;

create function catalog.listing_with_any(keys bigint[], most integer) returns setof catalog.listing
  language sql stable set enable_seqscan = off as $$
  select * from catalog.listing where catalog.mark_keys(business_id, market_id, marks) && keys limit most
$$;

-- A single row: up to when stock movements are reflected in catalog.listing.
create table catalog.listing_stock (
  is_only boolean not null default true,
  seen_until timestamptz not null, -- in `is_in_stock`
  sold_until timestamptz not null default now(), -- in `sold`
  constraint listing_stock_pkey primary key (is_only),
  constraint listing_stock_only_check check (is_only)
);

insert into catalog.listing_stock (seen_until) values (now());

-- A bulk edit of products. `selected_up_to` is the last product that the filters have been applied to; null: selection is
-- complete. `position` is the last item processed in the current phase. `warnings` counts products by warning, and `warned` those
-- with any.
create table catalog.bulk_edits (
  business_id text collate "C" not null,
  id text collate "C" not null,
  status text not null,
  filters json,
  changes json not null,
  total integer not null default 0,
  changing integer not null default 0,
  unchanged integer not null default 0,
  refused integer not null default 0,
  applied integer not null default 0,
  skipped integer not null default 0,
  undone integer not null default 0,
  kept integer not null default 0,
  changed_values integer not null default 0,
  warnings jsonb not null default '{}',
  selected_up_to text collate "C",
  position integer not null default 0,
  failure text,
  actor jsonb not null,
  applied_by jsonb,
  undone_by jsonb,
  created_at timestamptz not null,
  updated_at timestamptz not null,
  applied_at timestamptz,
  undone_at timestamptz,
  warned integer not null default 0,
  constraint bulk_edits_pkey primary key (business_id, id),
  constraint bulk_edits_status_check check (
    status in ('DRY_RUN', 'READY', 'APPLYING', 'DONE', 'UNDOING', 'UNDONE', 'FAILED', 'DISCARDED')
  )
);
-- One running bulk edit per business.
create unique index bulk_edits_running on catalog.bulk_edits (business_id) where status in ('DRY_RUN', 'APPLYING', 'UNDOING');
create index bulk_edits_created_at on catalog.bulk_edits (created_at);

-- A product of a bulk edit. `version` is the product version of the dry run; once applied, the version that the edit created.
create table catalog.bulk_edit_items (
  business_id text collate "C" not null,
  bulk_edit_id text collate "C" not null,
  number integer not null,
  product_id text collate "C" not null,
  status text not null,
  version integer,
  changes json,
  warnings text[] not null default '{}',
  details json,
  constraint bulk_edit_items_pkey primary key (business_id, bulk_edit_id, number),
  constraint bulk_edit_items_status_check check (
    status in ('SELECTED', 'PENDING', 'UNCHANGED', 'REFUSED', 'APPLIED', 'SKIPPED', 'UNDONE', 'KEPT')
  ),
  constraint bulk_edit_items_edit_fkey foreign key (business_id, bulk_edit_id) references catalog.bulk_edits (business_id, id)
);
create index bulk_edit_items_warned on catalog.bulk_edit_items (business_id, bulk_edit_id, number) where warnings <> '{}';

-- What a valid row of an import changes, or would change, in its product. `version` is the product version found by the dry run
-- (0: no product), then the version that the import created. `before` is what an undo restores.
create table catalog.import_items (
  business_id text collate "C" not null,
  import_id text collate "C" not null,
  number integer not null,
  status text not null,
  product_id text collate "C",
  slug text collate "C" not null,
  name text not null,
  version integer not null,
  changes json not null,
  warnings text[] not null,
  before json,
  constraint import_items_pkey primary key (business_id, import_id, number),
  constraint import_items_status_check check (status in ('CREATED', 'CHANGED', 'UNCHANGED', 'SKIPPED', 'UNDONE', 'KEPT'))
);
create index import_items_by_status on catalog.import_items (business_id, import_id, status, number);
create index import_items_by_slug on catalog.import_items (business_id, import_id, slug);
create index import_items_warned on catalog.import_items (business_id, import_id, number) where warnings <> '{}';

-- What the stock list filters and sorts by: a copy of tracked stock, updated by a worker. Not an index on catalog.stock, because
-- each sale would have to write it. No foreign keys: they would make writers of a product wait for the copy.
create table catalog.stock_list (
  business_id text collate "C" not null,
  product_id text collate "C" not null,
  variant_id text collate "C" not null,
  quantity integer not null,
  is_low boolean not null,
  constraint stock_list_pkey primary key (business_id, product_id, variant_id)
);
create index stock_list_by_quantity on catalog.stock_list (business_id, quantity, product_id, variant_id);
create index stock_list_low on catalog.stock_list (business_id, quantity, product_id, variant_id) where is_low;

-- `items`: the counted variants and the resulting corrections. Its stock movements refer to it.
create table catalog.stocktakes (
  business_id text collate "C" not null,
  id text collate "C" not null,
  reason text,
  items json not null,
  variants integer not null,
  changed integer not null,
  delta bigint not null,
  user_id text collate "C" not null,
  created_at timestamptz not null,
  constraint stocktakes_pkey primary key (business_id, id)
);

-- An image of an imported row, by URL. WAITING: to be downloaded. FETCHED: downloaded and being processed. DONE: the product
-- shows the file, unless its URL had changed. FAILED: given up, the product keeps the URL. A worker moves `due_at` ahead while it
-- downloads, so that an image whose worker died becomes due again.
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

-- SKUs and slugs of a file, each with the first row that has it. Later rows with the same one have an error.
create table catalog.import_keys (
  business_id text collate "C" not null,
  import_id text collate "C" not null,
  key text collate "C" not null,
  number integer not null,
  constraint import_keys_pkey primary key (business_id, import_id, key)
);
create index import_keys_by_number on catalog.import_keys (business_id, import_id, number);
