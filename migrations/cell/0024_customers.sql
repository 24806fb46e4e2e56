-- The customers of a business: one for each user, kept by a worker after the events of orders and subscriptions. Nothing of it is
-- written by a checkout. Name, address and so on are copies of what the newest orders and subscriptions say.
create schema customers;

-- `words` are those of the name, and the email address as one. `sort_name` is what the list is sorted by; the nameless come last.
-- `is_guest` is null while only the business has named this person. `last_order_at` is 1970 while there is none. `erased_at`: the
-- account was deleted; the row counts on, and says nothing about the person any more.
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
  first_order_at timestamptz(3),
  last_order_at timestamptz(3) not null default 'epoch',
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

-- What a customer has paid, less what went back, and in how many orders. Orders by hand may have any total: `total` is the exact
-- sum, and `amount` is what of it JSON can carry.
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

-- What of each order stands in the sums, so that an event that comes twice or late adds nothing. `customer_id` as the order has it;
-- `spent` is null while it is not paid.
create table customers.counted (
  business_id text collate "C" not null,
  order_id text collate "C" not null,
  version integer not null,
  customer_id text collate "C" not null,
  currency text collate "C" not null,
  spent bigint,
  constraint counted_pkey primary key (business_id, order_id)
);

-- Guests who became somebody else: whatever names the guest means the user.
create table customers.aliases (
  business_id text collate "C" not null,
  guest_id text collate "C" not null,
  user_id text collate "C" not null,
  constraint aliases_pkey primary key (business_id, guest_id)
);
create index aliases_by_user on customers.aliases (business_id, user_id);

-- Who has a word, an email address or (with `t:`) a tag. Read by its beginning, and never further than a page needs.
create table customers.words (
  business_id text collate "C" not null,
  word text collate "C" not null,
  user_id text collate "C" not null,
  constraint words_pkey primary key (business_id, word, user_id)
);

-- What people of the business write about a customer, for each other.
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

-- Up to where the orders and subscriptions are counted that were there before these tables. Empty when all are. It begins a while
-- after the migration: until the workers of the version before are gone, they number events that nobody follows for customers.
create table customers.filling (
  kind text collate "C" not null,
  business_id text collate "C" not null default '',
  id text collate "C" not null default '',
  begins_at timestamptz not null default now() + interval '10 minutes',
  constraint filling_pkey primary key (kind)
);
-- Also where there are none yet: some may come before the workers are replaced.
insert into customers.filling (kind) values ('orders'), ('subscriptions');
