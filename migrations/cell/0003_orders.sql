-- Orders, shipments, refund lines, comments, order search, and committed stock.
create schema orders;

-- Amounts are in minor units of `currency`. `tax_included` is part of the prices, `tax` is added to them. `status` and
-- `payment_status` repeat the last entries of `statuses` and `payment_statuses`. Each line records the units that it took from
-- stock; cancellation returns exactly those, and the promo code redemption, once (`released_at`). The order can be paid until
-- `expires_at`; `expired_at` is set if it was canceled for lack of payment. `request_caller`, `request_key`, and `request_hash`
-- are the idempotency record of the checkout. `trace` contains the inputs of the price calculation, or is null if the sums were
-- entered manually. `promo_customer` is the customer in catalog.promo_customers.
create table orders.orders (
  business_id text collate "C" not null,
  id text collate "C" not null,
  number text collate "C" not null,
  customer_id text collate "C" not null,
  market text collate "C" not null,
  currency text not null,
  lines json not null,
  subtotal bigint not null,
  tax bigint not null,
  shipping bigint not null,
  discount bigint not null,
  total bigint not null,
  promo_code text,
  promo_id text collate "C",
  promo_customer text,
  shipping_method_id text,
  payment_method text,
  blocks json not null,
  contact_email text,
  statuses json not null,
  status text collate "C" not null,
  payment_statuses json not null,
  payment_status text collate "C" not null,
  trace json,
  return_url text,
  cancel_url text,
  request_key text collate "C",
  request_caller text collate "C",
  request_hash bytea,
  expires_at timestamptz,
  swept_at timestamptz, -- last attempt to expire the order
  expired_at timestamptz,
  released_at timestamptz,
  version integer not null default 1,
  created_at timestamptz not null,
  updated_at timestamptz not null,
  tax_included bigint not null default 0,
  shipping_tax bigint not null default 0,
  taxes json[] not null default '{}',
  shipping_address json,
  billing_address json,
  phone text,
  customer_note text,
  tags text[] not null default '{}',
  refunded_amount bigint not null default 0,
  fulfillment text collate "C", -- null: no shipments, `status` applies
  constraint orders_pkey primary key (business_id, id),
  constraint orders_number_key unique (business_id, number),
  constraint orders_total_check check (total = subtotal + tax + shipping - discount),
  constraint orders_money_check check (least(subtotal, tax, shipping, discount, total) >= 0)
) with (fillfactor = 85);
create unique index orders_request_key on orders.orders (business_id, request_caller, request_key) where request_key is not null;
create index orders_by_status on orders.orders (business_id, status, id);
create index orders_by_customer on orders.orders (business_id, customer_id, id);
-- For the job that cancels unpaid orders, across businesses.
create index orders_unpaid on orders.orders (expires_at) where status = 'PENDING' and payment_status in ('PENDING', 'FAILED');
-- Unpaid orders of a customer, counted by each checkout.
create index orders_unpaid_by_customer on orders.orders (business_id, customer_id, expires_at)
  where status = 'PENDING' and payment_status = 'PENDING' and expires_at is not null;
-- Search by the start of an email address. The only search index that each checkout writes.
create index orders_by_email on orders.orders (business_id, (lower(contact_email) collate "C")) where contact_email is not null;
create index orders_by_promo on orders.orders (business_id, promo_code, id) where promo_code is not null;
-- Payment statuses of few orders, and never of new ones.
create index orders_by_rare_payment on orders.orders (business_id, payment_status, id)
  where payment_status in ('FAILED', 'REFUNDED', 'PARTIALLY_REFUNDED');
-- Few orders at a time, and never new ones.
create index orders_partly_fulfilled on orders.orders (business_id, id) where fulfillment = 'PARTIALLY_FULFILLED';
-- Only team members add tags, so checkouts do not write it.
create index orders_by_tag on orders.orders using gin (business_id, tags) with (fastupdate = off) where tags <> '{}';
-- Fulfilled orders whose status differs, because they were canceled afterwards or the rest was refunded. All others are found by
-- status.
create index orders_fulfilled_anyway on orders.orders (business_id, id)
  where fulfillment = 'FULFILLED' and status not in ('SHIPPED', 'DELIVERED');

-- `lines` maps order line ids to quantities. `status_id` is the entry that this shipment added to the order's status history, if
-- it completed the order. `notified` means that an email to the customer was requested; `mailed_at` is when it was sent.
create table orders.shipments (
  business_id text collate "C" not null,
  order_id text collate "C" not null,
  id text collate "C" not null,
  number integer not null,
  lines json not null,
  carrier text,
  tracking_number text,
  tracking_url text,
  notified boolean not null,
  mailed_at timestamptz,
  status_id text collate "C",
  user_id text collate "C" not null,
  version integer not null default 1,
  created_at timestamptz not null,
  updated_at timestamptz not null,
  constraint shipments_pkey primary key (business_id, order_id, id),
  constraint shipments_number_key unique (business_id, order_id, number),
  constraint shipments_order_fkey foreign key (business_id, order_id) references orders.orders (business_id, id)
);

-- What a refund covers: quantities of order lines, or shipping, whose `line_id` is empty. `origin` tells whether the items had
-- been shipped, `restocked` whether they were returned to stock. `freed_at` is set if the refund failed, so that quantity and
-- amount can be refunded again.
create table orders.refund_lines (
  business_id text collate "C" not null,
  order_id text collate "C" not null,
  refund_id text collate "C" not null,
  position integer not null,
  line_id text collate "C" not null,
  origin text collate "C",
  quantity integer not null,
  amount bigint not null,
  restocked boolean not null,
  freed_at timestamptz,
  constraint refund_lines_pkey primary key (business_id, order_id, refund_id, position),
  constraint refund_lines_origin_check check (origin in ('UNSHIPPED', 'SHIPPED')),
  constraint refund_lines_sums_check check (quantity >= 0 and amount >= 0),
  constraint refund_lines_order_fkey foreign key (business_id, order_id) references orders.orders (business_id, id)
);

-- Internal notes of team members.
create table orders.comments (
  business_id text collate "C" not null,
  order_id text collate "C" not null,
  id text collate "C" not null,
  author_id text collate "C" not null,
  author_kind text collate "C" not null,
  text text not null,
  created_at timestamptz not null,
  constraint comments_pkey primary key (business_id, order_id, id),
  constraint comments_order_fkey foreign key (business_id, order_id) references orders.orders (business_id, id)
);

-- Order search, written by a worker within seconds of a change, so that checkouts write none of it. `terms` are the words of
-- people and products, and `p:` and `m:` with the ids of products and the market. `number` and `email` are copies, so that
-- scanning the latest orders reads only these small rows. No foreign key: it would lock the order and block payments. Deleting an
-- order deletes its row here.
create table orders.search (
  business_id text collate "C" not null,
  order_id text collate "C" not null,
  number text collate "C" not null,
  email text collate "C",
  terms tsvector not null,
  tags text[] not null,
  total bigint not null,
  version integer not null,
  created_at timestamptz not null,
  updated_at timestamptz not null,
  constraint search_pkey primary key (business_id, order_id)
);
create index search_terms on orders.search using gin (business_id, terms) with (fastupdate = off);
-- For sorting and date ranges. Not on orders.orders, where each checkout would have to write them.
create index search_by_total on orders.search (business_id, total, order_id);
create index search_by_update on orders.search (business_id, updated_at, order_id);
create index search_by_creation on orders.search (business_id, created_at, order_id);

-- Number of orders with a word, product (`p:`), market (`m:`), or tag (`t:`); the empty word counts all orders. Used to choose
-- between looking up the few matches and scanning the latest orders.
create table orders.words (
  business_id text collate "C" not null,
  word text collate "C" not null,
  orders bigint not null,
  constraint words_pkey primary key (business_id, word)
);

-- Unshipped quantity of a variant in an order. Updated by a worker from order events, so that checkouts write none of it.
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
