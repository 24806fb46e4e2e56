import { Command } from 'commander'
import { sql } from 'kysely'
import { createBusiness } from '#modules/access/index.ts'
import { approveOrigin, findConfirmedByEmail, resealSigningKeys, rotateSigningKey } from '#modules/accounts/index.ts'
import { loadConfig, loadDatabases } from '#platform/config.ts'
import { createSecretBox } from '#platform/crypto/secret-box.ts'
import { type Databases, openDatabases } from '#platform/database/database.ts'
import { migrate } from '#platform/database/migrate.ts'
import { transaction } from '#platform/database/transaction.ts'
import { VERSION } from '#platform/version.ts'
import { AppError } from '#vocabulary/errors.ts'
import { isOrigin } from '#vocabulary/origins.ts'
import { BootError, boot } from './boot.ts'
import { addContentCommands } from './cli-content.ts'
import { addNewsletterCommands } from './cli-newsletter.ts'
import { addProductCommands } from './cli-products.ts'
import { addVerifyCommand } from './cli-verify.ts'

const program = new Command('kontor').description('Commands for the operator of a Kontor service.').version(VERSION)

const config = () => loadConfig(process.env)

async function withDatabases(work: (databases: Databases) => Promise<void>): Promise<void> {
  const databases = openDatabases(config().databases, { applicationName: 'kontor cli', max: 2 })
  try {
    await work(databases)
  } finally {
    await databases.close()
  }
}

program
  .command('migrate')
  .description('Bring every database up to date. Safe to run from several machines at once.')
  .action(async () => {
    const { control, cells } = loadDatabases(process.env)
    const targets = [
      { name: 'main', directUrl: control.directUrl, kinds: ['control', 'cell'] as const },
      ...Object.entries(cells).map(([name, { directUrl }]) => ({ name, directUrl, kinds: ['cell'] as const })),
    ]
    for (const { name, directUrl, kinds } of targets) {
      const applied = await migrate(directUrl, kinds)
      for (const migration of applied) console.log(`${name}: applied ${migration}`)
      console.log(`${name}: up to date`)
    }
  })

const keys = program.command('keys').description('Keys that sign access tokens.')
keys
  .command('rotate')
  .description('Announce a new signing key; it signs in 15 minutes. Seals all keys under the first SECRET_KEY.')
  .action(() =>
    withDatabases(async ({ control }) => {
      const box = createSecretBox(config().secretKeys)
      const { kid, activeFrom } = await transaction(control, async (tx) => {
        await resealSigningKeys(tx, box)
        return rotateSigningKey(tx, box)
      })
      console.log(`${kid} signs from ${activeFrom.toISOString()}`)
    }),
  )

const business = program.command('business').description('Businesses.')
business
  .command('create')
  .description('Create a business for somebody who has an account.')
  .requiredOption('--name <name>', 'its name')
  .requiredOption('--owner <email>', 'the account that becomes its ADMIN')
  .addHelpText('after', '\nExample:\n  npm run cli -- business create --name "Harbour Goods" --owner ada@example.com')
  .action(({ name, owner }: { name: string; owner: string }) =>
    withDatabases(async ({ control, cells }) => {
      const user = await findConfirmedByEmail(control, owner)
      if (!user)
        throw new BootError(`Nobody has a confirmed account with the address ${owner}. They have to register first.`)
      const made = await transaction(control, (tx) =>
        createBusiness(tx, { ownerId: user.id, actor: undefined, cells: cells.keys() }, { name }),
      )
      console.log(`${made.id}  ${made.name}  (cell ${made.cell}, owner ${owner})`)
    }),
  )

program
  .command('origins')
  .description('Origins to which links in mails and logins may lead.')
  .command('approve <origin>')
  .description('Allow an origin, besides PUBLIC_URL and ALLOWED_ORIGINS.')
  .addHelpText('after', '\nExample:\n  npm run cli -- origins approve https://shop.example.com')
  .action((origin: string) =>
    withDatabases(async ({ control }) => {
      if (!isOrigin(origin))
        throw new BootError(
          `${origin} is not an origin such as https://shop.example.com (no path, no slash at the end).`,
        )
      await transaction(control, (tx) => approveOrigin(tx, origin))
      console.log(`${origin} is approved`)
    }),
  )

addProductCommands(program, withDatabases)
addContentCommands(program, withDatabases)
addNewsletterCommands(program, withDatabases, config)
addVerifyCommand(program, config)

const jobs = program.command('jobs').description('Background jobs.')
jobs
  .command('dead')
  .description('Jobs that are out of attempts and wait for a person.')
  .action(() =>
    withDatabases(async ({ cells }) => {
      for (const [name, cell] of cells) {
        const { rows } = await sql<{ id: number; task: string; attempts: number; lastError: string | null }>`
          select jobs.id, task_identifier as task, attempts, last_error
            from graphile_worker.jobs
           where attempts >= max_attempts and locked_at is null
           order by jobs.id limit 200`.execute(cell)
        for (const { id, task, attempts, lastError } of rows) {
          console.log(`${name}  ${id}  ${task}  ${attempts} attempts  ${lastError?.split('\n')[0] ?? ''}`)
        }
        if (rows.length === 0) console.log(`${name}: none`)
      }
    }),
  )

await boot(async () => {
  try {
    await program.parseAsync()
  } catch (error) {
    if (error instanceof AppError) throw new BootError(error.message)
    throw error
  }
})
