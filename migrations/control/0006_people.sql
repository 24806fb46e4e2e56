-- Who came to a business by themselves, and whom it has only named.
--
-- came_at: when they first checked out or subscribed themselves. named_at: when the business first put them into an order by
-- hand. A row with neither is written before such an order, so that a guest in it is not tidied away, and shows nothing.
-- Which of the rows so far came from a checkout cannot be told here. They count as having come by themselves: only staff with
-- ORDERS_WRITE could make others, and hiding the customers of every shop would be worse. The default does the same for what the
-- release before this one still writes while it is being replaced.
alter table access.customers
  add column came_at timestamptz default now(),
  add column named_at timestamptz;

-- A role that was given to somebody who has not joined waits here until they accept it: an invitation to an account, not to an
-- address. Memberships so far stay as they are, as if accepted.
alter table access.invitations
  add column user_id text collate "C",
  alter column email drop not null,
  add constraint invitations_addressee check (num_nonnulls(email, user_id) = 1);
create index invitations_user on access.invitations (user_id, business_id) where user_id is not null;
create index invitations_email on access.invitations (lower(email), business_id);

-- The addresses from which an account has logged in lately: its owner is not locked out there by guesses made elsewhere.
create table accounts.known_addresses (
  user_id text collate "C" not null,
  address_hash bytea not null, -- keyed hash: the address itself is not kept here
  seen_at timestamptz not null,
  constraint known_addresses_pkey primary key (user_id, address_hash),
  constraint known_addresses_user_fkey foreign key (user_id) references accounts.users (id) on delete cascade
);
