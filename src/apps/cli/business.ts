import type { Command } from 'commander'
import {
  type BusinessSummary,
  createBusiness,
  findBusiness,
  listAllBusinesses,
  readMarks,
  setPaymentAccount,
  suspendBusiness,
} from '#modules/access/index.ts'
import { findConfirmedByEmail, mailImportedInvitations, proveDomain, readEmails } from '#modules/accounts/index.ts'
import { pauseSends } from '#modules/newsletter/index.ts'
import type { ControlDb, Databases } from '#platform/database/database.ts'
import { transaction } from '#platform/database/transaction.ts'
import { isStripeAccount } from '#platform/payments/stripe.ts'
import { openPayments } from '#platform/services.ts'
import type { Market } from '#vocabulary/business.ts'
import { BootError } from '../boot.ts'
import { findHome } from '../home.ts'
import { findOpenCellsNow } from '../open-cells.ts'
import { checkPin } from '../place.ts'
import { addCommand, type Cli, JSON_LINES, type Json, UsageError } from './command.ts'
import { MARKET_PRESETS } from './market-presets.ts'
import { addMoveCommand } from './move.ts'
import { printJson, printList, printResult, type Row } from './output.ts'
import { addPortableCommands } from './portable.ts'

type NewBusiness = Json & { name: string; owner: string; market: string[]; cell?: string }

const PRESET_CODES = MARKET_PRESETS.map(({ id }) => id).join(', ')

export function addBusinessCommands(program: Command, cli: Cli): void {
  const { withDatabases, config } = cli
  const business = program.command('business').description('Businesses.')
  addDomainCommands(business, cli)
  addPortableCommands(business, cli)
  addMoveCommand(business, cli)

  addCommand(business, 'create', {
    says: 'Create a business for an existing account.',
    examples: [
      'business create --name "Harbour Goods" --owner ada@example.com',
      'business create --name "Harbour Goods" --owner ada@example.com --market us --market de',
      'business create --name "Harbour Goods" --owner ada@example.com --cell eu2',
    ],
  })
    .requiredOption('--name <name>', 'its name')
    .requiredOption('--owner <email>', 'the account that becomes its ADMIN')
    .option(
      '--market <code>',
      `a market to begin with, once or several times: ${PRESET_CODES}`,
      (code, codes: string[]) => [...codes, code],
      [],
    )
    .option(
      '--cell <cell>',
      'where it is to live, also in a closed one; default: chosen by weight among those that are open',
    )
    .action(({ name, owner, market: codes, cell: pinned, json = false }: NewBusiness) => {
      if (name.trim() === '' || name.length > 200) throw new UsageError('A name has 1 to 200 letters.')
      const markets = [...new Set(codes)].map(presetOf)
      return withDatabases(async (databases) => {
        const { control } = databases
        const user = await findConfirmedByEmail(control, owner)
        if (!user)
          throw new BootError(
            `Nobody has a confirmed account with the address ${owner}. They register first, or: cli user create`,
          )
        if (pinned !== undefined) await checkPin(databases, pinned)
        const cells = await findOpenCellsNow(databases)
        if (pinned !== undefined && !cells.includes(pinned))
          throw new BootError(
            `The cell ${pinned} is not well, or an API process does not know it yet: cli doctor looks. Try again then.`,
          )
        const made = await transaction(control, (tx) =>
          createBusiness(
            tx,
            { ownerId: user.id, ownerEmail: user.email, actor: undefined, cells, pinned },
            { name, markets },
          ),
        )
        const { id, slug, cell } = made
        const result = { id, name, slug, cell, owner, markets: markets.map((market) => market.id) }
        printResult(json, result, `${id}  ${name}  (cell ${cell}, owner ${owner})`)
      })
    })

  addCommand(business, 'list', {
    says: 'List all businesses with their admins, oldest first.',
    examples: ['business list', 'business list --json | head -1'],
    json: JSON_LINES,
  }).action(({ json = false }: Json) =>
    withDatabases(async ({ control }) => {
      const rows: Row[] = []
      for await (const some of summaries(control)) {
        if (json) for (const one of some) printJson(one)
        else rows.push(...some.map(toRow))
      }
      if (!json) printList(false, COLUMNS, rows, 'There are none yet. Make one: cli business create')
    }),
  )

  addCommand(business, 'suspend <businessId>', {
    says:
      'Close a business: its routes refuse everybody, its newsletters pause. Payments under way and orders that ' +
      'expire are still completed, and subscribers can still unsubscribe.',
    examples: ['business suspend biz_4k7q2m9x1c3v', 'business suspend biz_4k7q2m9x1c3v --resume'],
  })
    .option('--resume', 'open it again; paused newsletters stay paused until somebody resumes them')
    .action((businessId: string, { resume = false, json = false }: Json & { resume?: boolean }) =>
      withDatabases((databases) => suspend(databases, businessId, { resume, json })),
    )

  addCommand(business, 'payments <businessId>', {
    says: 'Show or set the payment provider account that receives the money of a business.',
    examples: [
      'business payments biz_4k7q2m9x1c3v',
      'business payments biz_4k7q2m9x1c3v --account acct_1OtwfXHkLmTGBe2p',
    ],
  })
    .option('--account <account>', 'its connected account; "none" removes it')
    .action((businessId: string, { json = false, account: named }: Json & { account?: string }) => {
      const account = named === 'none' ? null : named
      const { providers, sharedAccount } = openPayments(config())
      const [{ isAccount } = { isAccount: isStripeAccount }] = providers
      if (typeof account === 'string' && !isAccount(account))
        throw new UsageError(`${account} is not an account such as acct_1OtwfXHkLmTGBe2p.`)
      return withDatabases(async ({ control }) => {
        const found =
          account === undefined
            ? await findBusiness(control, businessId)
            : await transaction(control, (tx) => setPaymentAccount(tx, businessId, account))
        if (!found) throw new BootError(`Business ${businessId} not found.`)
        const isShared = sharedAccount && providers.length > 0
        const { paymentAccount } = found
        const nobody = isShared ? 'the operator’s own account (STRIPE_SHARED_ACCOUNT)' : 'nobody: it cannot sell'
        const result = { id: businessId, paymentAccount, sharedAccount: paymentAccount === null && isShared }
        printResult(json, result, `${businessId}  money goes to ${paymentAccount ?? nobody}`)
      })
    })
}

function addDomainCommands(business: Command, { withDatabases }: Cli): void {
  const domain = business.command('domain').description('Domains whose people sign in with the provider of a business.')
  addCommand(domain, 'prove <businessId> <domain>', {
    says:
      'Say that a domain is this business’s, instead of its text record. Its sign-in provider can then sign in whoever ' +
      'has an address there, also into accounts that exist.',
    examples: ['business domain prove biz_4k7q2m9x1c3v harbour.example'],
  }).action((businessId: string, name: string, { json = false }: Json) =>
    withDatabases(async ({ control }) => {
      const provenAt = await proveDomain(control, businessId, name.toLowerCase())
      if (!provenAt)
        throw new BootError(`The sign-in provider of ${businessId} has no domain ${name}. Its ADMIN adds it first.`)
      printResult(json, { businessId, domain: name.toLowerCase(), provenAt }, `${name} is proven for ${businessId}`)
    }),
  )
}

function presetOf(code: string): Market {
  const found = MARKET_PRESETS.find(({ id }) => id === code)
  if (!found) throw new UsageError(`Unknown market preset ${code}. Available: ${PRESET_CODES}.`)
  return found
}

const COLUMNS = ['id', 'name', 'slug', 'cell', 'admins', 'created', 'state']

type Summary = Omit<BusinessSummary, 'adminIds'> & { admins: string[] }

async function* summaries(control: ControlDb): AsyncGenerator<Summary[]> {
  for await (const some of listAllBusinesses(control)) {
    const emails = await readEmails(control, [...new Set(some.flatMap(({ adminIds }) => adminIds))])
    yield some.map(({ adminIds, ...business }) => ({
      ...business,
      admins: adminIds.map((id) => emails.get(id) ?? id),
    }))
  }
}

const toRow = ({ admins, createdAt, ...business }: Summary): Row => ({
  ...business,
  admins: admins.join(', '),
  created: createdAt,
})

const SUSPENDED = 'The operator of this service has suspended the business.'

async function suspend(databases: Databases, businessId: string, { resume, json }: { resume: boolean; json: boolean }) {
  const { cell } = await findHome(databases, businessId)
  const { business } = await transaction(databases.control, async (tx) => {
    const suspended = await suspendBusiness(tx, businessId, !resume)
    // Only now: the lock is held, so nobody asks for its deletion between the two.
    const marks = await readMarks(tx, businessId)
    if (resume && marks?.importOf)
      throw new BootError(`${businessId} is not imported yet: cli business import goes on.`)
    if (resume && marks?.deleteAt)
      throw new BootError(`${businessId} is going to be deleted. To keep it: cli business delete ${businessId} --undo`)
    if (resume && suspended.isChanged) await mailImportedInvitations(tx, businessId)
    return suspended
  })
  const { suspendedAt } = business
  // After the business is suspended, so that no further send can be planned.
  const paused = resume ? 0 : await pauseSends(cell, businessId, SUSPENDED)
  const sentence = resume ? `${businessId} is open` : `${businessId} is suspended (${paused} newsletters paused)`
  printResult(json, { id: businessId, suspendedAt, newslettersPaused: paused }, sentence)
}
