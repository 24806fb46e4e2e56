-- Jobs of a business that moves (docs/decisions/0064-move.md), taken out of this cell's queue when it was closed, in the same transaction:
-- so no worker takes one here that waits in the other cell as well. `id` is the one that it had in the queue. They go once the
-- business lives in the other cell.
create table cell.moving_jobs (
  business_id text collate "C" not null,
  id bigint not null,
  job json not null,
  constraint moving_jobs_pkey primary key (business_id, id)
);
