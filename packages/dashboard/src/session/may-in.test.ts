import assert from 'node:assert/strict'
import { afterEach, test } from 'node:test'
import fc from 'fast-check'
import { mayIn } from './may-in.ts'
import type { Permission } from './permissions.ts'
import { seeAs, seenAs } from './see-as.ts'

const kept = new Map<string, string>()
Object.assign(globalThis, {
  sessionStorage: {
    getItem: (name: string) => kept.get(name) ?? null,
    setItem: (name: string, value: string) => kept.set(name, value),
    removeItem: (name: string) => kept.delete(name),
  },
})
afterEach(() => seeAs(undefined))

const ALL: Permission[] = ['ADMIN', 'ORDERS_READ', 'ORDERS_WRITE', 'PRODUCTS_WRITE', 'SETTINGS_WRITE']
const some = fc.subarray(ALL)
const me = (permissions: Permission[]) =>
  ({ roles: [{ id: 'role_1', name: 'Mine', businessId: 'biz_1', permissions }] }) as Parameters<typeof mayIn>[0]
const seen = (permissions: Permission[], businessId = 'biz_1') => ({
  businessId,
  roleId: 'role_2',
  name: 'Theirs',
  permissions,
})

test('seen as a role one may do what both may, and never more than oneself', () => {
  fc.assert(
    fc.property(some, some, fc.constantFrom(...ALL), (held, role, wanted) => {
      seeAs(undefined)
      const mine = mayIn(me(held), 'biz_1')(wanted)
      const theirs = mayIn(me(role), 'biz_1')(wanted)
      seeAs(seen(role))
      assert.equal(mayIn(me(held), 'biz_1')(wanted), mine && theirs)
    }),
  )
})

test('it holds for the business of the role only, is kept in the tab, and ends', () => {
  seeAs(seen([]))
  assert.equal(mayIn(me(['ADMIN']), 'biz_1')('ORDERS_READ'), false)
  assert.equal(mayIn({ roles: [{ ...me(['ADMIN']).roles[0], businessId: 'biz_2' }] } as never, 'biz_2')('ADMIN'), true)
  assert.equal(kept.size, 1)
  seeAs(undefined)
  assert.deepEqual([seenAs(), kept.size], [undefined, 0])
  assert.equal(mayIn(me(['ADMIN']), 'biz_1')('ORDERS_READ'), true)
})
