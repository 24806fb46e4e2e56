import type { Command } from 'commander'
import { rebuildReports } from '#modules/reports/index.ts'
import { findHome } from '../home.ts'
import { showProgress } from '../progress.ts'
import { addCommand, type Cli, type Json } from './command.ts'
import { printResult } from './output.ts'

export function addReportCommands(program: Command, { withDatabases }: Cli): void {
  const reports = program.command('reports').description('Reports: the sums that a worker keeps of orders.')
  addCommand(reports, 'rebuild', {
    says: 'Make the sums of a business anew from its orders. The service can go on; figures are incomplete meanwhile.',
    examples: ['reports rebuild biz_4k7q2m9x1c3v'],
  })
    .argument('<businessId>', 'the business')
    .action((businessId: string, { json = false }: Json) =>
      withDatabases(async (databases) => {
        const { cell } = await findHome(databases, businessId)
        const bar = showProgress(businessId, 'orders')
        const { orders } = await rebuildReports(cell, businessId, (count) => bar.update(count))
        bar.end(orders)
        printResult(json, { businessId, orders }, `${businessId}: ${orders} orders counted`)
      }),
    )
}
