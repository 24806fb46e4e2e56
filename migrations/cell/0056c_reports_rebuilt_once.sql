-- Which run of the command makes the sums of a business anew: one that begins later takes over, and the one before stops.
alter table reports.rebuilding add column run text not null default '';
