import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import path from 'node:path'
import { test } from 'node:test'

const read = (file: string) => readFileSync(path.join(import.meta.dirname, '..', file), 'utf8')

test('of every table it is decided what becomes of a person in it', () => {
  const said = read('docs/decisions/0050-erase.md')
  const named = new Set([...said.matchAll(/`([a-z]+\.[a-z_]+)`/g)].map(([, name]) => name))
  const tables = ['control', 'cell'].flatMap((kind) =>
    [...read(`src/platform/database/${kind}-tables.ts`).matchAll(/^ {2}'(\w+)\.(\w+)': /gm)].map(
      ([, schema, name = '']) => `${schema}.${name.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`)}`,
    ),
  )
  assert.ok(tables.length > 90, `${tables.length} tables are known`)
  assert.deepEqual(
    tables.filter((name) => !named.has(name)),
    [],
    'decide it in docs/decisions/0050-erase.md',
  )
})
