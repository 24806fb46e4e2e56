-- What must be true between any two transactions. Each part selects what breaks its rule, and says of which business.

-- check send-counts: a send counts what its recipients' states are
-- pieces: send_id of newsletter.sends (id), 20 at a time
select send.business_id, send.id as send_id, send.total, send.sent, send.failed, send.suppressed, send.uncertain, counted.*
  from newsletter.sends as send
 cross join lateral (
   select count(*) as recipients,
          count(*) filter (where state = 'SENT') as are_sent,
          count(*) filter (where state = 'FAILED') as are_failed,
          count(*) filter (where state = 'SUPPRESSED') as are_suppressed,
          count(*) filter (where state = 'UNCERTAIN') as are_uncertain
     from newsletter.recipients as recipient
    where recipient.business_id = send.business_id and recipient.send_id = send.id) as counted
 where (send.total, send.sent, send.failed, send.suppressed, send.uncertain)
       is distinct from (recipients, are_sent, are_failed, are_suppressed, are_uncertain)

-- check send-done: a send that is done has nobody left
-- pieces: send_id of newsletter.sends (id)
select business_id, id as send_id, total, sent, failed, suppressed, uncertain
  from newsletter.sends
 where status = 'DONE' and (not is_planned or sent + failed + suppressed + uncertain <> total)

-- check send-remainder: a remainder goes to recipients of its first send, each in one remainder of it only
-- pieces: send_id of newsletter.sends (id), 20 at a time
select send.business_id, send.id as send_id, recipient.subscription_id
  from newsletter.sends as send
  join newsletter.recipients as recipient on recipient.business_id = send.business_id and recipient.send_id = send.id
 where send.remainder_of is not null
   and (not exists (select from newsletter.recipients as first
                     where first.business_id = send.business_id and first.send_id = send.remainder_of
                       and first.subscription_id = recipient.subscription_id)
        or exists (select from newsletter.sends as other
                     join newsletter.recipients as again on again.business_id = other.business_id and again.send_id = other.id
                    where other.business_id = send.business_id and other.remainder_of = send.remainder_of
                      and other.id <> send.id and again.subscription_id = recipient.subscription_id))

-- check send-letters: whoever gets a letter that goes out by itself was due, and whoever was planned for it has a row
-- pieces: send_id of newsletter.sends (id), 20 at a time
select recipient.business_id, recipient.send_id, recipient.subscription_id
  from newsletter.sends as send
  join newsletter.recipients as recipient on recipient.business_id = send.business_id and recipient.send_id = send.id
 where send.automation_id is not null
   and not exists (select from newsletter.due_letters as due
                    where due.business_id = recipient.business_id and due.send_id = recipient.send_id
                      and due.subscription_id = recipient.subscription_id)
 union all
select due.business_id, due.send_id, due.subscription_id
  from newsletter.due_letters as due
 where due.send_id is not null
   and not exists (select from newsletter.recipients as recipient
                    where recipient.business_id = due.business_id and recipient.send_id = due.send_id
                      and recipient.subscription_id = due.subscription_id)
