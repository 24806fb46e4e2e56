import { fork } from 'node:child_process'
import { once } from 'node:events'
import { createTransport } from 'nodemailer'
import { markCustomers } from '#modules/customers/index.ts'
import { planRecipients } from '#modules/newsletter/sending/plan-recipients.ts'
import { fillSubscribers } from '../../test/scenarios/send-storm.ts'
import { createMake } from '../../test/support/make.ts'
import { createSendWorker, letter, openNewsletter } from '../../test/support/newsletter-api.ts'
import { openRoughServer } from '../../test/support/rough-smtp.ts'
import { startApi } from '../../test/support/start-api.ts'
import { type Figure, median, type Run } from '../report/figures.ts'

export const title =
  'Sending newsletters: Kontor against a bare nodemailer pool that sends the same mails to the same server'

const CONNECTIONS = 10
const PARAGRAPH = 'The boats are out, {{ subscriber.name }}, and the harbour smells of tar and paint. '.repeat(10)

/** Side by side in one run, interleaved. The bare loop has its mails ready, asks nobody and notes nothing. */
export async function run({ quick, note }: Run) {
  const recipients = quick ? 1_000 : 3_000
  const rounds = quick ? 3 : 7
  const server = fork(import.meta.filename, ['serve'])
  const [smtpUrl] = (await once(server, 'message')) as [string]
  const api = await startApi({ env: { SMTP_URL: smtpUrl, MAIL_FROM: 'letters@kontor.example' } })
  const newsletter = await openNewsletter(createMake(api), { cell: 'main' })
  const { db, id: businessId } = newsletter
  await fillSubscribers(db, newsletter, recipients)
  const sendWorker = createSendWorker(api, {
    smtpUrl,
    connections: CONNECTIONS,
    perSecond: 100_000,
    perSecondOfBusiness: 100_000,
  })

  async function throughKontor(): Promise<number> {
    const send = await newsletter.send(await newsletter.entry(letter('Spring is here', PARAGRAPH)))
    await sendWorker.start(db)
    await planRecipients(db, { businessId, id: send.id }, markCustomers)
    const start = performance.now()
    while ((await sendWorker.deliver(db)) > 0);
    const seconds = (performance.now() - start) / 1000
    const state = await send.state()
    if (state !== `DONE sent ${recipients}`) throw new Error(state)
    return recipients / seconds
  }

  async function throughPool(): Promise<number> {
    const options = { url: smtpUrl, pool: true, maxConnections: CONNECTIONS, maxMessages: 100 }
    const transport = createTransport(options as Parameters<typeof createTransport>[0])
    const mail = await exampleMail()
    const start = performance.now()
    await Promise.all(
      Array.from({ length: recipients }, (_, index) =>
        transport.sendMail({
          ...mail,
          to: `reader${index + 1}@readers.example`,
          messageId: `<bare.${index}@localhost>`,
        }),
      ),
    )
    const seconds = (performance.now() - start) / 1000
    transport.close()
    return recipients / seconds
  }

  /** What the server took last: what Kontor had sent. */
  async function exampleMail() {
    server.send('last')
    const [content] = (await once(server, 'message')) as [string]
    const { default: PostalMime } = await import('postal-mime')
    const { subject, html, text, headers } = await PostalMime.parse(content)
    const own = headers.filter(({ key }) => key.startsWith('list-')).map(({ key, value }) => [key, value])
    return { subject, html, text, from: 'Letters <letters@kontor.example>', headers: Object.fromEntries(own) }
  }

  const rates: { kontor: number[]; bare: number[] } = { kontor: [], bare: [] }
  for (let round = 0; round <= rounds; round++) {
    const kontor = await throughKontor()
    const bare = await throughPool()
    note(`round ${round} of ${rounds}: ${Math.round(kontor)} and ${Math.round(bare)} mails/s`)
    if (round === 0) continue // warming up
    rates.kontor.push(kontor)
    rates.bare.push(bare)
  }
  sendWorker.close()
  await api.close()
  server.disconnect()

  const ratios = rates.kontor.map((rate, round) => rate / (rates.bare[round] ?? Number.NaN))
  const ratio = median(ratios)
  const spread = `${Math.min(...ratios).toFixed(2)} to ${Math.max(...ratios).toFixed(2)} in ${rounds} rounds`
  return {
    figures: [
      { name: 'connections', value: CONNECTIONS, unit: '' },
      { name: 'Kontor', value: Math.round(median(rates.kontor)), unit: 'mails/s' },
      { name: 'bare nodemailer pool', value: Math.round(median(rates.bare)), unit: 'mails/s' },
      {
        name: 'Kontor / bare, median of the rounds',
        value: ratio,
        unit: '×',
        goal: '≥ 0.8',
        ok: ratio >= 0.8,
        note: spread,
      },
    ] satisfies Figure[],
    charts: [
      {
        title: `A newsletter to ${recipients.toLocaleString('en')} readers over ${CONNECTIONS} connections`,
        unit: 'mails/s',
        bars: [
          { label: 'Kontor', value: median(rates.kontor) },
          { label: 'bare nodemailer pool', value: median(rates.bare) },
        ],
      },
    ],
  }
}

// The server is a process of its own: whoever is measured does not share a thread with it.
if (import.meta.main) {
  const server = await openRoughServer()
  let last = ''
  setInterval(() => {
    last = server.taken.splice(0).at(-1)?.content ?? last
  }, 100)
  process.on('message', () => {
    last = server.taken.splice(0).at(-1)?.content ?? last
    process.send?.(last)
  })
  process.once('disconnect', () => process.exit(0))
  process.send?.(server.url)
}
