-- The logo of a business is a file that it shows. Its record is in control: `record_id` is the id of the logo's item there, a new one
-- each time that another file is set.
alter table media.usages
  drop constraint usages_kind_check,
  add constraint usages_kind_check check (kind in ('PRODUCT', 'CATEGORY', 'ENTRY', 'BUSINESS')) not valid;
