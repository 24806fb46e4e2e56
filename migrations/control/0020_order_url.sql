-- Where a shop shows an order, with {orderId}: mails to customers link there. Processes of the version before write it back as
-- they have read it.
alter table access.businesses add column order_url text;
