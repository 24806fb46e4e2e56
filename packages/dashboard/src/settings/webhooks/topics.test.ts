import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import path from 'node:path'
import { test } from 'node:test'

const ROOT = path.resolve(import.meta.dirname, '../../../../..')

/** The words are those of a macro, which only the build knows: the source is read as text. */
const source = readFileSync(path.join(import.meta.dirname, 'topics.ts'), 'utf8')
const topics = [
  ...source.matchAll(/\bid: '(\w+)',[\s\S]*?readers: \[(.*?)\],[\s\S]*?types: \{([\s\S]*?)\},?\n? *\}/g),
].map(([, id = '', readers = '', types = '']) => ({
  id,
  readers: readers.match(/\w+/g) ?? [],
  types: [...types.matchAll(/(\w+): msg/g)].map(([, type]) => `${id}.${type}`),
}))

const rows = readFileSync(path.join(ROOT, 'docs/events.md'), 'utf8')
  .split('\n')
  .filter((line) => line.startsWith('| `'))
  .map((line) => line.split(' | '))
  .map(([type = '', , , readers = '']) => ({
    type: type.replaceAll(/[|` ]/g, ''),
    readers: readers.match(/\w{3,}/g) ?? [],
  }))

test('every event of the service can be chosen in plain words, and no other', () => {
  assert.ok(rows.length > 60)
  assert.deepEqual(topics.flatMap(({ types }) => types).toSorted(), rows.map(({ type }) => type).toSorted())
})

test('a topic is offered to whoever may read its events', () => {
  for (const { type, readers } of rows) {
    const topic = topics.find(({ id }) => id === type.split('.')[0])
    assert.deepEqual(topic?.readers.length ? topic.readers : ['ADMIN'], readers, type)
  }
})
