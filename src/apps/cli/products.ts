import type { Command } from 'commander'
import { rebuildProducts } from '#modules/catalog/index.ts'
import { showProgress } from '../progress.ts'
import { addCommand, type Cli, JSON_LINES, type Json } from './command.ts'
import { printResult } from './output.ts'

export function addProductCommands(program: Command, { withDatabases }: Cli): void {
  const products = program.command('products').description('Products. To move them in and out: import, export.')
  addCommand(products, 'rebuild', {
    says: 'Make documents and search terms anew from the rows. The service can go on meanwhile.',
    examples: ['products rebuild', 'products rebuild --business biz_4k7q2m9x1c3v'],
    json: JSON_LINES,
  })
    .option('--business <businessId>', 'only those of one business')
    .action(({ business, json = false }: Json & { business?: string }) =>
      withDatabases(async ({ cells }) => {
        for (const [name, cell] of cells) {
          const bar = showProgress(name, 'products')
          const done = await rebuildProducts(cell, { businessId: business, progress: (count) => bar.update(count) })
          bar.end(done)
          printResult(json, { cell: name, products: done }, `${name}: ${done} products rebuilt`)
        }
      }),
    )
}
