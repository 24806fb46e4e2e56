// Writes the table types from a freshly migrated database. `--check` only reports whether the files are up to date.
import { spawnSync } from 'node:child_process'
import { readFileSync, rmSync } from 'node:fs'
import { migrate } from '#platform/database/migrate.ts'
import { withScratchDatabase } from '../test/support/database.ts'

const check = process.argv.includes('--check')
let stale = false

for (const kind of ['control', 'cell'] as const) {
  await withScratchDatabase(async (url) => {
    await migrate(url, [kind])
    const target = `src/platform/database/${kind}-tables.ts`
    const file = check ? `${target}.check.ts` : target
    const made = spawnSync(
      'node_modules/.bin/kysely-codegen',
      [
        '--url',
        url,
        '--dialect',
        'postgres',
        '--camel-case',
        '--out-file',
        file,
        '--log-level',
        'error',
        '--exclude-pattern',
        '(graphile_worker.*|*.migrations|*_default|*_y2???m??)',
        '--singularize',
        'false',
        '--type-mapping',
        '{"int8":"number"}',
        '--runtime-enums',
        'false',
      ],
      { encoding: 'utf8' },
    ) // prettier-ignore
    if (made.status !== 0) throw new Error(made.stderr || made.stdout)
    spawnSync('node_modules/.bin/biome', ['check', '--write', file])
    if (!check) return console.log(`wrote ${target}`)
    const same = readFileSync(file, 'utf8') === readFileSync(target, 'utf8')
    rmSync(file)
    if (!same) {
      stale = true
      console.error(`${target} is not what the migrations make. Run: npm run db:types`)
    }
  })
}
process.exitCode = stale ? 1 : 0
