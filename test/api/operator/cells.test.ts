import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { runCli } from '../../support/cli.ts'
import { useHeldClock } from '../../support/clock.ts'
import { createMake } from '../../support/make.ts'
import { refusal } from '../../support/refusal.ts'
import { createTestDatabases, startApi } from '../../support/start-api.ts'
import { until } from '../../support/until.ts'

const clock = useHeldClock()
const PATH = '/v1/operator/cells'
type Cell = { name: string; placement: string; weight: number; region: string | null; businesses: number }

async function setUp(t: TestContext) {
  const databases = await createTestDatabases()
  const lines: string[] = []
  const api = await startApi({ databases, lookEveryMs: 200, lines })
  t.after(async () => {
    await api.close()
    await databases.drop()
  })
  const make = createMake(api)
  const operator = await make.operator()
  const cells = async (): Promise<Cell[]> => (await operator.get(PATH)).body.items
  const facts = async () =>
    (await cells()).map(({ name, placement, weight, region, businesses }) => [
      name,
      placement,
      weight,
      region,
      businesses,
    ])
  return { api, databases, make, operator, cells, facts, lines }
}

test('cells are shown with what they take, and changed as on the command line; the log says who did it', async (t) => {
  const { databases, make, operator, facts } = await setUp(t)
  await make.business({ cell: 'second' })
  assert.equal((await runCli(['cells', 'set', 'second', '--region', 'eu'], databases.env)).code, 0)
  assert.deepEqual(await facts(), [
    ['main', 'OPEN', 100, null, 0],
    ['second', 'OPEN', 100, 'eu', 1],
  ])

  const changed = await operator.put(`${PATH}/second`, { placement: 'DRAINING', weight: 40 })
  assert.equal(changed.status, 200, changed.text)
  assert.deepEqual([changed.body.name, changed.body.placement, changed.body.weight], ['second', 'DRAINING', 40])
  assert.deepEqual((await facts())[1], ['second', 'DRAINING', 40, 'eu', 1])
  const listed = await runCli(['cells', 'list', '--json'], databases.env)
  const shown = listed.lines.find(({ cell }) => cell === 'second')
  assert.deepEqual([shown.state, shown.weight], ['DRAINING', 40])

  const again = await operator.put(`${PATH}/second`, { weight: 40 })
  assert.equal(again.status, 200)
  type Entry = { subject: string; actorEmail: string | null; data: object }
  const { body } = await operator.get('/v1/operator/audit?action=cell.changed')
  assert.deepEqual(
    body.items.map(({ subject, actorEmail, data }: Entry) => [subject, actorEmail, data]),
    [
      ['second', operator.email, { state: 'DRAINING', weight: 40, before: 'OPEN' }],
      ['second', null, { region: 'eu' }],
    ],
    'what changes nothing is not written down',
  )
})

test('a cell with businesses is switched off only by whoever insists; main and what is not there never', async (t) => {
  const { api, make, operator, facts, cells, lines } = await setUp(t)
  const { admin, path } = await make.business({ cell: 'second' })
  const put = (id: string, body: object) => operator.put(`${PATH}/${id}`, body)
  const refused = await put('second', { placement: 'OFF' })
  assert.equal(refusal(refused), '409 CONFLICT placement IN_USE')
  assert.match(refused.body.details[0].message, /1 businesses live in this cell/)
  assert.equal(refusal(await put('main', { placement: 'OFF', force: true })), '409 CONFLICT placement WRONG_STATE')
  assert.equal(refusal(await put('nowhere', { weight: 5 })), '404 NOT_FOUND')
  assert.equal(refusal(await put('second', { weight: 0 })), '422 VALIDATION_FAILED weight TOO_SMALL')
  assert.equal(refusal(await put('second', { placement: 'GONE' })), '422 VALIDATION_FAILED placement INVALID')
  assert.equal(refusal(await put('second', { url: 'postgres://x' })), '422 VALIDATION_FAILED url UNKNOWN_FIELD')
  assert.deepEqual((await facts())[1], ['second', 'OPEN', 100, null, 1])

  assert.equal((await put('second', { placement: 'OFF', force: true })).status, 200)
  await until('it is let go', () => !api.services.databases.cells.has('second'))
  const off = (await cells()).find(({ name }) => name === 'second') as Cell & { isAnswering: boolean; problem: string }
  assert.deepEqual(
    [off.placement, off.businesses, off.isAnswering, off.problem],
    ['OFF', 1, false, 'It is switched off.'],
  )
  assert.equal(refusal(await operator.get('/v1/operator/jobs?cell=second')), '422 VALIDATION_FAILED cell NOT_FOUND')

  const complaints = () => lines.filter((line) => line.includes('lives in a cell that is off')).length
  const ask = async () => assert.equal((await admin.get(`${path}/events`)).status, 503)
  for (let turn = 0; turn < 20; turn++) await ask()
  assert.equal(complaints(), 1, 'one line for all of them')
  clock.advance(61)
  for (let turn = 0; turn < 20; turn++) await ask()
  assert.equal(complaints(), 2, 'and one a minute later')

  assert.equal((await put('second', { placement: 'OPEN' })).status, 200)
  await until('it is served again', async () => (await admin.get(`${path}/events`)).status === 200)
})
