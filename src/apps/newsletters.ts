import type { FastifyBaseLogger } from 'fastify'
import {
  createDeliverer,
  type Deliverer,
  findOrphans,
  readOutbound,
  sign,
  startDue,
} from '#modules/newsletter/index.ts'
import type { Config } from '#platform/config.ts'
import { createSecretBox } from '#platform/crypto/secret-box.ts'
import type { Databases, Db } from '#platform/database/database.ts'
import { startLoop } from '#platform/jobs/loop.ts'
import { createBulkMailer } from '#platform/mail/bulk.ts'
import { newId } from '#vocabulary/ids.ts'

const SIGN_MS = 2_000
const START_MS = 500
const DELIVER_MS = 500
const CONNECTIONS = 15

/** Sends newsletters, from every cell, as long as the process runs. Undefined when there is no mail server to send them through. */
export function startNewsletters(config: Config, databases: Databases, log: FastifyBaseLogger) {
  const { mail, newsletters, publicUrl, secretKeys } = config
  if (!mail) return undefined
  const mailer = createBulkMailer(mail.smtpUrl, { connections: CONNECTIONS, dkim: mail.dkim })
  const sender = newId('snr')
  const context = {
    sender,
    mailer,
    from: addressOf(mail.from),
    publicUrl,
    box: createSecretBox(secretKeys),
    limits: newsletters,
    log,
  }
  const warned = new Set<string>()

  async function isOpen(name: string, cell: Db): Promise<boolean> {
    const { isOpen, stored } = await readOutbound(cell, newsletters.deploymentId)
    if (isOpen) warned.delete(name)
    else if (!warned.has(name)) {
      warned.add(name)
      log.warn(
        { cell: name, stored, deploymentId: newsletters.deploymentId },
        'newsletters wait: this database belongs to another deployment. If it is right here: cli outbound enable',
      )
    }
    return isOpen
  }

  /** Answers how many mails it took up. */
  async function deliver(name: string, cell: Db, deliverer: Deliverer, signal: AbortSignal): Promise<number> {
    if (!(await isOpen(name, cell))) return 0
    await sign(cell, sender) // before anything is claimed under this name
    return deliverer.work(signal)
  }

  async function recover(cell: Db) {
    await sign(cell, sender)
    while ((await findOrphans(cell)) > 0);
  }

  const cells = [...databases.cells]
  const deliverers = new Map(cells.map(([name, cell]) => [name, createDeliverer(cell, context)]))
  const recoveries = cells.map(([name, cell]) =>
    startLoop(`newsletter recovery in ${name}`, SIGN_MS, () => recover(cell), log),
  )
  const starts = cells.map(([name, cell]) =>
    startLoop(
      `starting newsletters in ${name}`,
      START_MS,
      async () => (await isOpen(name, cell)) && startDue(databases.control, cell, publicUrl, log),
      log,
    ),
  )
  const deliveries = cells.map(([name, cell]) =>
    startLoop(
      `newsletters in ${name}`,
      DELIVER_MS,
      async (signal) => {
        const deliverer = deliverers.get(name) as Deliverer
        while (!signal.aborted && (await deliver(name, cell, deliverer, signal)) > 0); // no pause while there is something to do
      },
      log,
    ),
  )
  return {
    /** There are signs of life until the last mail is handed over: what is under way is nobody else's. */
    async stop() {
      const stopped = [...starts, ...deliveries].map((loop) => loop.stop())
      mailer.close() // what waits in line is left for the next one
      await Promise.all(stopped)
      await Promise.all([...deliverers.values()].map((deliverer) => deliverer.drain()))
      await Promise.all(recoveries.map((loop) => loop.stop()))
    },
  }
}

/** `Kontor <mail@example.com>` or the bare address. */
const addressOf = (from: string) => /<([^<>]+)>\s*$/.exec(from)?.[1] ?? from.trim()
