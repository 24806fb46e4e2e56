-- no transaction
-- The beginning of an email address. The only one of these indexes that each checkout writes.
create index concurrently orders_by_email on orders.orders (business_id, (lower(contact_email) collate "C"))
  where contact_email is not null;
