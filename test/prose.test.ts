import assert from 'node:assert/strict'
import { execFileSync, spawnSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { after, describe, test } from 'node:test'

const SCRIPT = path.resolve('scripts/prose.ts')
const BASELINE = 'scripts/prose-baseline.txt'

/** One violation per kind of text, each in the second line of its file. */
const PLANTED: Record<string, [kind: string, text: string]> = {
  'src/modules/a/price.ts': ['comment', '/** Whoever reads this. */'],
  'src/modules/a/name.ts': ['name', 'type Found = string'],
  'src/modules/a/value.ts': ['name', 'const found = 1'],
  'src/modules/a/text.ts': ['string', "const text = 'nobody has it'"],
  'src/modules/a/errors.ts': ['error', "export const gone = notFound('no such order')"],
  'src/modules/a/start.ts': ['log', "log.warn('an open letter could not be counted')"],
  'src/apps/cli/run.ts': ['CLI', "command.description('Tell whoever asks')"],
  'src/modules/a/operations.ts': ['API', 'const description = `The readers of ${name}`'],
  'packages/dashboard/src/a.ts': ['dashboard', 'export const title = t`Letters`'],
  'packages/dashboard/src/b.tsx': ['dashboard', 'export const B = () => <p>Somebody</p>'],
  'src/modules/a/mails/hello.liquid': ['email', '<p>Your parcel {{ number }}</p>'],
  'docs/openapi.json': ['API', '{ "description": "What became of it." }'],
  'docs/guide.md': ['Markdown', 'Nobody reads `somebody`.'],
  'migrations/cell/1.sql': ['migration', '-- whose books balance'],
  'test/a.test.ts': ['test', "test('nobody is told', () => {})"],
}

describe('prose check', () => {
  const folder = mkdtempSync(path.join(tmpdir(), 'kontor-prose-'))
  after(() => rmSync(folder, { recursive: true }))
  const write = (file: string, text: string) => {
    mkdirSync(path.dirname(path.join(folder, file)), { recursive: true })
    writeFileSync(path.join(folder, file), text)
  }
  const run = (...options: string[]) =>
    spawnSync(process.execPath, [SCRIPT, ...options], { cwd: folder, encoding: 'utf8' })
  execFileSync('git', ['init', '--quiet'], { cwd: folder })

  test('fails for a planted violation in each kind of text', () => {
    write(BASELINE, '')
    for (const [file, [, text]] of Object.entries(PLANTED)) write(file, `\n${text}\n`)

    const { status, stdout } = run('--check')

    assert.equal(status, 1)
    for (const [file, [kind]] of Object.entries(PLANTED))
      assert.match(stdout, new RegExp(`^${file}:2 ${kind}: `, 'm'), stdout)
    assert.doesNotMatch(stdout, /guide\.md:2 .*“somebody”/, 'inline code is not prose')
  })

  test('passes with a baseline, records lower counts, and rejects higher ones', () => {
    rmSync(path.join(folder, BASELINE))
    assert.equal(run('--write').status, 0)
    assert.equal(run('--check').status, 0)

    write('docs/guide.md', 'Nothing to find.\n')
    assert.equal(run('--check').status, 0, 'a fall that is not recorded passes')
    assert.equal(run('--write').status, 0)
    write('docs/guide.md', 'Nobody reads this.\n')
    assert.equal(run('--write').status, 1)
    assert.doesNotMatch(readFileSync(path.join(folder, BASELINE), 'utf8'), /guide\.md/)
  })

  test('lets a renamed file keep its counts', () => {
    write('docs/guide.md', '')
    write('src/modules/a/cost.ts', readFileSync(path.join(folder, 'src/modules/a/price.ts'), 'utf8'))
    assert.equal(run('--check').status, 1)
    rmSync(path.join(folder, 'src/modules/a/price.ts'))
    assert.equal(run('--check').status, 0)
  })
})
