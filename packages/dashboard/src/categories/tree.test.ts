import assert from 'node:assert/strict'
import { test } from 'node:test'
import { dropOf, findRow, isAt, type Node, rowsOf, stepOf, treeOf, withMove } from './tree.ts'

/** `a b>c b>c>d`: each with the way to it. */
const make = (text: string): Node[] =>
  text.split(' ').map((way, position) => {
    const [id = '', above = null] = way.split('>').toReversed()
    return { id, parentId: above, position, name: id.toUpperCase(), slug: id, locales: [], products: 0, etag: '"1"' }
  })
const draw = (items: readonly Node[]) =>
  rowsOf(treeOf(items), new Set())
    .map(({ node, level }) => '.'.repeat(level - 1) + node.id)
    .join(' ')

const GIVEN = make('a b b>c b>d e')
const step = (id: string, way: 'up' | 'down' | 'in' | 'out') => {
  const place = stepOf(treeOf(GIVEN), id, way)
  return place && draw(withMove(GIVEN, id, place))
}

test('a step goes up, down, in and out, and nowhere at the ends', () => {
  assert.equal(step('b', 'up'), 'b .c .d a e')
  assert.equal(step('a', 'down'), 'b .c .d a e')
  assert.equal(step('b', 'down'), 'a e b .c .d')
  assert.equal(step('b', 'in'), 'a .b ..c ..d e')
  assert.equal(step('c', 'out'), 'a b .d c e')
  assert.equal(step('e', 'in'), 'a b .c .d .e')
  for (const [id, way] of [
    ['a', 'up'],
    ['e', 'down'],
    ['a', 'in'],
    ['a', 'out'],
    ['c', 'in'],
  ] as const)
    assert.equal(step(id, way), undefined, `${id} ${way}`)
})

test('what is let go falls between two rows, as deep as it is held', () => {
  const tree = treeOf(GIVEN)
  const rows = rowsOf(tree, new Set(), 'e') // a b .c .d
  const drop = (gap: number, level: number) => {
    const place = dropOf(tree, rows, 'e', gap, level)
    return place && draw(withMove(GIVEN, 'e', place))
  }
  assert.equal(drop(0, 3), 'e a b .c .d')
  assert.equal(drop(1, 1), 'a e b .c .d')
  assert.equal(drop(1, 2), 'a .e b .c .d')
  assert.equal(drop(2, 1), 'a b .e .c .d')
  assert.equal(drop(4, 1), 'a b .c .d e')
  assert.equal(drop(4, 2), 'a b .c .d .e')
  assert.equal(drop(4, 9), 'a b .c .d ..e')
})

test('nothing falls below itself or deeper than there may be', () => {
  const deep = make('a a>b b>c c>d d>e e>f x x>y')
  const tree = treeOf(deep)
  const rows = rowsOf(tree, new Set(), 'x') // a .b ..c ...d ....e .....f
  assert.equal(dropOf(tree, rows, 'x', 6, 9)?.level, 5)
  assert.equal(dropOf(tree, rows, 'x', 5, 9), undefined)
  assert.equal(withMove(deep, 'a', { parentId: 'c', beforeId: null }), deep)
  assert.equal(stepOf(tree, 'x', 'in')?.parentId, 'a')
})

test('where it is already, it need not be moved', () => {
  const tree = treeOf(GIVEN)
  assert.ok(isAt(tree, 'c', { parentId: 'b', beforeId: 'd' }))
  assert.ok(isAt(tree, 'e', { parentId: null, beforeId: null }))
  assert.ok(!isAt(tree, 'c', { parentId: 'b', beforeId: null }))
})

test('typing finds the next name that begins so, whatever its accents', () => {
  const rows = rowsOf(
    treeOf(make('kueche kaffee becher').map((node) => ({ ...node, name: node.id === 'kueche' ? 'Küche' : node.id }))),
    new Set(),
  )
  assert.equal(findRow(rows, 1, 'k'), 1)
  assert.equal(findRow(rows, 0, 'ku'), 0)
  assert.equal(findRow(rows, 2, 'k'), 0)
  assert.equal(findRow(rows, 0, 'z'), -1)
})
