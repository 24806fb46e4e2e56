import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Ajv } from 'ajv'
import fc from 'fast-check'
import { AppError } from './errors.ts'
import {
  appendStatuses,
  currentOf,
  type NewStatusEntry,
  NewStatusEntryOf,
  type StatusEntry,
  StatusEntryOf,
} from './status-history.ts'

const STATUSES = ['DRAFT', 'PUBLISHED', 'ARCHIVED'] as const
type Status = (typeof STATUSES)[number]

const AT = 1_789_000_000
const BY_ADA = { field: 'statuses', actor: { userId: 'usr_ada' }, atSeconds: AT }
const BY_NOBODY = { field: 'statuses', actor: undefined, atSeconds: AT }
const entry = (id: string, status: Status): StatusEntry<Status> => ({ id, status, changedBy: 'SYSTEM', timestamp: 1 })

const refusal = (status: number, field: string, error: string) => (thrown: unknown) =>
  thrown instanceof AppError &&
  thrown.status === status &&
  thrown.details[0]?.field === field &&
  thrown.details[0].error === error

test('who and when are filled in for a user', () => {
  const [added] = appendStatuses<Status>([], [{ status: 'DRAFT' }], BY_ADA)
  assert.match(added?.id ?? '', /^sts_/)
  assert.deepEqual(added, { id: added?.id, status: 'DRAFT', changedBy: 'USER', userId: 'usr_ada', timestamp: AT })
  assert.deepEqual(Object.keys(added ?? {}), ['id', 'status', 'changedBy', 'userId', 'timestamp'])
})

test('what the service does itself has no user', () => {
  assert.deepEqual(appendStatuses<Status>([], [{ id: 'a', status: 'DRAFT' }], BY_NOBODY), [
    { id: 'a', status: 'DRAFT', changedBy: 'SYSTEM', timestamp: AT },
  ])
})

test('who and when are taken as sent', () => {
  const sent: StatusEntry<Status> = {
    id: 'a',
    status: 'DRAFT',
    changedBy: 'USER',
    userId: 'usr_bo',
    timestamp: AT + 300,
  }
  assert.deepEqual(appendStatuses([], [sent], BY_ADA), [sent])
  const bySystem: NewStatusEntry<Status> = { id: 'b', status: 'DRAFT', changedBy: 'SYSTEM', timestamp: 0 }
  assert.deepEqual(appendStatuses([], [bySystem], BY_ADA), [bySystem])
})

test('an entry that is there is left as it is, whatever else is sent with it', () => {
  const history = [entry('a', 'DRAFT'), entry('b', 'PUBLISHED')]
  const sent = [{ ...entry('a', 'DRAFT'), changedBy: 'USER' as const, userId: 'usr_bo', timestamp: AT + 9999 }]
  assert.equal(appendStatuses(history, sent, BY_ADA), history)
})

test('an id cannot get another status', () => {
  const history = [entry('a', 'DRAFT')]
  const sent: NewStatusEntry<Status>[] = [
    { id: 'b', status: 'PUBLISHED' },
    { id: 'a', status: 'PUBLISHED' },
  ]
  assert.throws(() => appendStatuses(history, sent, BY_ADA), refusal(409, 'statuses.1.id', 'STATUS_EXISTS'))
})

test('an id sent twice is one entry, or a conflict with itself', () => {
  const twice: NewStatusEntry<Status>[] = [
    { id: 'a', status: 'DRAFT' },
    { id: 'a', status: 'DRAFT' },
  ]
  assert.equal(appendStatuses([], twice, BY_ADA).length, 1)
  const torn: NewStatusEntry<Status>[] = [
    { id: 'a', status: 'DRAFT' },
    { id: 'a', status: 'ARCHIVED' },
  ]
  assert.throws(() => appendStatuses([], torn, BY_ADA), refusal(409, 'statuses.1.id', 'STATUS_EXISTS'))
})

test('without an id, the current status again adds nothing; with a new one it does', () => {
  const history = [entry('a', 'DRAFT'), entry('b', 'PUBLISHED')]
  assert.equal(appendStatuses(history, [{ status: 'PUBLISHED' }], BY_ADA), history)
  const there: NewStatusEntry<Status>[] = [{ status: 'DRAFT' }, { status: 'DRAFT' }, { status: 'PUBLISHED' }]
  assert.deepEqual(
    appendStatuses(history, there, BY_ADA).map(({ status }) => status),
    ['DRAFT', 'PUBLISHED', 'DRAFT', 'PUBLISHED'],
  )
  assert.equal(appendStatuses(history, [{ id: 'c', status: 'PUBLISHED' }], BY_ADA).length, 3)
})

test('a status cannot lie more than 5 minutes ahead', () => {
  const sent: NewStatusEntry<Status>[] = [{ status: 'DRAFT' }, { status: 'ARCHIVED', timestamp: AT + 301 }]
  assert.throws(() => appendStatuses([], sent, BY_ADA), refusal(422, 'statuses.1.timestamp', 'INVALID'))
})

test('a history has at most 1,000 entries', () => {
  const history = Array.from({ length: 999 }, (_, index) => entry(`e${index}`, 'DRAFT'))
  const full = appendStatuses(history, [{ status: 'PUBLISHED' }], BY_ADA)
  assert.equal(full.length, 1000)
  assert.equal(appendStatuses(full, [{ status: 'PUBLISHED' }], BY_ADA), full)
  assert.throws(() => appendStatuses(full, [{ status: 'DRAFT' }], BY_ADA), refusal(422, 'statuses', 'TOO_MANY'))
})

test('the last status is the current one', () => {
  assert.equal(currentOf([]), undefined)
  assert.equal(currentOf([entry('a', 'DRAFT'), entry('b', 'ARCHIVED')]), 'ARCHIVED')
})

const status = fc.constantFrom(...STATUSES)
// Few ids, each with one status, so that entries repeat and never conflict.
const sendable = fc.oneof(
  fc.record({ status }),
  fc.nat(8).map((number) => ({ id: `e${number}`, status: STATUSES[number % 3] ?? 'DRAFT' })),
)
const histories = fc
  .array(sendable, { maxLength: 8 })
  .map((sent) => appendStatuses<Status>([], sent, { field: 'statuses', actor: undefined, atSeconds: 1 }))

test('a history only grows, and what is passed in stays untouched', () => {
  fc.assert(
    fc.property(histories, fc.array(sendable, { maxLength: 8 }), (history, sent) => {
      const before = JSON.stringify({ history, sent })
      const after = appendStatuses(history, sent, BY_ADA)

      assert.equal(JSON.stringify({ history, sent }), before)
      assert.deepEqual(after.slice(0, history.length), history)
      assert.equal(after === history, after.length === history.length)
      assert.equal(new Set(after.map(({ id }) => id)).size, after.length)
      for (const each of sent) if ('id' in each) assert.ok(after.some(({ id }) => id === each.id))
      const last = sent.at(-1)
      if (last && !('id' in last)) assert.equal(currentOf(after), last.status)
    }),
  )
})

test('sending back what was read adds nothing', () => {
  fc.assert(
    fc.property(histories, (history) => {
      assert.equal(appendStatuses(history, structuredClone(history), BY_ADA), history)
    }),
  )
})

test('the schemas take what they should and nothing else', () => {
  const ajv = new Ajv({ strict: false })
  const takes = ajv.compile(NewStatusEntryOf(STATUSES))
  assert.ok(takes({ status: 'DRAFT' }))
  assert.ok(!takes({ status: 'SOLD' }))
  assert.ok(!takes({ status: 'DRAFT', id: 'a b' }))
  assert.ok(!takes({ status: 'DRAFT', changedBy: 'ME' }))
  const shows = ajv.compile(StatusEntryOf(STATUSES, 'EntryStatus'))
  assert.ok(shows(entry('a', 'DRAFT')))
  assert.ok(!shows({ id: 'a', status: 'DRAFT' }))
})
