import type { Command } from 'commander'
import { rebuildContent } from '#modules/content/index.ts'
import { showProgress } from '../progress.ts'
import { addCommand, type Cli, JSON_LINES, type Json } from './command.ts'
import { printResult } from './output.ts'

export function addContentCommands(program: Command, { withDatabases }: Cli): void {
  const content = program.command('content').description('Collections and entries.')
  addCommand(content, 'rebuild', {
    says: 'Rebuild the stored documents and search terms of collections and entries. The service can go on meanwhile.',
    examples: ['content rebuild', 'content rebuild --business biz_4k7q2m9x1c3v'],
    json: JSON_LINES,
  })
    .option('--business <businessId>', 'only one business')
    .action(({ business, json = false }: Json & { business?: string }) =>
      withDatabases(async ({ cells }) => {
        for (const [name, cell] of cells) {
          const bar = showProgress(name, 'entries')
          const done = await rebuildContent(cell, { businessId: business, progress: (count) => bar.update(count) })
          bar.end(done.entries)
          const { collections, entries } = done
          printResult(
            json,
            { cell: name, collections, entries },
            `${name}: ${collections} collections, ${entries} entries rebuilt`,
          )
        }
      }),
    )
}
