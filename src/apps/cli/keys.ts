import type { Command } from 'commander'
import { findBusiness, findBusinessBySlug } from '#modules/access/index.ts'
import {
  addApiKey,
  approveOrigin,
  findConfirmedByEmail,
  listSigningKeys,
  resealFactors,
  resealSigningKeys,
  revokeSigningKey,
  rotateSigningKey,
} from '#modules/accounts/index.ts'
import { createSecretBox } from '#platform/crypto/secret-box.ts'
import type { ControlDb } from '#platform/database/database.ts'
import { transaction } from '#platform/database/transaction.ts'
import { isOriginOrPrefix } from '#vocabulary/origins.ts'
import { BootError } from '../boot.ts'
import { makeSure } from './ask.ts'
import { addCommand, type Cli, JSON_LINES, type Json, UsageError } from './command.ts'
import { printList, printResult } from './output.ts'

type NewKey = Json & { user: string; business?: string; name: string }

export function addOriginCommands(program: Command, { withDatabases }: Cli): void {
  const origins = program.command('origins').description('Origins to which links in mails and logins may lead.')
  addCommand(origins, 'approve <origin>', {
    says: 'Allow an origin, besides PUBLIC_URL and ALLOWED_ORIGINS.',
    examples: ['origins approve https://shop.example.com'],
  }).action((origin: string, { json = false }: Json) => {
    if (!isOriginOrPrefix(origin))
      throw new UsageError(
        `${origin} is not an origin such as https://shop.example.com (no slash at the end), nor one with a path.`,
      )
    return withDatabases(async ({ control }) => {
      await transaction(control, (tx) => approveOrigin(tx, origin))
      printResult(json, { origin }, `${origin} is approved`)
    })
  })
}

export function addKeyCommands(program: Command, { config, withDatabases }: Cli): void {
  const keys = program.command('keys').description('API keys, and the keys that sign tokens.')
  addCommand(keys, 'rotate', {
    says: 'Announce a new signing key; it signs in 15 minutes. Seals all keys, and the secrets of second factors, under the first SECRET_KEY.',
    examples: ['keys rotate'],
  }).action(({ json = false }: Json) =>
    withDatabases(async ({ control }) => {
      const box = createSecretBox(config().secretKeys)
      await resealFactors(control, box)
      const { kid, activeFrom } = await transaction(control, async (tx) => {
        await resealSigningKeys(tx, box)
        return rotateSigningKey(tx, box)
      })
      printResult(json, { kid, activeFrom }, `${kid} signs from ${activeFrom.toISOString()}`)
    }),
  )

  addCommand(keys, 'create', {
    says: 'Create an API key with the permissions of a user. It is shown only once.',
    examples: [
      'keys create --user ada@example.com --name "Import script"',
      'keys create --user ada@example.com --business harbour-goods-1c3v9',
    ],
  })
    .requiredOption('--user <email>', 'the account whose key it becomes')
    .option('--business <business>', 'limit the key to this business: its id or its slug')
    .option('--name <name>', 'what its owner sees in the list of keys', 'API key')
    .action(({ user, business, name, json = false }: NewKey) => {
      if (name.trim() === '' || name.length > 200) throw new UsageError('A name has 1 to 200 letters.')
      return withDatabases(async ({ control }) => {
        const { id: userId } = await getConfirmed(control, user)
        const businessId = business === undefined ? undefined : (await getBusiness(control, business)).id
        const box = createSecretBox(config().secretKeys)
        const { id, value } = await transaction(control, (tx) => addApiKey(tx, box, { userId, name, businessId }))
        printResult(json, { id, name, userId, businessId: businessId ?? null, value }, value)
        if (!json) console.error('Keep it safe: this is the only time that it is shown.')
      })
    })

  addCommand(keys, 'list', {
    says: 'List the keys that sign tokens, oldest first: which one signs, is announced, or only verifies older tokens.',
    examples: ['keys list'],
    json: JSON_LINES,
  }).action(({ json = false }: Json) =>
    withDatabases(async ({ control }) => {
      const rows = (await listSigningKeys(control)).map(({ kid, state, activeFrom }) => ({ kid, state, activeFrom }))
      printList(json, ['kid', 'state', 'activeFrom'], rows, 'There are none yet: the first login makes one.')
    }),
  )

  addCommand(keys, 'revoke <kid>', {
    says:
      'Revoke a signing key at once, because it may have leaked. Users with a token that it signed have to log in again; if ' +
      'it is the current key, another one takes over.',
    examples: ['keys revoke key_4k7q2m9x1c3v'],
  })
    .option('--yes', 'do not ask')
    .action(async (kid: string, { yes = false, json = false }: Json & { yes?: boolean }) => {
      await makeSure(yes, `Everybody whose tokens ${kid} signed has to log in again.`)
      return withDatabases(async ({ control }) => {
        const box = createSecretBox(config().secretKeys)
        const signsNow = await transaction(control, (tx) => revokeSigningKey(tx, box, kid))
        if (!signsNow) throw new BootError(`There is no signing key ${kid}. cli keys list shows them.`)
        printResult(json, { kid, signsNow }, `${kid} is revoked; ${signsNow} signs`)
      })
    })
}

async function getConfirmed(control: ControlDb, email: string) {
  const user = await findConfirmedByEmail(control, email)
  if (!user)
    throw new BootError(
      `Nobody has a confirmed account with the address ${email}. They register first, or: cli user create`,
    )
  return user
}

async function getBusiness(control: ControlDb, name: string) {
  const found = (await findBusiness(control, name)) ?? (await findBusinessBySlug(control, name))
  if (!found) throw new BootError(`There is no business ${name}. cli business list shows them.`)
  return found
}
