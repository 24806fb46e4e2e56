import type { Command } from 'commander'
import { grantRole } from '#modules/access/index.ts'
import {
  addOperator,
  createUser,
  findByEmail,
  listOperators,
  register,
  removeAllFactors,
  removeOperator,
  resumeUser,
  suspendUser,
} from '#modules/accounts/index.ts'
import { pagesUrlOf } from '#platform/config.ts'
import type { ControlDb } from '#platform/database/database.ts'
import { transaction } from '#platform/database/transaction.ts'
import { isEmail } from '#vocabulary/email.ts'
import { BootError } from '../boot.ts'
import { askSecret, canAsk, readSecret } from './ask.ts'
import { addCommand, type Cli, JSON_LINES, type Json, UsageError } from './command.ts'
import { printList, printResult } from './output.ts'

type NewUser = Json & { email: string; password?: string; name?: string; confirmed?: boolean }

export function addUserCommands(program: Command, cli: Cli): void {
  const users = program.command('user').alias('users').description('Accounts of people.')

  addCommand(users, 'create', {
    says: 'Create an account. An existing one is not changed.',
    examples: [
      'user create --email ada@example.com --name "Ada Byron" --confirmed',
      'user create --email ada@example.com --confirmed < password.txt',
    ],
  })
    .requiredOption('--email <address>', 'its address')
    .option('--password <password>', 'visible to others on this machine: better typed at the prompt, or piped in')
    .option('--name <name>', 'the name of the person')
    .option('--confirmed', 'the address is known to be theirs; without this they get a mail to confirm it')
    .action((options: NewUser) => {
      if (!isEmail(options.email)) throw new UsageError(`${options.email} is not an address such as ada@example.com.`)
      if ((options.name ?? '').length > 200) throw new UsageError('A name has 200 letters at most.')
      return cli.withDatabases(({ control }) => create(cli, control, options))
    })

  addCommand(users, 'grant <email> <businessId> <role>', {
    says: 'Grant a role of a business, by its name or id.',
    examples: ['user grant ada@example.com biz_4k7q2m9x1c3v Admin'],
  }).action((email: string, businessId: string, role: string, { json = false }: Json) =>
    cli.withDatabases(async ({ control }) => {
      const { id, confirmedAt } = await getUser(control, email)
      if (!confirmedAt) throw new BootError(`${email} has not confirmed the address yet.`)
      const granted = await transaction(control, (tx) => grantRole(tx, { businessId, userId: id, role }))
      const result = { userId: id, email, businessId, roleId: granted.id, role: granted.name }
      printResult(json, result, `${email} has the role ${granted.name} in ${businessId}`)
    }),
  )

  addCommand(users, 'suspend <email>', {
    says: 'End all sessions of an account and block its logins. Its API keys stop working, too.',
    examples: ['user suspend mallory@example.com', 'user suspend mallory@example.com --resume'],
  })
    .option('--resume', 'let it log in again')
    .action((email: string, { resume = false, json = false }: Json & { resume?: boolean }) =>
      cli.withDatabases(async ({ control }) => {
        const { id } = await getUser(control, email)
        if (resume) {
          await transaction(control, (tx) => resumeUser(tx, id))
          return printResult(json, { id, email, suspended: false }, `${email} can log in again`)
        }
        const ended = await transaction(control, (tx) => suspendUser(tx, id))
        const sentence = `${email} is suspended (${ended} sessions ended)`
        printResult(json, { id, email, suspended: true, sessionsEnded: ended }, sentence)
      }),
    )

  addOperatorCommands(users, cli)

  const factors = users.command('second-factor').description('Second factors and passkeys of people.')
  addCommand(factors, 'remove <email>', {
    says: 'Remove the second factor, its recovery codes and the passkeys of somebody who has lost them. They are told by mail.',
    examples: ['user second-factor remove ada@example.com'],
  }).action((email: string, { json = false }: Json) =>
    cli.withDatabases(async ({ control }) => {
      const { id } = await getUser(control, email)
      const removed = await transaction(control, (tx) => removeAllFactors(tx, id))
      const sentence = removed
        ? `${email} has no second factor any more; all their sessions have ended`
        : `${email} has no second factor and no passkey`
      printResult(json, { id, email, removed }, sentence)
    }),
  )
}

function addOperatorCommands(users: Command, { withDatabases }: Cli): void {
  const operator = users
    .command('operator')
    .description('Operators: people who see and change what concerns every business.')

  addCommand(operator, 'add <email>', {
    says: 'Make somebody an operator. They get in with a second factor only: a code of an app, or a passkey.',
    examples: ['user operator add ada@example.com'],
  }).action((email: string, { json = false }: Json) =>
    withDatabases(async ({ control }) => {
      const { id, confirmedAt } = await getUser(control, email)
      if (!confirmedAt) throw new BootError(`${email} has not confirmed the address yet.`)
      const added = await transaction(control, (tx) => addOperator(tx, id))
      const found = (await listOperators(control)).find(({ userId }) => userId === id)
      const hasSecondFactor = found?.hasSecondFactor ?? false
      const is = added ? `${email} is an operator now` : `${email} is an operator already`
      const needs = 'and needs a second factor before any operator route opens: an app for codes, or a passkey'
      printResult(json, { id, email, added, hasSecondFactor }, hasSecondFactor ? is : `${is}, ${needs}`)
    }),
  )

  addCommand(operator, 'remove <email>', {
    says: 'From now on they are an operator no more. Their sessions go on as those of anybody else.',
    examples: ['user operator remove ada@example.com'],
  }).action((email: string, { json = false }: Json) =>
    withDatabases(async ({ control }) => {
      const { id } = await getUser(control, email)
      const removed = await transaction(control, (tx) => removeOperator(tx, id))
      const sentence = removed ? `${email} is no operator any more` : `${email} is no operator`
      printResult(json, { id, email, removed }, sentence)
    }),
  )

  addCommand(operator, 'list', {
    says: 'The operators, and whether they have a second factor yet.',
    examples: ['user operator list'],
    json: JSON_LINES,
  }).action(({ json = false }: Json) =>
    withDatabases(async ({ control }) => {
      const rows = await listOperators(control)
      const columns = ['userId', 'email', 'hasSecondFactor', 'createdAt']
      printList(json, columns, rows, 'There are none yet. Make one: cli user operator add')
    }),
  )
}

const OUTCOMES = {
  created: 'created',
  confirmed: 'confirmed: it was registered, but nobody had confirmed it; its password is the one given now',
  existed: 'exists already; nothing was changed',
  mailed: 'created; a mail asks them to confirm the address',
}

async function create(cli: Cli, control: ControlDb, { json = false, ...options }: NewUser): Promise<void> {
  const { email, name = '', confirmed = false } = options
  const printOutcome = (id: string, outcome: keyof typeof OUTCOMES) =>
    printResult(json, { id, email, outcome }, `${id}  ${email}  ${OUTCOMES[outcome]}`)

  const known = await findByEmail(control, email)
  if (known && (known.confirmedAt || !confirmed)) return printOutcome(known.id, 'existed')
  const config = cli.config()
  if (!confirmed && !config.mail)
    throw new BootError('There is no mail server to ask them to confirm the address (SMTP_URL). Or give --confirmed.')
  const password = options.password ?? (canAsk() ? await askSecret('Password:') : await readSecret())
  if (password === '') throw new BootError('Give a password: type it when asked, pipe it in, or --password.')
  if (confirmed) {
    const { id, outcome } = await createUser(control, { email, password, name })
    return printOutcome(id, outcome)
  }
  await register(control, { email, password, name, linkBase: pagesUrlOf(config), caller: undefined })
  printOutcome((await getUser(control, email)).id, 'mailed')
}

async function getUser(control: ControlDb, email: string) {
  const user = await findByEmail(control, email)
  if (!user) throw new BootError(`Nobody has an account with the address ${email}.`)
  return user
}
