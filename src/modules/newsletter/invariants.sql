-- What must be true between any two transactions. Each part selects what breaks its rule, and says of which business.

-- check: a send counts what its recipients' states are
select send.business_id, send.id, send.total, send.sent, send.failed, send.suppressed, send.uncertain, counted.*
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

-- check: a send that is done has nobody left
select business_id, id, total, sent, failed, suppressed, uncertain
  from newsletter.sends
 where status = 'DONE' and (not is_planned or sent + failed + suppressed + uncertain <> total)
