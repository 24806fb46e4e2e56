import type { Command } from 'commander'
import { approveOrigin, resealSigningKeys, rotateSigningKey } from '#modules/accounts/index.ts'
import { createSecretBox } from '#platform/crypto/secret-box.ts'
import { transaction } from '#platform/database/transaction.ts'
import { isOrigin } from '#vocabulary/origins.ts'
import { addCommand, type Cli, type Json, UsageError } from './command.ts'
import { printResult } from './output.ts'

export function addOriginCommands(program: Command, { withDatabases }: Cli): void {
  const origins = program.command('origins').description('Origins to which links in mails and logins may lead.')
  addCommand(origins, 'approve <origin>', {
    says: 'Allow an origin, besides PUBLIC_URL and ALLOWED_ORIGINS.',
    examples: ['origins approve https://shop.example.com'],
  }).action((origin: string, { json = false }: Json) => {
    if (!isOrigin(origin))
      throw new UsageError(
        `${origin} is not an origin such as https://shop.example.com (no path, no slash at the end).`,
      )
    return withDatabases(async ({ control }) => {
      await transaction(control, (tx) => approveOrigin(tx, origin))
      printResult(json, { origin }, `${origin} is approved`)
    })
  })
}

export function addKeyCommands(program: Command, { config, withDatabases }: Cli): void {
  const keys = program.command('keys').description('Keys that sign access tokens.')
  addCommand(keys, 'rotate', {
    says: 'Announce a new signing key; it signs in 15 minutes. Seals all keys under the first SECRET_KEY.',
    examples: ['keys rotate'],
  }).action(({ json = false }: Json) =>
    withDatabases(async ({ control }) => {
      const box = createSecretBox(config().secretKeys)
      const { kid, activeFrom } = await transaction(control, async (tx) => {
        await resealSigningKeys(tx, box)
        return rotateSigningKey(tx, box)
      })
      printResult(json, { kid, activeFrom }, `${kid} signs from ${activeFrom.toISOString()}`)
    }),
  )
}
