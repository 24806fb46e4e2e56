import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { rememberCustomer } from '#modules/access/index.ts'
import { now } from '#platform/clock.ts'
import { transaction } from '#platform/database/transaction.ts'
import { enqueue } from '#platform/jobs/define.ts'
import { dropDead } from '#platform/jobs/drop-dead.ts'
import { jobs } from '../../../src/apps/jobs.ts'
import { holdClock } from '../../support/clock.ts'
import { onServer } from '../../support/database.ts'
import { startTestWorker } from '../../support/start-worker.ts'
import { until } from '../../support/until.ts'
import { useWorld } from '../../support/world.ts'

const used = useWorld({ own: true })
const clock = holdClock()
let worker: ReturnType<typeof startTestWorker> | undefined
after(async () => {
  await worker?.stop()
  clock.release()
})

const DAY = 86_400
const accountJobs = jobs.filter(({ name }) => name.startsWith('accounts.'))
const control = () => used.api.services.databases.control

async function tidy() {
  const job = accountJobs.find(({ name }) => name === 'accounts.tidy')
  assert.ok(job?.on === 'control')
  await transaction(control(), (tx) => enqueue(tx, job, {}))
  worker ??= startTestWorker(used.api.databases.env, accountJobs)
  const waiting = () =>
    onServer((client) => client.query('select from graphile_worker._private_jobs'), used.api.databases.main.url)
  await until('it has run', async () => (await waiting()).rowCount === 0)
}

const userIds = async (ids: string[]) => {
  const rows = await control().selectFrom('accounts.users').select('id').where('id', 'in', ids).execute()
  return rows.map(({ id }) => id).sort()
}

test('guests who left without buying go after 30 idle days; customers, merged ones and busy ones stay', async () => {
  const business = await used.make.business()
  const [idle, customer, merged, owner] = [
    await used.make.guest(),
    await used.make.guest(),
    await used.make.guest(),
    await used.make.user(),
  ]
  await rememberCustomer(control(), business.id, customer.id)
  await control()
    .insertInto('accounts.guestAliases')
    .values({ guestId: merged.id, userId: owner.id, createdAt: now() })
    .execute()
  clock.advance(31 * DAY)
  const busy = await used.make.guest()

  await tidy()

  const everybody = [idle.id, customer.id, merged.id, owner.id, busy.id]
  assert.deepEqual(await userIds(everybody), [customer.id, merged.id, owner.id, busy.id].sort())
  assert.equal((await busy.get('/v1/users/me')).status, 200)
})

test('an account that was never confirmed goes after seven days, and gives back the guest that it had taken', async () => {
  const old = await used.make.user()
  const guest = await used.make.guest()
  await control().updateTable('accounts.users').set({ confirmedAt: null }).where('id', '=', old.id).execute()
  await control()
    .insertInto('accounts.guestAliases')
    .values({ guestId: guest.id, userId: old.id, createdAt: now() })
    .execute()
  clock.advance(8 * DAY)
  const young = await used.make.user()
  await control().updateTable('accounts.users').set({ confirmedAt: null }).where('id', '=', young.id).execute()

  await tidy()

  assert.deepEqual(await userIds([old.id, young.id, guest.id]), [young.id, guest.id].sort())
  const aliases = await control()
    .selectFrom('accounts.guestAliases')
    .select('guestId')
    .where('guestId', '=', guest.id)
    .execute()
  assert.deepEqual(aliases, [])
})

test('a dead job that carries an address goes after a day, one that may still be tried does not', async () => {
  const add = (email: string, attempts: number) =>
    onServer(async (client) => {
      const { rows } = await client.query<{ id: string }>(
        `select id from graphile_worker.add_job('accounts.send-reset', json_build_object('email', $1::text, 'linkBase', ''), run_at => now() + interval '1 year', max_attempts => 3)`,
        [email],
      )
      await client.query('update graphile_worker._private_jobs set attempts = $2, updated_at = $3 where id = $1', [
        rows[0]?.id,
        attempts,
        now(),
      ])
    }, used.api.databases.main.url)
  await add('dead@example.com', 3)
  await add('waiting@example.com', 2)
  const left = () =>
    onServer(async (client) => {
      const { rows } = await client.query<{ email: string }>(
        "select payload ->> 'email' as email from graphile_worker._private_jobs where payload ->> 'email' is not null",
      )
      return rows.map(({ email }) => email)
    }, used.api.databases.main.url)
  await dropDead(control(), ['accounts.send-reset'])
  assert.deepEqual((await left()).sort(), ['dead@example.com', 'waiting@example.com'])
  clock.advance(DAY + 60)
  await dropDead(control(), ['accounts.send-reset'])
  assert.deepEqual(await left(), ['waiting@example.com'])
})
