import type { Command } from 'commander'
import { rebuildContent } from '#modules/content/index.ts'
import type { Databases } from '#platform/database/database.ts'

type WithDatabases = (work: (databases: Databases) => Promise<void>) => Promise<void>

export function addContentCommands(program: Command, withDatabases: WithDatabases): void {
  program
    .command('content')
    .description('Collections and entries.')
    .command('rebuild')
    .description('Make documents and what entries are found by anew from the rows. The service can go on meanwhile.')
    .option('--business <businessId>', 'only those of one business')
    .action((options: { business?: string }) =>
      withDatabases(async ({ cells }) => {
        for (const [name, cell] of cells) {
          const progress = (done: number) => process.stderr.write(`${name}: ${done}\n`)
          const { collections, entries } = await rebuildContent(cell, { businessId: options.business, progress })
          console.log(`${name}: ${collections} collections, ${entries} entries rebuilt`)
        }
      }),
    )
}
