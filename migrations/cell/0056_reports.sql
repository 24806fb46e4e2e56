-- Reports: sums that a worker keeps after the events of orders and subscriptions. Nothing of it is written by a checkout.
create schema reports;

-- The first event that has to be looked at, so that a reader can say up to where a follower has come. Null: no event, or one that
-- a process of the version before has numbered.
alter table cell.followed add column number bigint;

-- What of each order stands in the sums, with its version: an event that comes twice or late adds nothing. `person`: who ordered; a
-- guest who became a user is that user. `quarter`: quarters of an hour since 1970. `lines`: what each variant has of it. Of an
-- order that does not count, the figures are 0. `is_first`: the first order of this person that counts.
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

-- Variants and promo codes under a short number: their sums are many, and are grouped by it. `name` is that of the line sold last.
create table reports.subjects (
  business_id text collate "C" not null,
  kind text collate "C" not null,
  key text collate "C" not null,
  variant_id text collate "C" not null default '',
  number bigint not null generated always as identity,
  name text not null default '',
  named_at timestamptz not null default 'epoch',
  constraint subjects_pkey primary key (business_id, kind, key, variant_id)
);
create unique index subjects_number on reports.subjects (business_id, kind, number);

-- Sums by time. `at` is the first quarter of an hour of a span, and `grain` its length in quarters: a time in any time zone is put
-- together of a few long spans and of short ones at its edges. Kind SALES: `subject` 0 is all orders, and 1 those of
-- them that are the first of their customer. Kinds PRODUCT and PROMO: `subject` is a number of reports.subjects.
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
  constraint sums_pkey primary key (business_id, kind, grain, at, subject, market, currency)
) with (fillfactor = 85);

-- Whether a subscription is active as far as the sums know.
create table reports.subscriptions (
  business_id text collate "C" not null,
  subscription_id text collate "C" not null,
  collection_id text collate "C" not null,
  is_active boolean not null,
  constraint subscriptions_pkey primary key (business_id, subscription_id)
);

create table reports.readers (
  business_id text collate "C" not null,
  collection_id text collate "C" not null,
  grain integer not null,
  at integer not null,
  joined bigint not null,
  "left" bigint not null,
  constraint readers_pkey primary key (business_id, grain, at, collection_id)
) with (fillfactor = 85);

-- Up to where the orders and subscriptions are counted that were there before these tables. Empty when all are. It begins a while
-- after the migration: until the workers of the version before are gone, they number events that nobody follows for reports. A cell
-- in which nothing has happened yet is new, and has none.
create table reports.filling (
  kind text collate "C" not null,
  business_id text collate "C" not null default '',
  id text collate "C" not null default '',
  begins_at timestamptz not null default now() + interval '10 minutes',
  constraint filling_pkey primary key (kind)
);
insert into reports.filling (kind)
select kind from (values ('orders'), ('subscriptions')) as kinds (kind) where exists (select from cell.event_counters);

-- Businesses whose sums are made anew by the command. While they are being cleared, orders are not counted: the command counts all.
create table reports.rebuilding (
  business_id text collate "C" not null,
  is_clearing boolean not null,
  constraint rebuilding_pkey primary key (business_id)
);
