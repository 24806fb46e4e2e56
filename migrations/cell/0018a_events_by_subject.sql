-- All that happened to one record. PostgreSQL cannot build it beside the writers of a partitioned table, so it is made for the table
-- alone; `migrate` then builds it for one partition after the other.
create index events_by_subject on only cell.events (business_id, subject, number);
