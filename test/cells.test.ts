import assert from 'node:assert/strict'
import { test } from 'node:test'
import { mintInvitationToken } from '#modules/access/index.ts'
import type { Db } from '#platform/database/database.ts'
import { transaction } from '#platform/database/transaction.ts'
import { record } from '#platform/events/record.ts'
import { sequenceEvents } from '#platform/events/sequencer.ts'
import { assertError } from './support/assert-error.ts'
import { happened } from './support/check-events.ts'
import { createClient } from './support/client.ts'
import { onServer } from './support/database.ts'
import { createMake } from './support/make.ts'
import { startApi, type TestDatabases } from './support/start-api.ts'
import { until } from './support/until.ts'
import { useWorld } from './support/world.ts'

const used = useWorld({ own: true })

const CELLS = ['main', 'second'] as const

for (const cell of CELLS) {
  test(`a business in the cell ${cell} has all that a business has`, async () => {
    const { admin, id, path, db } = await used.make.business({ cell })
    const bo = await used.make.user()
    const ok = async (asked: ReturnType<typeof admin.get>, status = 200) => {
      const answer = await asked
      assert.equal(answer.status, status, answer.text)
      return answer.body
    }

    await ok(admin.get(path))
    assert.equal((await ok(admin.put(path, { name: 'Renamed' }))).name, 'Renamed')
    assert.deepEqual(
      (await ok(admin.get('/v1/businesses'))).items.map((mine: { id: string }) => mine.id),
      [id],
    )

    const role = await ok(admin.post(`${path}/roles`, { name: 'Helpers', permissions: ['ADMIN'] }), 201)
    await ok(admin.get(`${path}/roles/${role.id}`))
    await ok(admin.put(`${path}/roles/${role.id}`, { name: 'Deputies' }))
    assert.equal((await ok(admin.get(`${path}/roles`))).items.length, 2)

    const invite = () => ok(admin.post(`${path}/invitations`, { email: bo.email, roleId: role.id }), 201)
    await ok(admin.delete(`${path}/invitations/${(await invite()).id}`))
    const invitation = await invite()
    assert.equal((await ok(admin.get(`${path}/invitations`))).items.length, 1)
    const { control } = used.api.services.databases
    const token = await transaction(control, (tx) => mintInvitationToken(tx, id, invitation.id))
    await ok(bo.post('/v1/users/invitations/accept', { token }))

    await transaction(db, (tx) => record(tx, happened({ businessId: id, subject: 'x', actor: bo.actor })))
    await sequenceEvents(db)
    const { items } = await ok(bo.get(`${path}/events`))
    assert.deepEqual([items.length, items[0].type, items[0].actorId], [1, 'test.happened', bo.id])

    await ok(admin.put('/v1/users/set-role', { userId: bo.id, roleId: null, businessId: id }))
    await ok(bo.get(`${path}/events`), 403)
    await ok(admin.delete(`${path}/roles/${role.id}`))
    assert.ok((await ok(admin.get(`${path}/audit`))).items.length >= 8)
  })
}

test('a new business goes to the emptiest cell', async () => {
  const ada = await used.make.user()
  const { control } = used.api.services.databases
  const counts = async () => {
    const rows = await control.selectFrom('access.businesses').select(['id', 'cell']).execute()
    const inCell = (name: string) => rows.filter(({ cell }) => cell === name).length
    return { main: inCell('main'), second: inCell('second') }
  }
  for (let number = 0; number < 4; number++) await used.make.business({ cell: 'main' })

  for (let number = 0; number < 8; number++) {
    const before = await counts()
    assert.equal((await ada.post('/v1/businesses', { name: `New ${number}` })).status, 201)
    const emptiest = before.second < before.main ? 'second' : 'main'
    assert.deepEqual(await counts(), { ...before, [emptiest]: before[emptiest] + 1 })
  }
})

test('what happens to a business is told in its own cell’s database, and nowhere else', async () => {
  const { cells } = used.api.services.databases
  const told = async (db: Db, businessId: string) => {
    const [outbox, feed] = await Promise.all(
      (['cell.eventOutbox', 'cell.events'] as const).map((table) =>
        db.selectFrom(table).select('id').where('businessId', '=', businessId).execute(),
      ),
    )
    return [outbox?.length, feed?.length]
  }
  for (const cell of CELLS) {
    const { admin, id, path, db } = await used.make.business({ cell })
    const [other] = CELLS.filter((name) => name !== cell)
    const otherDb = cells.get(other ?? '') as Db
    await transaction(db, (tx) => record(tx, happened({ businessId: id, subject: 'x' })))

    assert.deepEqual(
      [await told(db, id), await told(otherDb, id)],
      [
        [1, 0],
        [0, 0],
      ],
    )
    for (const database of cells.values()) await sequenceEvents(database)
    assert.deepEqual(
      [await told(db, id), await told(otherDb, id)],
      [
        [0, 1],
        [0, 0],
      ],
    )
    assert.equal((await admin.get(`${path}/events`)).body.items[0].number, 1)
  }
})

const disconnect = (name: string) =>
  onServer((client) =>
    client.query('select pg_terminate_backend(pid) from pg_stat_activity where datname = $1', [name]),
  )
const statement = (text: string) => onServer((client) => client.query(text))

type Outage = { begin: (name: string) => Promise<unknown>; end: (name: string) => Promise<unknown> }
/** Ways in which a database can be away. */
const OUTAGES: Record<string, Outage> = {
  'takes no connections': {
    async begin(name) {
      await statement(`alter database ${name} allow_connections false`)
      await disconnect(name)
    },
    end: (name) => statement(`alter database ${name} allow_connections true`),
  },
  'is gone': {
    async begin(name) {
      await disconnect(name)
      const rename = () => statement(`alter database ${name} rename to ${name}_away`)
      await until('nobody is connected', () =>
        rename().then(
          () => true,
          () => false,
        ),
      )
    },
    end: (name) => statement(`alter database ${name}_away rename to ${name}`),
  },
}

const readyCells = async (url: string) => {
  const { status, body } = await createClient(url).get('/readyz')
  assert.deepEqual([status, body.ready], [200, true])
  return body.cells
}

/** It is told from what was last seen, which is a second ago at most. */
const untilCells = (url: string, states: Record<string, string>) =>
  until(
    `cells are ${JSON.stringify(states)}`,
    async () => JSON.stringify(await readyCells(url)) === JSON.stringify(states),
    { withinMs: 3_000 },
  )

for (const [what, { begin, end }] of Object.entries(OUTAGES)) {
  test(`a cell whose database ${what} makes its own businesses 503, nobody else’s, until it is back`, async (t) => {
    const api = await startApi()
    t.after(() => api.close())
    const make = createMake(api)
    const here = await make.business({ cell: 'main' })
    const there = await make.business({ cell: 'second' })
    const { name } = api.databases.second
    assert.equal((await there.admin.get(`${there.path}/events`)).status, 200)

    await begin(name)
    try {
      for (let round = 0; round < 5; round++) {
        const refused = await there.admin.get(`${there.path}/events`)
        assertError(refused, 503, 'UNAVAILABLE')
        assert.match(refused.headers.get('retry-after') ?? '', /^\d+$/)
      }
      assert.equal((await here.admin.get(`${here.path}/events`)).status, 200)
      assert.equal((await there.admin.get(`${there.path}/roles`)).status, 200) // kept in the control database
      await untilCells(api.url, { main: 'up', second: 'down' })
      await assertServesOthers(api.databases, here, there)
    } finally {
      await end(name)
    }
    assert.equal((await there.admin.get(`${there.path}/events`)).status, 200)
    await untilCells(api.url, { main: 'up', second: 'up' })
  })
}

type Business = Awaited<ReturnType<ReturnType<typeof createMake>['business']>>

/** Starting while a cell is away works, too. */
async function assertServesOthers(databases: TestDatabases, here: Business, there: Business) {
  const late = await startApi({ databases })
  try {
    const as = ({ admin }: Business) => createClient(late.url, { authorization: `Bearer ${admin.token}` })
    assert.equal((await as(here).get(`${here.path}/events`)).status, 200)
    assert.equal((await as(there).get(`${there.path}/events`)).status, 503)
  } finally {
    await late.close()
  }
}

test('whoever stopped hearing the news forgets what they knew', async (t) => {
  const { main } = used.api.databases
  const { admin, id, path } = await used.make.business()
  const member = await used.make.member(id, 'SETTINGS_WRITE')
  const leaver = await used.make.user()
  const key = await used.make.apiKey(admin.id)
  const seen = async () => [
    (await admin.get(path)).body.name,
    (await member.get(`${path}/roles`)).status,
    (await leaver.get(path)).status,
    (await key.get(path)).status,
  ]
  const [name] = await seen()
  const known = [name, 200, 200, 200]

  await onServer(async (client) => {
    await client.query("update access.businesses set name = 'Behind their back' where id = $1", [id])
    await client.query('delete from access.memberships where user_id = $1', [member.id])
    await client.query('update accounts.sessions set revoked_at = now() where id = $1', [leaver.sessionId])
    await client.query('delete from accounts.api_keys where user_id = $1', [admin.id])
  }, main.url)
  assert.deepEqual(await seen(), known) // nobody was told

  await onServer((client) =>
    client.query(
      "select pg_terminate_backend(pid) from pg_stat_activity where datname = $1 and application_name = 'kontor listener'",
      [main.name],
    ),
  )
  const changed = ['Behind their back', 403, 401, 401]
  await until('the change is seen', async () => JSON.stringify(await seen()) === JSON.stringify(changed), {
    withinMs: 2_000,
  })

  await until('it listens again', () => used.api.services.listener.connected)
  assert.deepEqual(await seen(), changed) // what was known before does not come back
  const second = await startApi({ databases: used.api.databases })
  t.after(() => second.close())
  const elsewhere = createClient(second.url, { authorization: `Bearer ${admin.token}` })
  await seen() // cached again
  await elsewhere.put(path, { name: 'Told by another node' })
  await until('the news is heard', async () => (await admin.get(path)).body.name === 'Told by another node', {
    withinMs: 1_000,
  })
})
