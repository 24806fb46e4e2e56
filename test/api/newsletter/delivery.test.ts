import assert from 'node:assert/strict'
import { after, afterEach, beforeEach, describe, test } from 'node:test'
import pino from 'pino'
import { markCustomers } from '#modules/customers/index.ts'
import { abandonOrphans, enableOutbound, readOutbound, recordHeartbeat } from '#modules/newsletter/index.ts'
import { planRecipients } from '#modules/newsletter/sending/plan-recipients.ts'
import { claimRecipients, type Result, saveResults } from '#modules/newsletter/sending/recipients.ts'
import { useFaults } from '#platform/faults.ts'
import { startNewsletters } from '../../../src/modules/newsletter/sending/run-sending.ts'
import { holdClock } from '../../support/clock.ts'
import { createSendWorker, type Newsletter, openNewsletter, type SendWorker } from '../../support/newsletter-api.ts'
import { type Manners, openRoughServer } from '../../support/rough-smtp.ts'
import { until } from '../../support/until.ts'
import { useWorld } from '../../support/world.ts'

const server = await openRoughServer()
const used = useWorld({ own: true, env: { SMTP_URL: server.url, MAIL_FROM: 'Kontor <hello@kontor.example>' } })
after(() => server.close())

let clock: ReturnType<typeof holdClock>
let sendWorker: SendWorker
const presses: SendWorker[] = []
const newSendWorker = (options: object = {}) => {
  const made = createSendWorker(used.api, { smtpUrl: server.url, answerSeconds: 5, ...options })
  presses.push(made)
  return made
}
beforeEach(() => {
  clock = holdClock()
  sendWorker ??= newSendWorker()
  server.behave(() => undefined)
  server.taken.length = 0
})
afterEach(() => {
  clock.release()
  useFaults(undefined)
})
after(() => {
  for (const made of presses) made.close()
})

/** Treats one reader so, and all others well. */
const treat = (name: string, ...[stage, mood]: [Parameters<Manners>[0], ReturnType<Manners>]) =>
  server.behave((at, { recipient }) => (at === stage && recipient.startsWith(`${name}@`) ? mood : undefined))
const timesTaken = (name: string) =>
  server.taken.filter(({ recipients }) => recipients[0]?.startsWith(`${name}@`)).length

const messageIdOf = ({ content }: { content: string }) => /^message-id:\s*(<\S+>)/im.exec(content)?.[1]

/** A letter to so many readers, due now. */
async function letterTo(readers: number, options: object = {}, newsletter: { cell?: string } = {}) {
  const letters = await openNewsletter(used.make, newsletter)
  await letters.fill(readers)
  const sending = await letters.send(await letters.entry(), options)
  const recipient = async (name: string) => {
    const { id } = await letters.row(`${name}@readers.example`)
    const found = (await sending.recipients()).find(({ subscriptionId }) => subscriptionId === id)
    assert.ok(found)
    return found
  }
  return { ...letters, sending, recipient, key: { businessId: letters.id, id: sending.id } }
}

describe('a mail that the server', () => {
  test('turns down for now is tried again, half a minute later', async () => {
    const { db, sending, recipient } = await letterTo(3)
    treat('reader2', 'RCPT', { say: '451 4.3.0 Not now' })
    await sendWorker.run(db)
    assert.equal(await sending.state(), 'RUNNING sent 2 planned 1')
    const { state, attempts, response } = await recipient('reader2')
    assert.deepEqual([state, attempts, response], ['PLANNED', 1, '451 4.3.0 Not now'])
    server.behave(() => undefined)
    clock.advance(22)
    assert.equal(await sendWorker.run(db), 0)
    clock.advance(16)
    await sendWorker.run(db)
    assert.equal(await sending.state(), 'DONE sent 3')
    assert.deepEqual([timesTaken('reader1'), timesTaken('reader2'), timesTaken('reader3')], [1, 1, 1])
  })

  test('refuses for good has failed, and is not tried again', async () => {
    const { db, sending, recipient } = await letterTo(2)
    treat('reader1', 'RCPT', { say: '550 5.1.1 No such mailbox' })
    await sendWorker.run(db)
    assert.equal(await sending.state(), 'DONE sent 1 failed 1')
    const { state, response } = await recipient('reader1')
    assert.deepEqual([state, response], ['FAILED', '550 5.1.1 No such mailbox'])
  })

  test('keeps turning down has failed after some days', async () => {
    const { db, sending, recipient } = await letterTo(1)
    treat('reader1', 'RCPT', { say: '452 4.2.2 Mailbox full' })
    for (let tries = 1; tries <= 24; tries++) {
      assert.equal(await sendWorker.run(db), 1, `try ${tries}`)
      clock.advance(5 * 3_600)
    }
    assert.equal(await sendWorker.run(db), 0)
    assert.equal(await sending.state(), 'DONE failed 1')
    assert.equal((await recipient('reader1')).attempts, 24)
  })

  test('has taken without saying so is uncertain, and not sent again', async () => {
    const { db, sending, recipient } = await letterTo(2)
    treat('reader1', 'TAKEN', { and: 'DROP' })
    await sendWorker.run(db)
    assert.equal(await sending.state(), 'DONE sent 1 uncertain 1')
    assert.equal((await recipient('reader1')).state, 'UNCERTAIN')
    assert.equal(timesTaken('reader1'), 1)
  })

  test('has taken without saying so is sent again where nobody may miss it, with the same id', async () => {
    const { db, sending } = await letterTo(2, { onUncertain: 'RESEND' })
    treat('reader1', 'TAKEN', { and: 'DROP' })
    await sendWorker.run(db)
    assert.equal(await sending.state(), 'RUNNING sent 1 planned 1')
    server.behave(() => undefined)
    clock.advance(40)
    await sendWorker.run(db)
    assert.equal(await sending.state(), 'DONE sent 2')
    const ids = server.taken.filter(({ recipients }) => recipients[0]?.startsWith('reader1@')).map(messageIdOf)
    assert.deepEqual([ids.length, new Set(ids).size], [2, 1])
  })

  test('cannot be reached for goes out when it is back', async () => {
    const { db, sending } = await letterTo(3)
    server.behave((stage) => (stage === 'GREETING' ? { and: 'DROP' } : undefined))
    server.hangUp()
    await sendWorker.run(db)
    assert.equal(await sending.state(), 'RUNNING planned 3')
    server.behave(() => undefined)
    clock.advance(40)
    await sendWorker.run(db)
    assert.equal(await sending.state(), 'DONE sent 3')
  })
})

describe('two processes at once', () => {
  test('send each mail once', async () => {
    const { db, sending } = await letterTo(150)
    const [first, second] = [newSendWorker(), newSendWorker()]
    await sendWorker.start(db)
    const handled = await Promise.all([first.run(db), second.run(db)])
    if ((await sending.get()).status === 'RUNNING') await sendWorker.run(db)
    assert.equal(await sending.state(), 'DONE sent 150')
    assert.equal(handled[0] + handled[1], 150)
    assert.equal(new Set(server.taken.map(messageIdOf)).size, 150)
    assert.equal(server.taken.length, 150)
  })

  test('keep to one limit together', async () => {
    const { db, sending } = await letterTo(12)
    const [first, second] = [newSendWorker({ perSecondOfBusiness: 5 }), newSendWorker({ perSecondOfBusiness: 5 })]
    await first.run(db)
    await Promise.all([first.run(db), second.run(db)])
    assert.equal(await sending.state(), 'RUNNING sent 5 planned 7')
    clock.advance(1)
    await Promise.all([first.run(db), second.run(db)])
    assert.equal(await sending.state(), 'RUNNING sent 10 planned 2')
    await sending.move('cancel')
  })
})

describe('a process that dies while it sends', () => {
  const DEAD = 'snr_dead'

  /** As if `DEAD` had taken up two mails, and nothing more was heard of it. */
  async function abandon(options: object = {}) {
    const letters = await letterTo(5, options)
    const { db, key } = letters
    await sendWorker.start(db)
    while ((await planRecipients(db, key, markCustomers)) === 'MORE');
    await recordHeartbeat(db, DEAD)
    const limits = { perSecond: undefined, perSecondOfBusiness: undefined }
    const claimed = await claimRecipients(db, key, DEAD, 2, limits)
    assert.equal(claimed.length, 2)
    const results = (state: Result['state']): Result[] =>
      claimed.map(({ subscriptionId }) => ({ subscriptionId, state, response: 'ok', dueAt: null }))
    return { ...letters, results }
  }

  test('leaves mails of which nobody knows: they are not sent again', async () => {
    const { db, sending } = await abandon()
    await sendWorker.run(db)
    assert.equal(await sending.state(), 'RUNNING sent 3 planned 2')
    clock.advance(9)
    assert.equal(await abandonOrphans(db), 0)
    clock.advance(2)
    assert.equal(await abandonOrphans(db), 2)
    assert.equal(await abandonOrphans(db), 0)
    await sendWorker.run(db)
    assert.equal(await sending.state(), 'DONE sent 3 uncertain 2')
    assert.equal(server.taken.length, 3)
    const senders = await db.selectFrom('newsletter.senders').select('id').where('id', '=', DEAD).execute()
    assert.deepEqual(senders, [])
  })

  test('leaves mails that are sent again where nobody may miss them', async () => {
    const { db, sending } = await abandon({ onUncertain: 'RESEND' })
    clock.advance(11)
    assert.equal(await abandonOrphans(db), 2)
    await sendWorker.run(db)
    assert.equal(await sending.state(), 'DONE sent 5')
  })

  test('and lives after all puts right what was given up', async () => {
    const { db, sending, key, results } = await abandon()
    clock.advance(11)
    await abandonOrphans(db)
    await sendWorker.run(db)
    await saveResults(db, key, 'snr_other', results('SENT'))
    assert.equal(await sending.state(), 'DONE sent 3 uncertain 2')
    for (let times = 0; times < 2; times++) await saveResults(db, key, DEAD, results('SENT'))
    assert.equal(await sending.state(), 'DONE sent 5')
  })

  test('is not dead while it signs', async () => {
    const { db, sending, key, results } = await abandon()
    clock.advance(11)
    await recordHeartbeat(db, DEAD)
    assert.equal(await abandonOrphans(db), 0)
    await saveResults(db, key, DEAD, results('SENT'))
    await sendWorker.run(db)
    assert.equal(await sending.state(), 'DONE sent 5')
  })

  test('before it could sign is dead, too', async () => {
    const { db, sending } = await abandon()
    await db.deleteFrom('newsletter.senders').where('id', '=', DEAD).execute()
    assert.equal(await abandonOrphans(db), 2)
    await sendWorker.run(db)
    assert.equal(await sending.state(), 'DONE sent 3 uncertain 2')
  })
})

test('mails that were claimed by a run that failed do not hold up the send', async () => {
  const { db, sending } = await letterTo(3)
  const unlucky = newSendWorker()
  useFaults((name) => {
    if (name === 'deliver.claimed') throw new Error('the database is away')
  })
  await assert.rejects(unlucky.run(db), /away/)
  useFaults(undefined)
  await unlucky.run(db)
  assert.equal(await sending.state(), 'DONE uncertain 3')
})

describe('so many mails a second', () => {
  test('leave from one business, and so many from all of them', async () => {
    const cell = 'main'
    const [one, two] = [await letterTo(9, {}, { cell }), await letterTo(9, {}, { cell })]
    const limited = newSendWorker({ perSecond: 5, perSecondOfBusiness: 3 })
    const counts = async () => [(await one.sending.get()).sent, (await two.sending.get()).sent]
    await limited.run(one.db)
    const [first = 0, second = 0] = await counts()
    assert.equal(first + second, 5)
    assert.ok(Math.max(first, second) <= 3, `${first} and ${second}`)
    assert.equal(await limited.run(one.db), 0)
    for (let seconds = 0; seconds < 5; seconds++) {
      clock.advance(1)
      await limited.run(one.db)
    }
    assert.deepEqual(await counts(), [9, 9])
  })

  test('are not used up by mails that wait for another try', async () => {
    const letters: Newsletter = await openNewsletter(used.make)
    await letters.fill(4)
    server.behave((stage) => (stage === 'RCPT' ? { say: '451 4.3.0 Not now' } : undefined))
    const stalled = await letters.send(await letters.entry())
    await sendWorker.run(letters.db)
    assert.equal(await stalled.state(), 'RUNNING planned 4')
    server.behave(() => undefined)
    const sending = await letters.send(await letters.entry())
    clock.advance(1)
    const limited = newSendWorker({ perSecondOfBusiness: 4 })
    await limited.run(letters.db)
    assert.equal(await sending.state(), 'DONE sent 4')
    await stalled.move('cancel')
  })
})

describe('newsletters leave', () => {
  const lines: string[] = []
  const log = pino({}, { write: (line: string) => void lines.push(line) })
  const start = (deploymentId: string | undefined) => {
    const { config, services } = used.api
    const newsletters = { ...config.newsletters, deploymentId }
    return startNewsletters({ ...config, newsletters }, services.databases, {
      markCustomers,
      usage: { note: () => {} },
      log,
    })
  }

  test('from the deployment that the database knows, and from another once it is enabled', async () => {
    clock.release()
    const { db, sending } = await letterTo(2)
    assert.deepEqual(await readOutbound(db, undefined), { isOpen: true, stored: null })
    assert.deepEqual(await readOutbound(db, 'home'), { isOpen: true, stored: 'home' })
    const copy = start('copy')
    await until('it says that it waits', () => lines.some((line) => line.includes('newsletters wait')))
    assert.equal(await sending.state(), 'SCHEDULED')
    await enableOutbound(db, 'copy')
    await until('it is sent', async () => (await sending.state()) === 'DONE sent 2')
    await copy?.stop()
    assert.deepEqual(await readOutbound(db, 'home'), { isOpen: false, stored: 'copy' })
    assert.equal(
      lines.filter((line) => line.includes('"cell":"main"') && line.includes('newsletters wait')).length <= 1,
      true,
    )
    assert.equal(server.taken.length, 2)
  })

  test('from anywhere, if nothing names the deployment', async () => {
    clock.release()
    const { db, sending } = await letterTo(1)
    await enableOutbound(db, 'home')
    const anywhere = start(undefined)
    await until('it is sent', async () => (await sending.state()) === 'DONE sent 1')
    await anywhere?.stop()
  })

  test('not at all without a mail server', () => {
    const { config, services } = used.api
    assert.equal(
      startNewsletters({ ...config, mail: undefined }, services.databases, {
        markCustomers,
        usage: { note: () => {} },
        log,
      }),
      undefined,
    )
  })
})

describe('one send does not hold up another', () => {
  test('when a mail of it never ends', async () => {
    const [stuck, other] = [await letterTo(1, {}, { cell: 'main' }), await letterTo(3, {}, { cell: 'main' })]
    server.behave((at, { recipient }) =>
      at === 'RCPT' && recipient === 'reader1@stuck.example' ? { and: 'STALL' } : undefined,
    )
    await stuck.db
      .updateTable('newsletter.subscriptions')
      .set({ email: 'reader1@stuck.example' })
      .where('businessId', '=', stuck.id)
      .execute()
    const deliverer = sendWorker.open(stuck.db)
    await sendWorker.start(stuck.db)
    const signal = new AbortController().signal
    await deliverer.work(signal)
    await until('the others have theirs', async () => {
      await deliverer.work(signal)
      return (await other.sending.state()) === 'DONE sent 3'
    })
    assert.equal(await stuck.sending.state(), 'RUNNING planned 1')
    await deliverer.drain()
    assert.match(await stuck.sending.state(), /planned 1|uncertain 1/)
  })

  test('when its mail cannot be made: then it is paused, and says so', async () => {
    const [broken, other] = [await letterTo(1, {}, { cell: 'main' }), await letterTo(1, {}, { cell: 'main' })]
    await sendWorker.start(broken.db)
    await broken.db
      .updateTable('newsletter.sends')
      .set({ html: '{{ x | nonsense }}' })
      .where('id', '=', broken.sending.id)
      .execute()
    await sendWorker.run(broken.db)
    assert.deepEqual([await broken.sending.state(), await other.sending.state()], ['PAUSED planned 1', 'DONE sent 1'])
    assert.match((await broken.sending.get()).problem, /cannot be made/)
  })
})
