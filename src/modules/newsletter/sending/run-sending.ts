import { sql } from 'kysely'
import type { Config } from '#platform/config.ts'
import { createSecretBox } from '#platform/crypto/secret-box.ts'
import { forEachCell } from '#platform/database/cell-map.ts'
import type { Databases, Db } from '#platform/database/database.ts'
import { startLoop } from '#platform/jobs/loop.ts'
import type { Condition, Rests } from '#platform/jobs/rest.ts'
import { createBulkMailer } from '#platform/mail/bulk.ts'
import { addressOf } from '#platform/mail/mailer.ts'
import type { Metrics } from '#platform/observability/metrics.ts'
import type { Usage } from '#platform/usage/count-usage.ts'
import { newId } from '#vocabulary/ids.ts'
import { followFeed, isBehind } from '../automations/follow-feed.ts'
import { hasDueLetters, planDue } from '../automations/plan-due.ts'
import { createDailyLimits } from './daily-limit.ts'
import { createDeliverer, type Deliverer, type DeliveryContext, hasUndelivered } from './deliver.ts'
import { measureSends } from './measure-sends.ts'
import { readOutbound } from './outbound.ts'
import { abandonOrphans, isSending, recordHeartbeat } from './recipients.ts'
import { hasDueSends, startDue } from './start-send.ts'

const HEARTBEAT_MS = 2_000
const START_MS = 500
const DELIVER_MS = 500
const AUTOMATE_MS = 1_000
const CONNECTIONS = 15

/** Sends newsletters from every cell until stopped. Undefined when no mail server is configured. */
export function startNewsletters(
  config: Config,
  databases: Pick<Databases, 'control' | 'cells'>,
  {
    markCustomers,
    metrics,
    usage,
    rests,
    log,
  }: Pick<DeliveryContext, 'markCustomers' | 'log'> & {
    metrics?: Metrics
    usage?: Pick<Usage, 'note'>
    rests?: Rests
  },
) {
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
    markCustomers,
    findDailyLimit: createDailyLimits(databases.control),
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
        'newsletters wait: this database belongs to another deployment. To send from this one: cli outbound enable',
      )
    }
    return isOpen
  }

  /** Returns how many mails it claimed. */
  async function deliver(name: string, cell: Db, deliverer: Deliverer, signal: AbortSignal): Promise<number> {
    if (!(await isOpen(name, cell))) return 0
    await recordHeartbeat(cell, sender) // before anything is claimed under this id
    return deliverer.work(signal)
  }

  async function recover(cell: Db) {
    await recordHeartbeat(cell, sender)
    while ((await abandonOrphans(cell)) > 0);
  }

  const meterOf = metrics && measureSends(metrics)
  const bell = (cell: Db, everyMs: number, condition: Condition) => rests?.of(cell).bell(everyMs, condition)
  const ofCell = (name: string): DeliveryContext => ({
    ...context,
    meter: meterOf?.(name),
    noteSent: (businessId, count) => usage?.note(name, businessId, 'mails', count),
  })
  const following = forEachCell(databases.cells, (name, cell) => {
    const deliverer = createDeliverer(cell, ofCell(name))
    // As long as anybody sends anything: without, there is nobody to be taken for dead.
    const recovery = startLoop(
      `newsletter recovery in ${name}`,
      HEARTBEAT_MS,
      () => recover(cell),
      log,
      bell(cell, HEARTBEAT_MS, () => isSending()),
    )
    const loops = [
      startLoop(
        `starting newsletters in ${name}`,
        START_MS,
        async () => (await isOpen(name, cell)) && startDue(databases.control, cell, publicUrl, log),
        log,
        bell(cell, START_MS, hasDueSends),
      ),
      startLoop(
        `letters that go out by themselves in ${name}`,
        AUTOMATE_MS,
        async (signal) => {
          if (!(await isOpen(name, cell))) return
          await followFeed(cell, log, signal)
          await planDue(databases.control, cell, publicUrl, log)
        },
        log,
        bell(cell, AUTOMATE_MS, () => sql`${isBehind()} or ${hasDueLetters()}`),
      ),
      startLoop(
        `newsletters in ${name}`,
        DELIVER_MS,
        async (signal) => {
          // No pause while there is work.
          while (!signal.aborted && (await deliver(name, cell, deliverer, signal)) > 0);
        },
        log,
        bell(cell, DELIVER_MS, () => hasUndelivered(sender)),
      ),
    ]
    return {
      /** The heartbeat goes on until the last mail is handed over, so that no other process gives up mails in flight. */
      async stop() {
        await Promise.all(loops.map((loop) => loop.stop()))
        await deliverer.drain()
        await recovery.stop()
      },
    }
  })
  return {
    async stop() {
      const stopped = following.stop()
      mailer.close() // waiting mails are left to another process
      await stopped
    },
  }
}

/** Accepts `Kontor <mail@example.com>` or the bare address. */
