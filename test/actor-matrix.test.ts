import assert from 'node:assert/strict'
import diagnostics from 'node:diagnostics_channel'
import { after, type TestContext, test } from 'node:test'
import type { FastifyRequest } from 'fastify'
import { isPermission, type RouteInfo } from '#platform/http/access.ts'
import type { Server } from '#platform/http/server.ts'
import { PERMISSIONS } from '#vocabulary/permissions.ts'
import {
  type Caller,
  call,
  complaint,
  complaintsOf,
  createSender,
  makeWorld,
  pathOf,
  type Target,
} from './support/actor-matrix.ts'
import { holdClock } from './support/clock.ts'
import { onServer } from './support/database.ts'
import { useWorld } from './support/world.ts'

// Every route × every kind of caller × every kind of business, held against what the route declares. Made from the route table:
// a new route is covered the moment it is registered.

// Ways to declare a route that no real one may use yet; the matrix has to know them.
const SAMPLES = [
  ['/samples/public/:businessId', 'public', 'path'],
  ['/samples/public', 'public', 'query'],
  ['/samples/guest', 'guest', 'query'],
  ['/samples/signed-in', 'signed-in', 'query'],
  ['/samples/orders', 'ORDERS_READ', 'query'],
  ['/samples/provider', 'public', 'provider'],
  ['/samples/token/:token', 'public', 'token'],
  ['/samples/storefront/:business', 'public', 'storefront'],
] as const

function addSamples(app: Server) {
  for (const [url, access, business] of SAMPLES) app.get(url, { config: { access, business } }, () => ({}))
  app.post('/samples/guest', { config: { access: 'guest', business: 'body' } }, () => ({}))
  app.post('/samples/signed-in', { config: { access: 'signed-in', business: 'body' } }, () => ({}))
  app.delete('/samples/content/:businessId/*', { config: { access: 'CONTENT_WRITE', business: 'path' } }, () => ({}))
}

const used = useWorld({ own: true, routes: addSamples })
const sender = createSender(() => used.api.url)
const clock = holdClock()
after(() => {
  clock.release()
  sender.close()
})
const newWorld = () => makeWorld(used.api, used.make, clock)

function counting(t: TestContext) {
  const from = sender.count
  return (what: string) => t.diagnostic(`${sender.count - from} requests ${what}`)
}

/** What changes whenever a row of any table is written or deleted. */
const fingerprint = (url: string) =>
  onServer(async (client) => {
    const { rows: tables } = await client.query<{ name: string }>(`
      select oid::regclass::text as name from pg_class
       where relkind = 'r' and relnamespace::regnamespace::text not in ('pg_catalog', 'information_schema')
         and oid::regclass::text not in ('control.processes', 'cell.usage')`) // heartbeats, and what was counted before
    const parts = tables.map(
      ({ name }) => `select '${name}' as name, count(*) as rows, sum(xmin::text::bigint) as written from ${name}`,
    )
    return (await client.query(`${parts.join(' union all ')} order by name`)).rows
  }, url)

const fingerprints = () => Promise.all([used.api.databases.main.url, used.api.databases.second.url].map(fingerprint))

/** The requests that got as far as the handler of a guarded route while `work` ran. */
async function handlersReached(work: () => Promise<void>): Promise<string[]> {
  const reached: string[] = []
  const channel = diagnostics.channel('tracing:fastify.request.handler:start')
  const note = (message: unknown) => {
    const { method, url, routeOptions } = (message as { request: FastifyRequest }).request
    if (routeOptions.config.access !== 'public') reached.push(`${method} ${url}`)
  }
  channel.subscribe(note)
  try {
    await work()
  } finally {
    channel.unsubscribe(note)
  }
  return reached
}

test('whoever may not call a route is refused as declared, reaches no handler and changes nothing', async (t) => {
  const counted = counting(t)
  const { routeTable } = used.api.app
  const { meetings } = await newWorld()
  const refused = (await meetings(routeTable)).filter(
    ({ route, refusal }) => refusal !== undefined && route.access !== 'public',
  )
  assert.ok(refused.length > routeTable.length * 10)

  const before = await fingerprints()
  const reached = await handlersReached(async () => {
    assert.deepEqual(await complaintsOf(sender, refused, 12), [])
  })
  assert.deepEqual(reached, [])
  assert.deepEqual(await fingerprints(), before)
  counted(`on ${routeTable.length} routes were refused`)
})

test('a caller limited to another business gets the response of a new guest, or is rejected', async () => {
  const { routeTable } = used.api.app
  const { targets, callersOf } = await newWorld()
  const target = targets[0] as Target
  const routes = routeTable.filter(({ method, access, business }) => {
    const hasBusiness = business === 'path' || business === 'query' || business === 'body' || business === 'storefront'
    return hasBusiness && (access !== 'public' || method === 'GET')
  })
  const wrong: string[] = []
  for (const route of routes) {
    const callers = await callersOf(route)
    const answerTo = async (name: string) => {
      const caller = callers.find((one) => one.name === name) as Caller
      const { status, text } = await call(sender, { route, caller, target })
      return `${status} ${text.replace(/,"requestId":"[^"]*"/, '')}`
    }
    const isOpen = route.keys === 'strangers' || route.access === 'public'
    const expected = isOpen ? await answerTo('guest') : '403'
    for (const name of [
      'key bound to another business',
      'key bound to a foreign business',
      'ADMIN let in by another business',
    ]) {
      const answer = await answerTo(name)
      if (!answer.startsWith(expected)) wrong.push(`${route.method} ${route.url} as ${name}: ${answer}`)
    }
  }
  assert.deepEqual(wrong, [])
  assert.ok(routes.some(({ keys }) => keys === 'strangers'))
})

test('whoever may call a route comes in', async (t) => {
  const counted = counting(t)
  const { routeTable } = used.api.app
  let world = await newWorld()
  for (const route of routeTable) {
    const allowed = async () =>
      (await world.meetings([route])).filter(({ refusal }) => refusal === undefined || route.access === 'public')
    const complaints = await complaintsOf(sender, await allowed(), route.method === 'GET' ? 8 : 1)
    if (complaints.length === 0) continue

    // A call may have ended the very session it was made with, or that of the next caller: each once more, with new people.
    for (const { caller, target } of await allowed()) {
      world = await newWorld()
      const again = (await allowed()).find((it) => it.caller.name === caller.name && it.target.name === target.name)
      assert.ok(again)
      assert.equal(complaint(again, await call(sender, again)), undefined)
    }
    world = await newWorld()
  }
  counted(`on ${routeTable.length} routes came in`)
})

test('a key with one permission of an ADMIN opens the routes of that permission, and no other', async (t) => {
  const counted = counting(t)
  const { targets, meetingsOf, keyWith } = await newWorld()
  const routes = used.api.app.routeTable.filter(({ access, keys }) => isPermission(access) && keys === undefined)
  const own = targets.filter(({ name }) => name === 'own')
  for (const permission of PERMISSIONS) {
    const all = meetingsOf(routes, [await keyWith(permission)], own)
    const refused = all.filter(({ refusal }) => refusal === 403)
    const allowed = all.filter(({ refusal }) => refusal === undefined)
    assert.equal(refused.length + allowed.length, routes.length)
    assert.ok(allowed.length > 0, permission)
    if (permission !== 'ADMIN') assert.ok(refused.length > routes.length / 2, permission)
    const reached = await handlersReached(async () => {
      assert.deepEqual(await complaintsOf(sender, refused, 12), [])
    })
    assert.deepEqual(reached, [])
    assert.deepEqual(await complaintsOf(sender, allowed, 1), [])
  }
  counted(`on ${routes.length} routes by keys with one permission`)
})

const swapLast = (path: string, to: string) => path.replace(/\/([^/]*)$/, `${to}$1`)
const SPELLINGS: Record<string, (path: string) => string> = {
  plain: (path) => path,
  'trailing slash': (path) => `${path}/`,
  'two trailing slashes': (path) => `${path}//`,
  'double slash in front': (path) => `/${path}`,
  'double slash inside': (path) => swapLast(path, '//'),
  semicolon: (path) => `${path};x`,
  'semicolon inside': (path) => swapLast(path, ';x/'),
  'upper case': (path) => path.toUpperCase(),
  'encoded slash': (path) => swapLast(path, '%2F'),
  'encoded slash, lower case': (path) => swapLast(path, '%2f'),
  'encoded letter': (path) => path.replace('/v1', '/%761').replace('/samples', '/%73amples'),
  backslash: (path) => swapLast(path, '\\'),
  'encoded backslash': (path) => swapLast(path, '%5C'),
  'dot segment': (path) => swapLast(path, '/./'),
  'dot-dot segment': (path) => `/healthz/..${path}`,
  'encoded dot-dot': (path) => `/healthz/%2e%2e${path}`,
  'absolute form': (path) => used.api.url + path,
  'encoded question mark': (path) => `${path}%3Fx`,
  'encoded NUL': (path) => `${path}%00`,
  'broken encoding': (path) => `${path}%`,
  'encoded space': (path) => `${path}%20`,
}

test('no odd spelling of a path, and no odd header, reaches a guarded handler without a credential', async (t) => {
  const counted = counting(t)
  const { targets } = await newWorld()
  const { id } = targets[0] as Target
  const guarded = used.api.app.routeTable.filter(({ access }) => access !== 'public')
  const answered: string[] = []
  const reached = await handlersReached(async () => {
    for (const { method, url, body } of guarded) {
      const headers = { 'x-http-method-override': method, 'x-original-url': '/healthz', 'x-forwarded-user': 'admin' }
      const attempts = Object.values(SPELLINGS).map(async (spell) => {
        const path = spell(pathOf(url, id))
        for (const verb of method === 'GET' ? ['GET', 'HEAD'] : [method]) {
          const { status } = await sender.send(verb, path, headers, body ? { businessId: id } : undefined)
          if (![400, 401, 404].includes(status)) answered.push(`${verb} ${path}: ${status}`)
        }
      })
      await Promise.all(attempts)
    }
  })
  assert.deepEqual(reached, [])
  assert.deepEqual(answered, [])
  counted(`in odd spellings of ${guarded.length} routes were refused`)
})

test('the matrix sees a route that lets in more, or fewer, than it declares', async () => {
  const { meetings, callersOf, targets } = await newWorld()
  const { routeTable } = used.api.app
  const get = (url: string) => routeTable.find((route) => route.method === 'GET' && route.url === url) as RouteInfo
  const declaring = async (url: string, access: RouteInfo['access']) =>
    (await complaintsOf(sender, await meetings([{ ...get(url), access }]), 4)).join('\n')

  const roles = '/v1/businesses/:businessId/roles'
  assert.equal(await declaring(roles, 'SETTINGS_WRITE'), '')
  assert.match(await declaring(roles, 'ADMIN'), /as all but ADMIN on own: 403, but 200/)
  assert.match(await declaring(roles, 'ORDERS_READ'), /as exactly ORDERS_READ on own: allowed, but 403/)
  assert.match(await declaring('/samples/guest', 'signed-in'), /as guest on own: 403, but 200/)
  assert.match(await declaring('/samples/guest', 'public'), /as anonymous on own: allowed, but 401/)

  const route = get('/samples/orders')
  const caller = (await callersOf(route)).find(({ name }) => name === 'ADMIN') as Caller
  const reached = await handlersReached(async () => {
    await call(sender, { route, caller, target: targets[0] as Target })
  })
  assert.equal(reached.length, 1)
})

test('the fingerprint sees a row that was inserted, changed or deleted', async () => {
  const business = await used.make.business()
  const { control } = used.api.services.databases
  const name = { name: 'Renamed' }
  const writes = [
    () => used.make.guest(),
    () => control.updateTable('access.businesses').set(name).where('id', '=', business.id).execute(),
    () => control.deleteFrom('access.memberships').where('businessId', '=', business.id).execute(),
  ]
  for (const write of writes) {
    const before = await fingerprints()
    assert.deepEqual(await fingerprints(), before)
    await write()
    assert.notDeepEqual(await fingerprints(), before)
  }
})
