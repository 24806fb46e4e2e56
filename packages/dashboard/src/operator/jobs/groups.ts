import type { DeadJob, JobQueue } from '../types.ts'

export type Group = {
  name: string
  /** Of all cells; more than `jobs` where not all of them were read. */
  dead: number
  jobs: DeadJob[]
  /** What they failed with, the most frequent first. */
  errors: { error: string | null; count: number }[]
  /** When the first of those that were read died, and the last. */
  since: number | undefined
  last: number | undefined
}

/** Dead jobs by their kind; the kind with the last death first, so that a new problem is on top. */
export function groupsOf(queues: readonly JobQueue[], jobs: readonly DeadJob[]): Group[] {
  const byName = Map.groupBy(jobs, ({ name }) => name)
  const names = new Set([...byName.keys(), ...queues.filter(({ dead }) => dead > 0).map(({ name }) => name)])
  return [...names]
    .map((name) => {
      const own = byName.get(name) ?? []
      const counted = queues.filter((queue) => queue.name === name).reduce((sum, { dead }) => sum + dead, 0)
      const times = own.map(({ diedAt }) => diedAt)
      return {
        name,
        dead: Math.max(counted, own.length),
        jobs: own,
        errors: errorsOf(own),
        since: times.length > 0 ? Math.min(...times) : undefined,
        last: times.length > 0 ? Math.max(...times) : undefined,
      }
    })
    .toSorted((one, other) => (other.last ?? 0) - (one.last ?? 0))
}

const errorsOf = (jobs: readonly DeadJob[]) =>
  [...Map.groupBy(jobs, ({ error }) => error)]
    .map(([error, alike]) => ({ error, count: alike.length }))
    .toSorted((one, other) => other.count - one.count)

/** Whose they are, each once, in the order of the list. */
export const businessesOf = (jobs: readonly DeadJob[]) => [
  ...new Map(
    jobs.flatMap(({ businessId, businessName }) =>
      businessId === null ? [] : [[businessId, { id: businessId, name: businessName ?? businessId }] as const],
    ),
  ).values(),
]
