-- What finds orders. A worker writes it within seconds of a change: nothing of it is written by a checkout. `terms` are the words
-- of people and goods, and `p:` and `m:` with the ids of products and of the market. `number` and `email` are copies, so that a
-- walk through the newest rows reads these small rows only. Without a foreign key, which would lock each order that gets its row,
-- and let whoever takes a payment wait: who deletes an order deletes its row here.
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
-- Rare words, products and markets.
create index search_terms on orders.search using gin (business_id, terms) with (fastupdate = off);
-- Sorts, and the range of a date: here, not at the order, where each checkout would have to write them.
create index search_by_total on orders.search (business_id, total, order_id);
create index search_by_update on orders.search (business_id, updated_at, order_id);
create index search_by_creation on orders.search (business_id, created_at, order_id);

-- In how many orders of the business a word is, a product (`p:`), a market (`m:`) or a tag (`t:`); the empty word is in all of
-- them. Tells whether to read the few that have it, or to walk through the newest.
create table orders.words (
  business_id text collate "C" not null,
  word text collate "C" not null,
  orders bigint not null,
  constraint words_pkey primary key (business_id, word)
);

-- Up to where the orders are filled in that were there before the table. Empty when all are.
create table orders.search_filling (
  business_id text collate "C" not null,
  order_id text collate "C" not null,
  constraint search_filling_pkey primary key (business_id, order_id)
);
insert into orders.search_filling (business_id, order_id) select '', '' where exists (select from orders.orders);

-- Subjects of events that a worker has to look at: the sequencer writes them, a follower takes them away.
create table cell.followed (
  topic text collate "C" not null,
  position bigint generated always as identity,
  business_id text collate "C" not null,
  subject text collate "C" not null,
  constraint followed_pkey primary key (topic, position)
);
