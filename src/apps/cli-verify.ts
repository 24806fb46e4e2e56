import type { Command } from 'commander'
import type { Config } from '#platform/config.ts'
import { openDatabases } from '#platform/database/database.ts'
import { openPayments } from '#platform/services.ts'
import { BootError } from './boot.ts'
import { compareWithProvider, type Finding, verify } from './verify.ts'

/** Whole tables are read, which takes as long as it takes. */
const STATEMENT_TIMEOUT_MS = 30 * 60_000

export function addVerifyCommand(program: Command, config: () => Config): void {
  program
    .command('verify')
    .description('Look whether stock, orders, promo codes and payments of every cell still add up. Changes nothing.')
    .option('--provider', 'also ask the payment provider about each payment of an order of the last day')
    .action(async (options: { provider?: boolean }) => {
      const loaded = config()
      const { provider } = openPayments(loaded)
      if (options.provider && !provider) throw new BootError('No payment provider is configured.')
      const databases = openDatabases(loaded.databases, {
        applicationName: 'kontor cli',
        max: 2,
        statementTimeoutMs: STATEMENT_TIMEOUT_MS,
      })
      try {
        for (const [name, cell] of databases.cells) {
          const findings = await verify(cell)
          if (options.provider && provider) findings.push(await compareWithProvider(cell, provider))
          tell(name, findings)
        }
      } finally {
        await databases.close()
      }
    })
}

function tell(cell: string, findings: readonly Finding[]): void {
  const width = Math.max(...findings.map(({ check }) => check.length))
  for (const { check, violations } of findings) {
    const verdict = violations.length === 0 ? 'ok' : `${violations.length} violations`
    console.log(`${cell}  ${check.padEnd(width)}  ${verdict}`)
    for (const violation of violations) console.log(`${cell}    ${JSON.stringify(violation)}`)
    if (violations.length > 0) process.exitCode = 1
  }
}
