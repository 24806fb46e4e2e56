import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { now } from '#platform/clock.ts'
import { newId } from '#vocabulary/ids.ts'
import { useWorld } from '../../support/world.ts'

const used = useWorld()

type Page = { items: { id: string }[]; cursor: string | null }

// Ids of any age, so that rows appear and vanish before, at and behind the place where the reader is.
const times = fc.array(fc.nat({ max: 1_000_000 }), { maxLength: 6 })
const turn = fc.record({
  limit: fc.integer({ min: 1, max: 9 }),
  added: times,
  removed: fc.array(fc.nat(), { maxLength: 4 }),
})
const scene = fc.record({
  staying: fc.array(fc.nat({ max: 1_000_000 }), { minLength: 1, maxLength: 30 }),
  passing: fc.array(fc.nat({ max: 1_000_000 }), { maxLength: 30 }),
  turns: fc.array(turn, { minLength: 1, maxLength: 12 }),
})

async function makeRoles() {
  const { control } = used.api.services.databases
  const { id: businessId, admin, path } = await used.make.business()
  return {
    async read(limit: number, cursor: string | null): Promise<Page> {
      const answer = await admin.get(`${path}/roles?limit=${limit}${cursor === null ? '' : `&cursor=${cursor}`}`)
      assert.equal(answer.status, 200, answer.text)
      return answer.body
    },
    async insert(timesMs: number[]): Promise<string[]> {
      const ids = timesMs.map((timeMs) => newId('role', timeMs))
      const rows = ids.map((id) => ({ businessId, id, name: id, permissions: [], createdAt: now(), updatedAt: now() }))
      if (rows.length > 0) await control.insertInto('access.roles').values(rows).execute()
      return ids
    },
    async remove(ids: string[]): Promise<void> {
      if (ids.length > 0)
        await control.deleteFrom('access.roles').where('businessId', '=', businessId).where('id', 'in', ids).execute()
    },
  }
}

test('whoever pages while rows come and go sees each row that stays once, and none twice', async () => {
  let pages = 0
  await fc.assert(
    fc.asyncProperty(scene, async ({ staying, passing, turns }) => {
      const roles = await makeRoles()
      const stayed = await roles.insert(staying)
      const present = await roles.insert(passing)
      const seen: string[] = []
      let cursor: string | null = null
      for (let index = 0; ; index++) {
        const { limit, added, removed } = turns[index % turns.length] as (typeof turns)[number]
        const leaving = removed.flatMap((pick) => present.splice(pick % (present.length || 1), 1))
        const [page, arrived]: [Page, string[], void] = await Promise.all([
          roles.read(limit, cursor),
          index < turns.length ? roles.insert(added) : [],
          roles.remove(leaving),
        ])
        present.push(...arrived)
        pages++
        assert.ok(page.items.length <= limit)
        assert.ok(page.cursor === null || page.items.length === limit, 'only the last page is short')
        seen.push(...page.items.map(({ id }) => id))
        assert.equal(new Set(seen).size, seen.length, 'none twice')
        cursor = page.cursor
        if (cursor === null) break
      }
      assert.deepEqual(seen, [...seen].sort().toReversed(), 'newest first')
      const missed = stayed.filter((id) => !seen.includes(id))
      assert.deepEqual(missed, [], 'none that stayed was skipped')
    }),
    { numRuns: 40 },
  )
  assert.ok(pages > 40)
})
