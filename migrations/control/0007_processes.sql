-- Who is there: each process tells every few seconds which cells it knows. Nothing that is placed depends on who is not there any
-- more, so rows need not outlive a crash of the server.
create unlogged table control.processes (
  id text collate "C" not null,
  kind text collate "C" not null,
  version text not null,
  cells text[] collate "C" not null,
  started_at timestamptz not null,
  seen_at timestamptz not null,
  constraint processes_pkey primary key (id),
  constraint processes_kind check (kind in ('api', 'worker'))
);
