import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { suspendBusiness } from '#modules/access/index.ts'
import { revokeSession } from '#modules/accounts/index.ts'
import { transaction } from '#platform/database/transaction.ts'
import { openRaw } from '../../support/raw-http.ts'
import { useWorld } from '../../support/world.ts'

const used = useWorld({ env: { RATE_LIMITS: 'on' } })
/** After more than a second the guard looks again. */
const SLOW_MS = 1_200

type Sent = { method?: string; path: string; type?: string; body: string; token: string }

/** Sends everything but the end of the body, which `end` sends. */
async function begin({ method = 'POST', path, type = 'application/json', body, token }: Sent) {
  const caller = await openRaw(used.api.url)
  const head = `${method} ${path} HTTP/1.1\r\nhost: x\r\nauthorization: Bearer ${token}\r\ncontent-type: ${type}\r\n`
  caller.write(`${head}content-length: ${Buffer.byteLength(body)}\r\nconnection: close\r\n\r\n${body.slice(0, -1)}`)
  return {
    async end() {
      caller.write(body.slice(-1))
      const { status, text } = await caller.read()
      caller.destroy()
      return [status, JSON.parse(text).error] as const
    },
  }
}

const role = JSON.stringify({ name: 'Slow', permissions: [] })

/** A business, and somebody who may change it. */
async function employ() {
  const business = await used.make.business()
  const member = await used.make.member(business.id, 'SETTINGS_WRITE', 'PRODUCTS_WRITE')
  const dismiss = async () => {
    const { status, text } = await business.admin.put('/v1/users/set-role', {
      businessId: business.id,
      userId: member.id,
      roleId: null,
    })
    assert.equal(status, 200, text)
  }
  return { ...business, member, dismiss }
}

const rolesOf = async ({ admin, path }: Awaited<ReturnType<typeof employ>>) =>
  (await admin.get(`${path}/roles`)).body.items.map(({ name }: { name: string }) => name)

test('who was dismissed while their body came writes nothing, nor does a session that was ended, or anybody in a suspended business', async () => {
  const { control } = used.api.services.databases
  const [dismissed, ended, suspended, gone] = [await employ(), await employ(), await employ(), await employ()]
  const requests = [
    await begin({ path: `${dismissed.path}/roles`, body: role, token: dismissed.member.token }),
    await begin({ path: `${ended.path}/roles`, body: role, token: ended.member.token }),
    await begin({ path: `${suspended.path}/roles`, body: role, token: suspended.member.token }),
    await begin({
      method: 'PUT',
      path: '/v1/users/set-role',
      body: JSON.stringify({ businessId: gone.id, userId: gone.member.id, roleId: null }),
      token: gone.admin.token,
    }),
    await begin({ method: 'PUT', path: '/v1/users/update', body: '{"name":"Slow"}', token: gone.admin.token }),
  ]
  await sleep(SLOW_MS)
  await dismissed.dismiss()
  await transaction(control, (tx) => revokeSession(tx, ended.member.sessionId))
  await transaction(control, (tx) =>
    suspendBusiness(tx, suspended.id, true, { actor: suspended.admin.actor, reason: 'x' }),
  )
  await transaction(control, (tx) => revokeSession(tx, gone.admin.sessionId))
  await sleep(200) // until it is heard
  assert.deepEqual(await Promise.all(requests.map(({ end }) => end())), [
    [403, 'FORBIDDEN'],
    [401, 'UNAUTHENTICATED'],
    [403, 'FORBIDDEN'],
    [401, 'UNAUTHENTICATED'],
    [401, 'UNAUTHENTICATED'],
  ])
  for (const each of [dismissed, ended]) assert.ok(!(await rolesOf(each)).includes('Slow'))
})

test('who was dismissed while their file came imports nothing', async () => {
  const { db, path, member, dismiss } = await employ()
  const file = {
    path: `${path}/products/imports`,
    type: 'application/x-ndjson',
    body: '{"name":"Mug"}\n',
    token: member.token,
  }
  const slow = await begin(file)
  await sleep(SLOW_MS)
  await dismiss()
  assert.deepEqual(await slow.end(), [403, 'FORBIDDEN'])
  assert.deepEqual(
    await db
      .selectFrom('catalog.imports')
      .selectAll()
      .where('businessId', '=', path.split('/').at(-1) ?? '')
      .execute(),
    [],
  )
})

test('who sends slowly and is still let in counts once for the limit of the business', async () => {
  const business = await employ()
  const operator = await used.make.operator()
  await operator.put(`/v1/operator/businesses/${business.id}/limits`, { requestsPerMinute: 1 })
  const slow = await begin({ path: `${business.path}/roles`, body: role, token: business.member.token })
  await sleep(SLOW_MS)
  assert.deepEqual(await slow.end(), [201, undefined])
})
