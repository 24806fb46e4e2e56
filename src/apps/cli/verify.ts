import type { Command } from 'commander'
import { openDatabases } from '#platform/database/database.ts'
import { openPayments } from '#platform/services.ts'
import { BootError } from '../boot.ts'
import { compareWithProvider, type Finding, verify } from '../verify.ts'
import { addCommand, type Cli, type Json } from './command.ts'
import { printJson } from './output.ts'

/** Whole tables are read, which takes as long as it takes. */
const STATEMENT_TIMEOUT_MS = 30 * 60_000

export function addVerifyCommand(program: Command, { config }: Cli): void {
  addCommand(program, 'verify', {
    says: 'Look whether stock, orders, promo codes and payments of every cell still add up. Changes nothing.',
    examples: ['verify', 'verify --provider', 'verify --json'],
  })
    .option('--provider', 'also ask the payment provider about each payment of an order of the last day')
    .action(async (options: Json & { provider?: boolean }) => {
      const loaded = config()
      const { provider } = openPayments(loaded)
      if (options.provider && !provider)
        throw new BootError('No payment provider is configured: set STRIPE_SECRET_KEY and STRIPE_WEBHOOK_SECRET.')
      const databases = openDatabases(loaded.databases, {
        applicationName: 'kontor cli',
        max: 2,
        statementTimeoutMs: STATEMENT_TIMEOUT_MS,
      })
      const cells: { cell: string; findings: Finding[] }[] = []
      try {
        for (const [cell, db] of databases.cells) {
          const findings = await verify(db)
          if (options.provider && provider) findings.push(await compareWithProvider(db, provider))
          cells.push({ cell, findings })
          if (!options.json) tell(cell, findings)
        }
      } finally {
        await databases.close()
      }
      const ok = cells.every(({ findings }) => findings.every(({ violations }) => violations.length === 0))
      if (options.json) printJson({ ok, cells })
      if (!ok) process.exitCode = 1
    })
}

function tell(cell: string, findings: readonly Finding[]): void {
  const width = Math.max(...findings.map(({ check }) => check.length))
  for (const { check, violations } of findings) {
    const verdict = violations.length === 0 ? 'ok' : `${violations.length} violations`
    console.log(`${cell}  ${check.padEnd(width)}  ${verdict}`)
    for (const violation of violations) console.log(`${cell}    ${JSON.stringify(violation)}`)
  }
}
