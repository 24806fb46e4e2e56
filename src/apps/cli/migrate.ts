import type { Command } from 'commander'
import { loadDatabases, loadExtensionFiles } from '#platform/config.ts'
import { migrate } from '#platform/database/migrate.ts'
import { openExtensions } from '../extensions.ts'
import { addCommand, type Cli, JSON_LINES, type Json } from './command.ts'
import { printJson } from './output.ts'

export function addMigrateCommand(program: Command, _cli: Cli): void {
  addCommand(program, 'migrate', {
    says: 'Bring every database up to date, for Kontor and for the extensions of KONTOR_EXTENSIONS. Safe to run from several machines at once.',
    examples: ['migrate'],
    json: JSON_LINES,
  }).action(async ({ json = false }: Json) => {
    const { control, cells } = loadDatabases(process.env)
    const extensions = await openExtensions({ extensions: loadExtensionFiles(process.env) })
    const sets = extensions.map(({ migrations }) => migrations)
    const targets = [
      { name: 'main', directUrl: control.directUrl, kinds: ['control', 'cell'] as const },
      ...Object.entries(cells).map(([name, { directUrl }]) => ({ name, directUrl, kinds: ['cell'] as const })),
    ]
    for (const { name, directUrl, kinds } of targets) {
      const applied = await migrate(directUrl, kinds, sets)
      if (json) printJson({ cell: name, applied })
      else {
        for (const migration of applied) console.log(`${name}: applied ${migration}`)
        console.log(`${name}: up to date`)
      }
    }
  })
}
