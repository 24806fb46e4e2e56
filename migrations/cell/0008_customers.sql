-- Customers with their totals, search words, tags, comments, and erasures. Derived from orders and subscriptions by a worker.
create schema customers;

-- `words` are the words of the name and the email address as one. Customers without a name sort last by `sort_name`. `is_guest`
-- is null while the customer is known from manual orders only. `last_order_at` is 1970 without an order. Once the account is
-- deleted (`erased_at`), the row keeps the totals, but no personal data.
create table customers.customers (
  business_id text collate "C" not null,
  user_id text collate "C" not null,
  name text,
  email text,
  phones text[] not null default '{}',
  addresses json not null default '[]',
  words text[] collate "C" not null default '{}',
  sort_name text collate "C" not null,
  is_guest boolean,
  orders integer not null default 0,
  first_order_at timestamp(3) with time zone,
  last_order_at timestamp(3) with time zone not null default '1970-01-01 00:00:00+00',
  tags text[] not null default '{}',
  erased_at timestamptz,
  version integer not null default 1,
  created_at timestamptz not null,
  updated_at timestamptz not null,
  constraint customers_pkey primary key (business_id, user_id)
) with (fillfactor = 85);
create index customers_by_last_order on customers.customers (business_id, last_order_at, user_id);
create index customers_guests on customers.customers (business_id, last_order_at, user_id) where is_guest;
create index customers_by_orders on customers.customers (business_id, orders, user_id);
create index customers_by_name on customers.customers (business_id, sort_name, user_id);

-- Payments of a customer less refunds. Manual orders can have any total: `total` is the exact sum, `amount` is limited to what
-- JSON can represent.
create table customers.spent (
  business_id text collate "C" not null,
  user_id text collate "C" not null,
  currency text collate "C" not null,
  total numeric not null,
  amount bigint not null generated always as (least(greatest(total, -9007199254740991), 9007199254740991)::bigint) stored,
  orders integer not null,
  constraint spent_pkey primary key (business_id, user_id, currency)
);
create index spent_by_amount on customers.spent (business_id, currency, amount, user_id);

-- What each order contributes to the totals, so that repeated and late events add nothing. `customer_id` is the customer of the
-- order, before any merge; `spent` is null while the order is unpaid.
create table customers.counted (
  business_id text collate "C" not null,
  order_id text collate "C" not null,
  version integer not null,
  customer_id text collate "C" not null,
  currency text collate "C" not null,
  spent bigint,
  constraint counted_pkey primary key (business_id, order_id)
);

-- Guests who became users. Records of the guest are resolved to `user_id`.
create table customers.aliases (
  business_id text collate "C" not null,
  guest_id text collate "C" not null,
  user_id text collate "C" not null,
  constraint aliases_pkey primary key (business_id, guest_id)
);
create index aliases_by_user on customers.aliases (business_id, user_id);

-- Words, email addresses, and tags (`t:`) of customers, searched by prefix.
create table customers.words (
  business_id text collate "C" not null,
  word text collate "C" not null,
  user_id text collate "C" not null,
  constraint words_pkey primary key (business_id, word, user_id)
);

-- Internal notes of team members.
create table customers.comments (
  business_id text collate "C" not null,
  user_id text collate "C" not null,
  id text collate "C" not null,
  author_id text collate "C" not null,
  author_kind text collate "C" not null,
  text text not null,
  created_at timestamptz not null,
  constraint comments_pkey primary key (business_id, user_id, id)
);

-- Last paid order of a product by a customer. Led by product, to find its buyers among the subscribers of a newsletter.
create table customers.bought (
  business_id text collate "C" not null,
  product_id text collate "C" not null,
  user_id text collate "C" not null,
  last_at timestamptz not null,
  order_id text collate "C" not null,
  constraint bought_pkey primary key (business_id, product_id, user_id) INCLUDE (last_at)
);
create index bought_by_user on customers.bought (business_id, user_id);
create index bought_by_order on customers.bought (business_id, order_id);

-- Deleted accounts whose data is still to be erased from subscriptions and orders. `ids` are all ids of the person; `email_key`
-- is the address of the account, until subscriptions are done; `promo_customer` replaces the person in promo code redemptions.
-- `step` and `after` are the progress, `due_at` is when to continue. The LATE_ steps repeat the others a day later, for
-- concurrent writes.
create table customers.erasures (
  business_id text collate "C" not null,
  user_id text collate "C" not null,
  ids text[] not null,
  email_key text collate "C",
  promo_customer text not null,
  step text collate "C" not null,
  after text collate "C" not null default '',
  due_at timestamptz not null,
  created_at timestamptz not null,
  constraint erasures_pkey primary key (business_id, user_id),
  constraint erasures_step_check check (step in ('READERS', 'ORDERS', 'LATE_READERS', 'LATE_ORDERS'))
);
create index erasures_due on customers.erasures (due_at);

-- Orders of deleted accounts that are in progress or within `keep_person_days`, reviewed when due. Left alone if the order has
-- another customer by then.
create table customers.kept_orders (
  business_id text collate "C" not null,
  order_id text collate "C" not null,
  customer_id text collate "C" not null,
  due_at timestamptz not null,
  constraint kept_orders_pkey primary key (business_id, order_id)
);
create index kept_orders_due on customers.kept_orders (due_at, business_id, order_id);
