import assert from 'node:assert/strict'
import { test } from 'node:test'
import { inspect, inspectHere, isAllowed } from '../scripts/supply.ts'

const fine = { version: '1.0.0', license: 'MIT', integrity: 'sha512-abc' }
const findingsOf = (changes: object, allowScripts: Record<string, boolean> = {}) =>
  inspect(
    { lockfileVersion: 3, packages: { '': {}, 'node_modules/a/node_modules/@b/c': { ...fine, ...changes } } },
    { allowScripts },
  ).findings

test('what we use is pinned, has a licence that we know, and runs no script that we do not', () => {
  assert.deepEqual(inspectHere().findings, [])
})

test('a package without integrity, from a named host, of another licence or with a script is told', () => {
  assert.deepEqual(findingsOf({}), [])
  assert.match(findingsOf({ integrity: undefined }).join(), /^@b\/c@1\.0\.0 has no sha512 integrity/)
  assert.match(findingsOf({ integrity: 'sha1-abc' }).join(), /has no sha512 integrity/)
  assert.match(findingsOf({ resolved: 'https://elsewhere.example/c.tgz' }).join(), /from https:\/\/elsewhere\.example/)
  assert.match(findingsOf({ license: 'AGPL-3.0-only' }).join(), /licence AGPL-3\.0-only/)
  assert.deepEqual(findingsOf({ license: 'AGPL-3.0-only', dev: true }), [])
  assert.match(findingsOf({ hasInstallScript: true }).join(), /install script, which allowScripts/)
  assert.deepEqual(findingsOf({ hasInstallScript: true }, { '@b/c': true }), [])
  assert.match(findingsOf({}, { gone: true }).join(), /allowScripts names gone/)
})

test('of licences joined by OR one is enough, of those joined by AND all count', () => {
  assert.equal(isAllowed('(GPL-3.0-only OR MIT)'), true)
  assert.equal(isAllowed('(GPL-3.0-only AND MIT)'), false)
})
