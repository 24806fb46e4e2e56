import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { startChild } from '../../support/child.ts'
import { startExtendedApi } from '../../support/extended-api.ts'
import { makeProject } from '../../support/extension-project.ts'
import { until } from '../../support/until.ts'

// Handlers that are started by the name of a product.
const SOURCE = `
import { setTimeout as sleep } from 'node:timers/promises'
import { extension, operation, route, sql, Type, BusinessParams } from 'kontor/extension'

const STRAYS: Record<string, () => unknown> = {
  rejection: () => void Promise.reject(new Error('forgotten promise')),
  later: () => void sleep(20).then(() => { throw 'a text' }),
  timer: () => void setTimeout(() => { throw new Error('in a timer') }, 5),
  request: () => void fetch('http://127.0.0.1:1/'),
}

export const it = extension({
  name: 'careless',
  timeLimitSeconds: 2,
  routes: () => [
    route(
      operation({
        method: 'POST',
        url: '/strays/:kind',
        config: { access: 'ORDERS_READ', business: 'path' },
        schema: {
          operationId: 'leaveStray',
          params: Type.Object({ ...BusinessParams.properties, kind: Type.String({ maxLength: 20 }) }),
          response: { 200: Type.Object({}) },
        },
      }),
      async ({ params }) => { STRAYS[params.kind]?.(); return {} },
    ),
  ],
  on: {
    'product.created': async ({ subject, businessId }, { db, log, signal }) => {
      const { rows } = await sql<{ name: string }>\`select name from catalog.products where business_id = \${businessId} and id = \${subject}\`.execute(db)
      const name = rows[0]?.name ?? ''
      if (name === 'Hangs') {
        signal.addEventListener('abort', () => {
          void sql\`select 2\`.execute(db)
          sql\`select 1\`.execute(db).catch((error) => log.info({ message: error.message }, 'no database after the limit'))
        })
        await new Promise(() => {})
      }
      STRAYS[name]?.()
      log.info({ business: businessId, product: name }, 'product handled')
    },
  },
})
`

const project = makeProject()
let used: Awaited<ReturnType<typeof startExtendedApi>>
let api: Awaited<ReturnType<typeof startChild>>
before(async () => {
  used = await startExtendedApi([project.write('careless.ts', SOURCE)])
  api = used.api
})
after(async () => {
  await used.close()
  project.remove()
})

const UNHANDLED = 'unhandled error of an extension, continuing'
type Child = typeof api
const unhandledIn = ({ lines }: Child) => lines().filter(({ msg }) => msg === UNHANDLED)
const countIn = async ({ metricsUrl }: Child) =>
  Number(
    /^kontor_extension_errors_total\{extension="careless"\} (\d+)$/m.exec(await (await fetch(metricsUrl)).text())?.[1],
  )

test('an unhandled error of an extension › is logged and counted, and the API goes on', async () => {
  const { admin, path } = await used.make.business()
  const kinds = ['rejection', 'later', 'timer', 'request']
  for (const kind of kinds) {
    const sent = await fetch(`${api.url}${path}/extensions/careless/strays/${kind}`, {
      method: 'POST',
      headers: { authorization: `Bearer ${admin.token}` },
    })
    assert.equal(sent.status, 200, await sent.text())
  }
  await until('all are logged', async () => unhandledIn(api).length === kinds.length)
  assert.ok(unhandledIn(api).every(({ extension }) => extension === 'careless'))
  assert.equal(await countIn(api), kinds.length)
  assert.equal((await fetch(`${api.url}/healthz`)).status, 200)
})

test('an unhandled error of an extension › does not end the worker', async () => {
  const worker = await used.startWorker()
  try {
    const shop = await used.make.shop()
    for (const name of ['rejection', 'timer', 'Fine']) await used.make.product(shop, { name })
    await until(
      'all are handled',
      async () => worker.lines().filter(({ msg }) => msg === 'product handled').length === 3,
    )
    await until('both are logged', async () => unhandledIn(worker).length === 2)
    assert.equal(await countIn(worker), 2)
  } finally {
    assert.deepEqual(await worker.stop(), { code: 0, signal: null })
  }
})

test('an unhandled error of our own › ends the process, with extensions too', async () => {
  const child = await startChild('api', used.env, { isPacked: false })
  child.strayError()
  assert.deepEqual(await child.exited, { code: 1, signal: null })
  assert.match(child.output(), /a forgotten promise of our own.*stopping after an unexpected error/)
})

test('a handler that never ends › is aborted at its time limit, and does not block others', async () => {
  const worker = await used.startWorker()
  const handled = (businessId: string) =>
    worker
      .lines()
      .some(({ msg, business, product }) => msg === 'product handled' && business === businessId && product === 'Fine')
  try {
    const [hanging, other] = [await used.make.shop(), await used.make.shop()]
    for (let count = 0; count < 6; count++) await used.make.product(hanging, { name: 'Hangs' })
    await used.make.product(hanging, { name: 'Fine' })
    await used.make.product(other, { name: 'Fine' })
    await until("the other business's event was handled", async () => handled(other.id))
    await until("the business's own event was handled", async () => handled(hanging.id), { withinMs: 40_000 })
    const line = await worker.untilLogged('no database after the limit')
    assert.match(String(line.message), /careless\.on\.product\.created took longer than its time limit of 2 s/)
  } finally {
    await worker.stop()
  }
})
