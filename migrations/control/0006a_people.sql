-- Who came to a business by themselves, and whom it has only named.
--
-- came_at: when they first checked out or subscribed themselves. named_at: when the business first put them into an order by
-- hand. A row with neither is written before such an order, so that a guest in it is not tidied away, and shows nothing.
-- Which of the rows so far came from a checkout cannot be told here. They count as having come by themselves: only staff with
-- ORDERS_WRITE could make others, and hiding the customers of every shop would be worse. The default does the same for what the
-- release before this one still writes while it is being replaced.
alter table access.customers
  add column if not exists came_at timestamptz default now(),
  add column if not exists named_at timestamptz;

-- A role that was given to somebody who has not joined waits here until they accept it: an invitation to an account, not to an
-- address. Memberships so far stay as they are, as if accepted. The next files look at the rows that are there, and build indexes
-- of them: here everybody would wait for that. A database that had all of it in one file gets the indexes anew.
alter table access.invitations
  add column if not exists user_id text collate "C",
  alter column email drop not null,
  drop constraint if exists invitations_addressee,
  add constraint invitations_addressee check (num_nonnulls(email, user_id) = 1) not valid;
drop index if exists access.invitations_user, access.invitations_email;

-- The addresses from which an account has logged in lately: its owner is not locked out there by guesses made elsewhere.
create table if not exists accounts.known_addresses (
  user_id text collate "C" not null,
  address_hash bytea not null, -- keyed hash: the address itself is not kept here
  seen_at timestamptz not null,
  constraint known_addresses_pkey primary key (user_id, address_hash),
  constraint known_addresses_user_fkey foreign key (user_id) references accounts.users (id) on delete cascade
);
