-- Which provider a payment is made through, and which one sent an event: the adapter of that name is asked about it.
alter table payments.payments add column provider text collate "C" not null default 'stripe';
alter table payments.events add column provider text collate "C" not null default 'stripe';

-- A refund is PENDING, SUCCEEDED or FAILED; it was ASKED, DONE or FAILED. Processes of the version before still write the old words
-- while they run: the trigger turns them into the new ones. They carry out no refund any more; new workers do. The next version
-- drops the trigger. Rows that are there are renamed by the next file, so that nobody waits for that.
alter table payments.refunds
  drop constraint refunds_status_check,
  add constraint refunds_status_check check (status in ('PENDING', 'SUCCEEDED', 'FAILED')) not valid;

create function payments.rename_refund_status() returns trigger language plpgsql as $$
begin
  new.status := case new.status when 'ASKED' then 'PENDING' when 'DONE' then 'SUCCEEDED' else new.status end;
  return new;
end
$$;
create trigger rename_refund_status before insert or update on payments.refunds
  for each row execute function payments.rename_refund_status();
