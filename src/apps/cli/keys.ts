import type { Command } from 'commander'
import { findBusiness, findBusinessBySlug } from '#modules/access/index.ts'
import {
  approveOrigin,
  createApiKey,
  findConfirmedByEmail,
  listApiKeys,
  listSigningKeys,
  removeApiKey,
  resealFactors,
  resealProviders,
  resealSigningKeys,
  revokeSigningKey,
  rotateSigningKey,
} from '#modules/accounts/index.ts'
import { resealCallouts } from '#modules/callouts/index.ts'
import { resealEndpoints, resealOperatorEndpoints } from '#modules/webhooks/index.ts'
import { readCells, resealCells } from '#platform/cells/cells.ts'
import { nowMs } from '#platform/clock.ts'
import { createSecretBox } from '#platform/crypto/secret-box.ts'
import type { Control, ControlDb } from '#platform/database/database.ts'
import { transaction } from '#platform/database/transaction.ts'
import { isOriginOrPrefix } from '#vocabulary/origins.ts'
import { PERMISSIONS, type Permission } from '#vocabulary/permissions.ts'
import { fromSeconds } from '#vocabulary/time.ts'
import { BootError } from '../boot.ts'
import { makeSure } from './ask.ts'
import { addCommand, type Cli, JSON_LINES, type Json, UsageError } from './command.ts'
import { printList, printResult } from './output.ts'

type NewKey = Json & { user: string; business?: string; name: string; permission?: string[]; days?: string }

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
    says:
      'Announce a new signing key; it signs in 15 minutes. Seals all that the service keeps secret under the first SECRET_KEY: keys, second ' +
      'factors, webhooks, callouts, sign-in providers and addresses of cells.',
    examples: ['keys rotate'],
  }).action(({ json = false }: Json) =>
    withDatabases(async ({ control, cells }) => {
      const box = createSecretBox(config().secretKeys)
      await resealFactors(control, box)
      await resealOperatorEndpoints(control, box)
      for (const cell of cells.values()) await resealEndpoints(cell, box)
      const { kid, activeFrom } = await transaction(control, async (tx) => {
        await resealSigningKeys(tx, box)
        await resealProviders(tx, box)
        await resealCallouts(tx, box)
        await resealCells(tx, box)
        return rotateSigningKey(tx, box)
      })
      const left = (await readCells(control)).filter(({ state }) => state === 'OFF').map(({ id }) => id)
      printResult(json, { kid, activeFrom, left }, `${kid} signs from ${activeFrom.toISOString()}`)
      if (left.length > 0)
        console.error(
          `The secrets of webhooks in cells that are off still need the old SECRET_KEY: ${left.join(', ')}. Keep it until they are on ` +
            'again and you have run this once more.',
        )
    }),
  )

  addCommand(keys, 'create', {
    says: 'Create an API key with the permissions of a user, or some of them. It is shown only once.',
    examples: [
      'keys create --user ada@example.com --name "Import script"',
      'keys create --user ada@example.com --business harbour-goods-1c3v9',
      'keys create --user ada@example.com --permission ORDERS_READ --days 90',
    ],
  })
    .requiredOption('--user <email>', 'the account whose key it becomes')
    .option('--business <business>', 'limit the key to this business: its id or its slug')
    .option('--permission <permission>', 'limit the key to this permission; repeat it for several', collect)
    .option('--days <days>', 'refuse the key after so many days')
    .option('--name <name>', 'what its owner sees in the list of keys', 'API key')
    .action(({ user, business, name, permission, days, json = false }: NewKey) => {
      if (name.trim() === '' || name.length > 200) throw new UsageError('A name has 1 to 200 letters.')
      const permissions = permission && permissionsOf(permission)
      const expiresAt = days === undefined ? null : inDays(days)
      return withDatabases(async ({ control }) => {
        const { id: userId } = await getConfirmed(control, user)
        const businessId = business === undefined ? null : (await getBusiness(control, business)).id
        const wanted = { name, businessId, permissions: permissions ?? null, expiresAt }
        const box = createSecretBox(config().secretKeys)
        const { id, value } = await transaction(control, (tx) => createApiKey(tx, box, { userId }, wanted))
        printResult(json, { id, userId, ...wanted, value }, value)
        if (!json) console.error('Keep it safe: this is the only time that it is shown.')
      })
    })

  addCommand(keys, 'list', {
    says:
      'List the keys that sign tokens, oldest first: which one signs, is announced, or only verifies older tokens. ' +
      'With --user, the API keys of an account.',
    examples: ['keys list', 'keys list --user ada@example.com'],
    json: JSON_LINES,
  })
    .option('--user <email>', 'list the API keys of this account')
    .action(({ user, json = false }: Json & { user?: string }) =>
      withDatabases(async ({ control }) => {
        if (user !== undefined) return listOf(control, user, json)
        const rows = (await listSigningKeys(control)).map(({ kid, state, activeFrom }) => ({ kid, state, activeFrom }))
        printList(json, ['kid', 'state', 'activeFrom'], rows, 'There are none yet: the first login makes one.')
      }),
    )

  addCommand(keys, 'revoke <key>', {
    says:
      'Revoke a signing key at once, because it may have leaked. Users with a token that it signed have to log in again; if ' +
      'it is the current key, another one takes over. With --user, revoke an API key of that account.',
    examples: ['keys revoke key_4k7q2m9x1c3v', 'keys revoke --user ada@example.com key_01jcq3v7k8f5t9x2m4n6p8r0sw'],
  })
    .option('--user <email>', 'revoke an API key of this account')
    .option('--yes', 'do not ask')
    .action(async (id: string, { user, yes = false, json = false }: Json & { user?: string; yes?: boolean }) => {
      await makeSure(
        yes,
        user === undefined
          ? `Everybody whose tokens ${id} signed has to log in again.`
          : `Whatever uses the key ${id} of ${user} is refused from then on.`,
      )
      return withDatabases(({ control }) =>
        user === undefined ? revokeSigning(control, id, json) : revokeOf(control, user, id, json),
      )
    })

  async function revokeSigning(control: Control, kid: string, json: boolean): Promise<void> {
    const box = createSecretBox(config().secretKeys)
    const signsNow = await transaction(control, (tx) => revokeSigningKey(tx, box, kid))
    if (!signsNow) throw new BootError(`Signing key ${kid} not found. Run cli keys list to see all keys.`)
    printResult(json, { kid, signsNow }, `${kid} is revoked; ${signsNow} signs`)
  }
}

async function listOf(control: ControlDb, email: string, json: boolean): Promise<void> {
  const { id } = await getConfirmed(control, email)
  const rows = (await listApiKeys(control, id)).map((key) => ({
    id: key.id,
    name: key.name,
    value: key.value,
    business: key.businessId,
    permissions: key.permissions?.join(' ') ?? null,
    expiresAt: dateOf(key.expiresAt),
    lastUsedAt: dateOf(key.lastUsedAt),
  }))
  const columns = ['id', 'name', 'value', 'business', 'permissions', 'expiresAt', 'lastUsedAt']
  printList(json, columns, rows, `${email} has no API keys.`)
}

const dateOf = (seconds: number | null) => (seconds === null ? null : fromSeconds(seconds))

async function revokeOf(control: Control, email: string, id: string, json: boolean): Promise<void> {
  const { id: userId } = await getConfirmed(control, email)
  const isGone = await transaction(control, (tx) => removeApiKey(tx, { userId }, id))
  if (!isGone) throw new BootError(`${email} has no API key ${id}. cli keys list --user ${email} shows them.`)
  printResult(json, { id, userId }, `${id} of ${email} is revoked`)
}

const collect = (value: string, before: string[] = []) => [...before, value]

function permissionsOf(named: readonly string[]): Permission[] {
  const unknown = named.find((each) => !(PERMISSIONS as readonly string[]).includes(each))
  if (unknown !== undefined)
    throw new UsageError(`Unknown permission ${unknown}. Available: ${PERMISSIONS.join(', ')}.`)
  return PERMISSIONS.filter((permission) => named.includes(permission))
}

const MOST_DAYS = 3_650

function inDays(text: string): Date {
  const days = Number(text)
  if (!Number.isInteger(days) || days < 1 || days > MOST_DAYS)
    throw new UsageError(`--days must be a whole number from 1 to ${MOST_DAYS}.`)
  return new Date(nowMs() + days * 86_400_000)
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
  if (!found) throw new BootError(`Business ${name} not found. Run cli business list to see all businesses.`)
  return found
}
