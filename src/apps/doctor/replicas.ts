import { setTimeout as sleep } from 'node:timers/promises'
import { withClient } from '#platform/cells/identity.ts'
import { type DatabaseAddress, MAIN_CELL } from '#platform/database/database.ts'
import { ORIGIN, parseLsn, readPosition } from '#platform/database/watch.ts'
import { withTimeout } from '#platform/with-timeout.ts'
import { type Check, failed, look, ok, type Verdict, warning } from './look.ts'

const MAX_LAG_MS = 3_000
const ASK_AGAIN_MS = 100
/** For the primary: the replica is to be asked as well, within the time of one check. */
const PATIENCE_MS = 2_500
const QUESTION = `
  select pg_is_in_recovery() as "isStandby", pg_last_wal_replay_lsn()::text as lsn,
         (select timeline_id from pg_control_checkpoint()) as timeline, ${ORIGIN} as origin`

type Answer = { isStandby: boolean; lsn: string | null; timeline: number; origin: string }

/** Whether the replica of a cell follows that cell, and closely. Without it everything works, from the primary alone. */
export const checkReplica = (name: string, { url, replicaUrl }: DatabaseAddress): Promise<Check>[] =>
  replicaUrl === undefined
    ? []
    : [
        look(
          `${name}: replica`,
          `Is it up, and does it follow? On it: select * from pg_stat_wal_receiver. Its address: ${name === MAIN_CELL ? 'DATABASE_REPLICA_URL' : 'cli cells set --replica-url, or CELLS'}.`,
          () => compare(name, url, replicaUrl),
        ),
      ]

async function compare(name: string, url: string, replicaUrl: string): Promise<Verdict> {
  const position = await withTimeout(PATIENCE_MS, withClient(url, readPosition), () => new Error()).catch(() => AWAY)
  if (position === AWAY) return askAlone(name, replicaUrl)
  if (!position) return warning('the primary does not say how far it has written')
  return withClient(replicaUrl, async (client) => {
    for (const since = performance.now(); ; await sleep(ASK_AGAIN_MS)) {
      const { rows } = await client.query<Answer>(QUESTION)
      const [answer] = rows
      if (!answer?.isStandby) return warning(FOLLOWS_NOBODY, unname(name))
      if (answer.origin !== position.origin) return failed('it is the replica of another database, and is not read')
      if (answer.timeline !== position.timeline)
        return warning(
          `it is on timeline ${answer.timeline}, and the primary on ${position.timeline}: it is not read`,
          'Right after a failover that passes with its next restartpoint (checkpoint on the replica). If not, make it anew: pg_basebackup.',
        )
      if (parseLsn(answer.lsn ?? '0/0') >= position.lsn) return ok('it follows closely')
      if (performance.now() - since > MAX_LAG_MS)
        return warning(`it is more than ${MAX_LAG_MS / 1_000} seconds behind: the primary is read instead`)
    }
  })
}

/** What can be said of a replica while its primary does not answer: another check says that of the primary. */
const askAlone = (name: string, replicaUrl: string): Promise<Verdict> =>
  withClient(replicaUrl, async (client) => {
    const { rows } = await client.query<Answer>(QUESTION)
    if (!rows[0]?.isStandby) return warning(FOLLOWS_NOBODY, takeOver(name))
    return warning(
      'it is up; its lag is unknown while the primary is away',
      `Mend the primary, or promote this one: docs/guides/replicas.md. See ${name}: database.`,
    )
  })

const AWAY = 'away' as const
const FOLLOWS_NOBODY = 'it follows nobody: it is a primary itself, and is not read'

/** After a failover the promoted server may still be named as the replica. */
const unname = (name: string) =>
  name === MAIN_CELL
    ? 'Was it promoted? Then take DATABASE_REPLICA_URL away, until main has a replica again.'
    : `Was it promoted? Then: cli cells set ${idOf(name)} --replica-url none (or take replicaUrl out of CELLS), until the cell has a replica again.`

const takeOver = (name: string) =>
  name === MAIN_CELL
    ? 'Was it promoted? Then let DATABASE_URL lead to it, and take DATABASE_REPLICA_URL away.'
    : `Was it promoted? Then let the address of the cell lead to it (cli cells set ${idOf(name)} --url …), and: cli cells set ${idOf(name)} --replica-url none`

const idOf = (name: string) => name.replace(/^cell /, '')
