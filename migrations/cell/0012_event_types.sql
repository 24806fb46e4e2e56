-- Types of events are words of [a-z0-9_] joined by dots. Processes of the version before write the old words for as long as they run;
-- the trigger renames these, so that no old word enters the feed from here on. A later release removes it, and both functions.
create function cell.renamed_event_type(type text) returns text language sql immutable as $$
  select case type
           when 'order.refund-asked' then 'order.refund_requested'
           when 'order.refund-made' then 'order.refunded'
           when 'payment.in-vain' then 'payment.unexpected'
           else replace(type, '-', '_')
         end
$$;

create function cell.rename_event_type() returns trigger language plpgsql as $$
begin
  new.type := cell.renamed_event_type(new.type);
  return new;
end
$$;

create trigger rename_event_type before insert on cell.event_outbox
  for each row when (new.type like '%-%') execute function cell.rename_event_type();

update cell.event_outbox set type = cell.renamed_event_type(type) where type like '%-%';
