-- For how many days after an order a business keeps whose it was, once their account is deleted.
-- Processes of the version before write it back as they have read it.
alter table access.businesses add column keep_person_days integer not null default 0;
