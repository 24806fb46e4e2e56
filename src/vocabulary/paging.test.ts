import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { AppError } from './errors.ts'
import { decodeCursor, encodeCursor, type Filters, type Page, toPage } from './paging.ts'

type Row = { createdAt: number; id: string }

const FILTERS: Filters = { list: 'rows', businessId: 'biz_1' }
const SHAPE = ['number', 'string'] as const
const isAfter = (row: Row, [createdAt, id]: [number, string]) =>
  row.createdAt < createdAt || (row.createdAt === createdAt && row.id < id)
const newestFirst = (a: Row, b: Row) => b.createdAt - a.createdAt || (a.id < b.id ? 1 : -1)

/** Reads a table as every list does: newest first, after the cursor, one row more than the limit. */
function readPage(table: Row[], limit: number, cursor: string | null): Page<Row> {
  const position = decodeCursor(FILTERS, cursor, SHAPE) as [number, string] | undefined
  const rows = table
    .filter((row) => !position || isAfter(row, position))
    .sort(newestFirst)
    .slice(0, limit + 1)
  return toPage(
    rows,
    limit,
    FILTERS,
    (row) => [row.createdAt, row.id],
    (row) => row,
  )
}

const isRefused = (error: unknown) =>
  error instanceof AppError && error.status === 422 && error.details[0]?.field === 'cursor'

const row = fc.record({ createdAt: fc.nat(5), id: fc.string({ minLength: 1, maxLength: 3 }) })
const rows = fc.uniqueArray(row, { selector: ({ createdAt, id }) => `${createdAt}/${id}`, maxLength: 40 })
const limits = fc.integer({ min: 1, max: 7 })

test('pages neither skip nor repeat, in whatever order rows were made', () => {
  fc.assert(
    fc.property(rows, limits, (table, limit) => {
      const seen: Row[] = []
      let cursor: string | null = null
      do {
        const page: Page<Row> = readPage(table, limit, cursor)
        assert.ok(page.items.length === limit || page.cursor === null)
        seen.push(...page.items)
        cursor = page.cursor
      } while (cursor !== null)
      assert.deepEqual(seen, [...table].sort(newestFirst))
    }),
  )
})

test('rows that come and go while somebody pages change nothing for those that stay', () => {
  const changes = fc.array(fc.record({ added: fc.array(row, { maxLength: 3 }), gone: fc.array(fc.nat(60)) }))
  fc.assert(
    fc.property(rows, limits, changes, (staying, limit, rounds) => {
      let table = [...staying]
      const seen: Row[] = []
      let cursor: string | null = null
      let round = 0
      do {
        const page: Page<Row> = readPage(table, limit, cursor)
        seen.push(...page.items)
        cursor = page.cursor
        const { added = [], gone = [] } = rounds[round++] ?? {}
        const known = new Set(table.map(({ createdAt, id }) => `${createdAt}/${id}`))
        const passing = added.filter(({ createdAt, id }) => !known.has(`${createdAt}/${id}`))
        table = [...table.filter((each, index) => staying.includes(each) || !gone.includes(index)), ...passing]
      } while (cursor !== null)
      const stayed = seen.filter((each) => staying.includes(each))
      assert.deepEqual(stayed, [...staying].sort(newestFirst))
    }),
  )
})

test('the row a cursor stands on may be deleted', () => {
  const table = [5, 4, 3, 2, 1].map((createdAt) => ({ createdAt, id: 'a' }))
  const { cursor } = readPage(table, 2, null)
  const rest = readPage(
    table.filter(({ createdAt }) => createdAt !== 4),
    2,
    cursor,
  )
  assert.deepEqual(
    rest.items.map(({ createdAt }) => createdAt),
    [3, 2],
  )
})

test('the last page has no cursor, also when it is full', () => {
  const table = [2, 1].map((createdAt) => ({ createdAt, id: 'a' }))
  assert.equal(readPage(table, 2, null).cursor, null)
  assert.equal(readPage([], 2, null).cursor, null)
})

test('a cursor carries any position unharmed', () => {
  fc.assert(
    fc.property(fc.maxSafeInteger(), fc.string({ unit: 'grapheme' }), (number, text) => {
      const position = [number, text.replaceAll('\0', '')]
      assert.deepEqual(decodeCursor(FILTERS, encodeCursor(FILTERS, position), SHAPE), position)
    }),
  )
})

test('no cursor, an empty one and the word null are the first page', () => {
  for (const cursor of [undefined, null, '', 'null']) assert.equal(decodeCursor(FILTERS, cursor, SHAPE), undefined)
})

test('a cursor belongs to its list, business and filters, in whatever order these are named', () => {
  const cursor = encodeCursor({ list: 'rows', businessId: 'biz_1', status: 'DRAFT' }, [1, 'a'])
  assert.deepEqual(decodeCursor({ status: 'DRAFT', businessId: 'biz_1', list: 'rows' }, cursor, SHAPE), [1, 'a'])
  for (const foreign of [
    { list: 'rows', businessId: 'biz_2', status: 'DRAFT' },
    { list: 'others', businessId: 'biz_1', status: 'DRAFT' },
    { list: 'rows', businessId: 'biz_1', status: 'PUBLISHED' },
    { list: 'rows', businessId: 'biz_1' },
  ]) {
    assert.throws(() => decodeCursor(foreign, cursor, SHAPE), isRefused)
  }
})

test('whatever is not such a cursor is refused, never misread', () => {
  fc.assert(
    fc.property(fc.oneof(fc.string(), fc.base64String(), fc.json()), (text) => {
      fc.pre(text !== '' && text !== 'null')
      assert.throws(() => decodeCursor(FILTERS, text, SHAPE), isRefused)
    }),
  )
})

test('a forged position that no row can have is refused', () => {
  const [print] = JSON.parse(Buffer.from(encodeCursor(FILTERS, []), 'base64url').toString()) as [string]
  const forge = (json: string) => Buffer.from(`["${print}",${json}]`).toString('base64url')
  assert.deepEqual(decodeCursor(FILTERS, forge('1,"a"'), SHAPE), [1, 'a'])
  for (const json of [
    '"1","a"',
    '1',
    '1,"a",2',
    '1,null',
    '1.5,"a"',
    '1e999,"a"',
    '1e300,"a"',
    '1,"\\u0000"',
    '1,"\\ud800"',
  ]) {
    assert.throws(() => decodeCursor(FILTERS, forge(json), SHAPE), isRefused, json)
  }
})
