-- Sums of sales, products, promo codes, and subscribers over time. Derived from orders and subscriptions by a worker.
create schema reports;

-- What each order contributes to the sums, so that repeated and late events add nothing. `person` is the customer, with guests
-- resolved to users. `quarter` is the number of quarter hours since 1970 (UTC). `lines` are the figures by variant. The figures
-- are 0 unless `is_counted`. `is_first` marks the first counted order of a person.
create table reports.orders (
  business_id text collate "C" not null,
  order_id text collate "C" not null,
  version integer not null,
  customer_id text collate "C" not null,
  person text collate "C" not null,
  is_counted boolean not null,
  is_first boolean not null default false,
  created_at timestamptz not null,
  quarter integer not null,
  market text collate "C" not null,
  currency text collate "C" not null,
  promo_code text collate "C",
  units bigint not null,
  subtotal bigint not null,
  discount bigint not null,
  shipping bigint not null,
  tax bigint not null,
  total bigint not null,
  refunded bigint not null,
  lines json,
  constraint orders_pkey primary key (business_id, order_id)
) with (fillfactor = 90);
create index orders_by_person on reports.orders (business_id, person, created_at, order_id) where is_counted;
create index orders_first on reports.orders (business_id, person) where is_first;

-- Short numbers for variants and promo codes, because their sums are many. `name` is from the latest order line.
create table reports.subjects (
  business_id text collate "C" not null,
  kind text collate "C" not null,
  key text collate "C" not null,
  variant_id text collate "C" not null default '',
  number bigint generated always as identity,
  name text not null default '',
  named_at timestamptz not null default '1970-01-01 00:00:00+00',
  constraint subjects_pkey primary key (business_id, kind, key, variant_id)
);
create unique index subjects_number on reports.subjects (business_id, kind, number);

-- Sums over spans of time: `at` is the first quarter hour of a span, `grain` its length in quarter hours. A period in any time
-- zone consists of a few long spans and short ones at its ends. For SALES, `subject` is 0 for all orders and 1 for first orders
-- of customers; for PRODUCT and PROMO it is a number of reports.subjects.
create table reports.sums (
  business_id text collate "C" not null,
  kind text collate "C" not null,
  grain integer not null,
  at integer not null,
  subject bigint not null,
  market text collate "C" not null,
  currency text collate "C" not null,
  orders bigint not null,
  units bigint not null,
  subtotal bigint not null,
  discount bigint not null,
  shipping bigint not null,
  tax bigint not null,
  total bigint not null,
  refunded bigint not null,
  net_size smallint not null
    generated always as (floor(ln(greatest(total - refunded, 1)::float8) / ln(2::float8))::smallint) stored,
  unit_size smallint not null
    generated always as (floor(ln(greatest(units, 1)::float8) / ln(2::float8))::smallint) stored,
  constraint sums_pkey primary key (business_id, kind, grain, at, subject, market, currency)
) with (fillfactor = 85);
-- Largest rows of a long span, by the power of two below the figure: it seldom changes, so updates seldom touch the index.
create index sums_by_net on reports.sums (business_id, kind, grain, at, net_size) where kind <> 'SALES' and grain >= 96;
create index sums_by_units on reports.sums (business_id, kind, grain, at, unit_size) where kind <> 'SALES' and grain >= 96;

-- Whether a subscription counts as active in the sums.
create table reports.subscriptions (
  business_id text collate "C" not null,
  subscription_id text collate "C" not null,
  collection_id text collate "C" not null,
  is_active boolean not null,
  constraint subscriptions_pkey primary key (business_id, subscription_id)
);

-- New and lost subscribers of a newsletter over spans of time, as in reports.sums.
create table reports.readers (
  business_id text collate "C" not null,
  collection_id text collate "C" not null,
  grain integer not null,
  at integer not null,
  joined bigint not null,
  "left" bigint not null,
  constraint readers_pkey primary key (business_id, grain, at, collection_id)
) with (fillfactor = 85);

-- Businesses whose sums the command rebuilds. While `is_clearing`, workers do not count their orders; the command counts all. A
-- later `run` takes over, and the earlier one stops.
create table reports.rebuilding (
  business_id text collate "C" not null,
  is_clearing boolean not null,
  run text not null default '',
  constraint rebuilding_pkey primary key (business_id)
);
