-- Who gets the money of a business, at whatever provider. Processes of the version before read and write stripe_account_id: a
-- trigger keeps the two alike while they run, so one constraint keeps both unique. The next version drops the old name. Rows that are
-- there are copied by the next file: here everybody would wait for that. A database that had all of it in one file has it already.
alter table access.businesses add column if not exists payment_account text collate "C";

create or replace function access.copy_payment_account() returns trigger language plpgsql as $$
begin
  if tg_op = 'INSERT' then
    new.payment_account := coalesce(new.payment_account, new.stripe_account_id);
    new.stripe_account_id := new.payment_account;
  elsif new.payment_account is distinct from old.payment_account then
    new.stripe_account_id := new.payment_account;
  else
    new.payment_account := new.stripe_account_id;
  end if;
  return new;
end
$$;
create or replace trigger copy_payment_account before insert or update of payment_account, stripe_account_id on access.businesses
  for each row execute function access.copy_payment_account();
