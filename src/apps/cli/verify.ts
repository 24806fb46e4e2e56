import type { Command } from 'commander'
import { readCells } from '#platform/cells/cells.ts'
import type { ControlDb } from '#platform/database/database.ts'
import { openPayments } from '#platform/services.ts'
import { BootError } from '../boot.ts'
import { findHome } from '../home.ts'
import { cliReaders, openAllDatabases, readOnce } from '../open-cells.ts'
import { compareWithProvider, type Finding, verify } from '../verify.ts'
import { addCommand, type Cli, type Json } from './command.ts'
import { printJson } from './output.ts'

/** It reads whole tables, which takes long. */
const STATEMENT_TIMEOUT_MS = 30 * 60_000

export function addVerifyCommand(program: Command, { config }: Cli): void {
  addCommand(program, 'verify', {
    says: 'Check that stock, orders, promo codes and payments of every cell that is not off still add up. Read-only.',
    examples: [
      'verify',
      'verify --cell main',
      'verify --business biz_4k7q2m9x1c3v',
      'verify --provider',
      'verify --json',
    ],
  })
    .option('--business <businessId>', 'only one business')
    .option('--cell <cell>', 'only one cell')
    .option('--provider', 'also compare the order payments of the last day with the payment provider')
    .action(async (options: Json & { business?: string; cell?: string; provider?: boolean }) => {
      const loaded = config()
      const payments = openPayments(loaded)
      if (options.provider && payments.providers.length === 0)
        throw new BootError('No payment provider is configured: set STRIPE_SECRET_KEY and STRIPE_WEBHOOK_SECRET.')
      const databases = await openAllDatabases(loaded, {
        applicationName: 'kontor cli',
        max: 2,
        statementTimeoutMs: STATEMENT_TIMEOUT_MS,
      })
      const readers = cliReaders(loaded, STATEMENT_TIMEOUT_MS)
      const cells: { cell: string; findings: Finding[] }[] = []
      const notChecked: { cell: string; reason: 'off' }[] = []
      try {
        const home = options.business === undefined ? undefined : await findHome(databases, options.business)
        for (const [cell, db] of databases.cells) {
          if ((home && home.cell !== db) || (options.cell !== undefined && options.cell !== cell)) continue
          const findings = await readOnce(readers, db, (reader) => verify(reader, options.business))
          if (options.provider) findings.push(await compareWithProvider(db, payments, options.business))
          cells.push({ cell, findings })
          if (!options.json) printFindings(cell, findings)
        }
        const off = home ? [] : await findOff(databases.control)
        for (const cell of off)
          if (options.cell === undefined || options.cell === cell) notChecked.push({ cell, reason: 'off' })
      } finally {
        await readers.close()
        await databases.close()
      }
      if (cells.length === 0)
        throw new BootError(
          notChecked.length > 0
            ? `The cell ${options.cell} is off, so nobody can look at it. To check it: cli cells open ${options.cell}`
            : `Cell ${options.cell} not found. Run cli cells list to see all cells.`,
        )
      if (!options.json) for (const { cell, reason } of notChecked) console.log(`${cell}  not checked: ${reason}`)
      const ok = cells.every(({ findings }) => findings.every(({ violations }) => violations.length === 0))
      if (options.json) printJson({ ok, cells, notChecked })
      if (!ok) process.exitCode = 1
    })
}

async function findOff(control: ControlDb): Promise<string[]> {
  const rows = await readCells(control).catch(() => []) // control is away: a cell of CELLS is checked all the same
  return rows.filter(({ state }) => state === 'OFF').map(({ id }) => id)
}

function printFindings(cell: string, findings: readonly Finding[]): void {
  const width = Math.max(...findings.map(({ check }) => check.length))
  for (const { check, violations } of findings) {
    const verdict = violations.length === 0 ? 'ok' : `${violations.length} violations`
    console.log(`${cell}  ${check.padEnd(width)}  ${verdict}`)
    for (const violation of violations) console.log(`${cell}    ${JSON.stringify(violation)}`)
  }
}
