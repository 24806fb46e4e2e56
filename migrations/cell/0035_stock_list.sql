-- What the list of stock is filtered and sorted by: a copy, kept by a worker, of what is tracked. The stock itself, which every sale
-- rewrites, has no index that names its quantity. Without foreign keys: a product that is being written need not wait for a copy.
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

-- Up to where products are copied that were there before the table; gone when all are. It begins a while after the migration: until
-- the workers of the version before are gone, they number events that nobody follows for this list.
create table catalog.stock_list_filling (
  business_id text collate "C" not null default '',
  product_id text collate "C" not null default '',
  begins_at timestamptz not null default now() + interval '10 minutes',
  constraint stock_list_filling_pkey primary key (business_id, product_id)
);
insert into catalog.stock_list_filling (business_id) select '' where exists (select from catalog.products);

-- Goods that were counted. `items` is what was counted and what came of it; the ledger's movements name the stocktake.
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

-- The rows that are there keep to the narrower rule, so they are not read while writers wait: the next file does that.
alter table catalog.stock_movements drop constraint stock_movements_kind_check;
alter table catalog.stock_movements add constraint stock_movements_kind_check
  check (kind in ('ORDER', 'CANCEL', 'RETURN', 'MANUAL', 'IMPORT', 'COUNT')) not valid;

-- What orders hold of a variant and have not sent, kept by a worker after the events of orders: a checkout writes nothing of it.
create table orders.committed (
  business_id text collate "C" not null,
  product_id text collate "C" not null,
  variant_id text collate "C" not null,
  order_id text collate "C" not null,
  pieces integer not null,
  constraint committed_pkey primary key (business_id, product_id, variant_id, order_id),
  constraint committed_pieces_check check (pieces > 0)
);
create index committed_by_order on orders.committed (business_id, order_id);

-- As that of the list: up to where the orders are counted that were there before the table.
create table orders.committed_filling (
  business_id text collate "C" not null default '',
  order_id text collate "C" not null default '',
  begins_at timestamptz not null default now() + interval '10 minutes',
  constraint committed_filling_pkey primary key (business_id, order_id)
);
insert into orders.committed_filling (business_id) select '' where exists (select from orders.orders);
