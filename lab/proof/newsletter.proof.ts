import { readFileSync } from 'node:fs'
import { setTimeout as sleep } from 'node:timers/promises'
import autocannon from 'autocannon'
import { markCustomers } from '#modules/customers/index.ts'
import { planRecipients } from '#modules/newsletter/sending/plan-recipients.ts'
import { fillSubscribers, openSendWorld, type SendWorld, sendStorm } from '../../test/scenarios/send-storm.ts'
import { type Child, startChild } from '../../test/support/child.ts'
import { recordStatements } from '../../test/support/explain.ts'
import { createSendWorker, letter } from '../../test/support/newsletter-api.ts'
import { until } from '../../test/support/until.ts'
import { type Figure, median, type Run, sizeOf } from '../report/figures.ts'

export const title =
  'Newsletters: every recipient accounted for, memory, planning, reads beside a send, many sends at once'

const PATIENCE_MS = 900_000
/** `--recipients=20000` and the like, instead of the usual size. */
export async function run({ quick, note }: Run) {
  const recipients = sizeOf('recipients', quick ? 10_000 : 100_000)
  const kills = sizeOf('kills', quick ? 4 : 20)
  const million = sizeOf('million', quick ? 100_000 : 1_000_000)
  return {
    figures: [
      ...(await killMany(recipients, kills, note)),
      ...(await measureLarge({ million, mails: quick ? 3_000 : 15_000, rounds: quick ? 2 : 5, note })),
      ...(await sendMany(50, quick ? 50 : 200, note)),
    ],
  }
}

const zero = (name: string, value: number): Figure => ({ name, value, unit: '', goal: '0', ok: value === 0 })
const plain = (name: string, value: number, unit = ''): Figure => ({ name, value, unit })

async function killMany(recipients: number, kills: number, note: Run['note']): Promise<Figure[]> {
  const report = await sendStorm({ recipients, kills, seed: 7, withinMs: PATIENCE_MS, note })
  const { states, counters } = report
  const open = recipients - states.SENT - states.FAILED - states.SUPPRESSED - states.UNCERTAIN
  const counted = Object.values(counters).reduce((sum, count) => sum + count, 0)
  return [
    plain('storm: recipients', recipients),
    plain('storm: kills', kills),
    zero('storm: recipients without a final state', open),
    zero('storm: recipients that the counters miss', Math.abs(report.total - counted) + Math.abs(recipients - counted)),
    zero('storm: Message-IDs taken twice', report.duplicates.length),
    zero('storm: taken, but neither SENT nor UNCERTAIN', report.unaccounted.length),
    zero('storm: SENT, but never taken', report.missing.length),
    zero('storm: mails without the product at its price, or with a link that is not counted', report.incomplete),
    zero('storm: recipients whom the conditions leave out', report.unwanted),
    plain('storm: turned down for now', report.deferred),
    plain('storm: connections dropped', report.dropped),
    {
      name: 'storm: uncertain',
      value: states.UNCERTAIN,
      unit: '',
      goal: `≤ ${report.maxUncertain}`,
      ok: states.UNCERTAIN <= report.maxUncertain,
    },
    plain('storm: failed', states.FAILED),
    plain('storm: seconds until DONE', report.seconds, 's'),
    plain(
      'storm: mails a second, two workers, one of them dying',
      Math.round((0.95 * recipients) / report.busySeconds),
    ),
  ]
}

type Large = { million: number; mails: number; rounds: number; note: Run['note'] }

/** Planning, memory and reads beside it, each with the same large newsletter. */
async function measureLarge({ million, mails, rounds, note }: Large): Promise<Figure[]> {
  const world = await openSendWorld()
  try {
    const newsletter = await world.open()
    await fillSubscribers(newsletter.db, newsletter, million)
    note(`${million} subscribers`)
    const send = await newsletter.send(await newsletter.entry(letter()))
    const figures = await measurePlanning(world, newsletter, send.id)
    await send.move('pause')
    note('planned')
    const memory = [
      await memoryOf(world, 1_000, mails),
      await memoryOf(world, 100_000, mails),
      await memoryOf(world, million, mails, send),
    ]
    note(`memory: ${memory.map(({ size, mb }) => `${size}: ${mb} MB`).join(', ')}`)
    const growth = (memory[2]?.mb ?? 0) / (memory[0]?.mb ?? 1)
    return [
      ...figures,
      ...memory.map(({ size, mb }) => plain(`memory of a worker at ${size.toLocaleString('en')} recipients`, mb, 'MB')),
      { name: 'memory: largest / smallest send', value: growth, unit: '×', goal: '≤ 1.2', ok: growth <= 1.2 },
      ...(await readBeside(world, newsletter, send, rounds, note)),
    ]
  } finally {
    await world.close()
  }
}

type Newsletter = Awaited<ReturnType<SendWorld['open']>>
type Send = Awaited<ReturnType<Newsletter['send']>>

async function measurePlanning({ api }: SendWorld, { db, id: businessId }: Newsletter, sendId: string) {
  const sendWorker = createSendWorker(api, { smtpUrl: 'smtp://127.0.0.1:1' }) // it starts it, and sends nothing
  await sendWorker.start(db)
  sendWorker.close()
  const seconds: number[] = []
  const statements = await recordStatements(async () => {
    for (let isDone = false; !isDone; ) {
      const start = performance.now()
      isDone = (await planRecipients(db, { businessId, id: sendId }, markCustomers)) === 'DONE'
      seconds.push((performance.now() - start) / 1000)
    }
  })
  const written = statements.filter(({ text }) => /insert into newsletter\.recipients/.test(text)).length
  const total = seconds.reduce((sum, value) => sum + value, 0)
  return [
    plain('planning: batches', seconds.length),
    {
      name: 'planning: writing statements for each batch',
      value: written / seconds.length,
      unit: '',
      goal: '1',
      ok: written === seconds.length,
    },
    plain('planning: seconds', total, 's'),
    {
      name: 'planning: longest batch',
      value: Math.max(...seconds),
      unit: 's',
      goal: '≤ 1',
      ok: Math.max(...seconds) <= 1,
    },
  ] satisfies Figure[]
}

/** What a new worker takes up after the same number of mails, sent to parts of a newsletter of that size. */
async function memoryOf(world: SendWorld, size: number, mails: number, large?: Send) {
  const before = world.accepted().size
  const sent = () => world.accepted().size - before
  const worker = await world.work()
  if (large) {
    await large.move('resume')
    await until('enough is sent', () => sent() >= mails, { withinMs: PATIENCE_MS })
    await large.move('pause')
  } else {
    for (let left = mails; left > 0; left -= size) {
      const newsletter = await world.open()
      await fillSubscribers(newsletter.db, newsletter, size)
      const send = await newsletter.send(await newsletter.entry(letter()))
      const enough = before + mails - left + Math.min(size, mails)
      await until('enough is sent', () => world.accepted().size >= enough, { withinMs: PATIENCE_MS })
      await send.move('cancel')
    }
  }
  const mb = Math.round(residentKb(worker) / 1024)
  await worker.stop()
  return { size, mb }
}

const residentKb = ({ process: { pid } }: Child) =>
  Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1])

const READS_PER_SECOND = 200

/** Product reads of the same business, with the send capped at 200 mails a second and with the send paused, in turns. */
async function readBeside(world: SendWorld, newsletter: Newsletter, send: Send, rounds: number, note: Run['note']) {
  const { make, api } = world
  const shop = { admin: newsletter.admin, products: `${newsletter.path}/products` }
  const paths: string[] = []
  for (let count = 0; count < 50; count++) paths.push((await make.product(shop, { variants: [] })).path)
  const guest = await make.guest()
  const measured = await startChild('api', { ...api.databases.env })
  await world.work({ perSecond: 200 })
  const p95s: { with: number[]; without: number[] } = { with: [], without: [] }
  let mails = 0
  let seconds = 0
  for (let round = 0; round <= rounds; round++) {
    for (const kind of ['with', 'without'] as const) {
      await send.move(kind === 'with' ? 'resume' : 'pause')
      await sleep(1_000)
      const before = world.accepted().size
      const { latency, non2xx, errors, duration } = await autocannon({
        url: measured.url,
        headers: { authorization: `Bearer ${guest.token}` },
        connections: 8,
        overallRate: READS_PER_SECOND,
        duration: 4,
        requests: paths.map((path) => ({ path })),
        workers: 1,
      })
      if (non2xx > 0 || errors > 0) throw new Error(`${non2xx} reads refused, ${errors} failed`)
      if (round === 0) continue // warming up
      // As autocannon tells it: of the percentiles that it has, the one above 95.
      p95s[kind].push(latency.p97_5)
      if (kind === 'with') [mails, seconds] = [mails + world.accepted().size - before, seconds + duration]
    }
    note(`reads, round ${round} of ${rounds}`)
  }
  await measured.kill()
  const ratio = median(p95s.with) / median(p95s.without)
  return [
    plain('beside reads: mails a second', mails / seconds),
    plain(`reads at ${READS_PER_SECOND}/s: p97.5 while sending`, median(p95s.with), 'ms'),
    plain(`reads at ${READS_PER_SECOND}/s: p97.5 while paused`, median(p95s.without), 'ms'),
    { name: 'reads: while sending / while paused', value: ratio, unit: '×', goal: '≤ 1.2', ok: ratio <= 1.2 },
  ] satisfies Figure[]
}

/** All at the same moment, each of a business of its own. */
async function sendMany(sends: number, recipients: number, note: Run['note']): Promise<Figure[]> {
  const world = await openSendWorld()
  try {
    const open: { newsletter: Newsletter; entry: { path: string } }[] = []
    for (let count = 0; count < sends; count++) {
      const newsletter = await world.open()
      await fillSubscribers(newsletter.db, newsletter, recipients)
      open.push({ newsletter, entry: await newsletter.entry(letter()) })
    }
    await Promise.all([world.work(), world.work()])
    const start = performance.now()
    const started = await Promise.all(open.map(({ newsletter, entry }) => newsletter.send(entry)))
    const [first, last] = [new Map<string, number>(), new Map<string, number>()]
    await until(
      'all are done',
      async () => {
        for (const send of started.filter(({ id }) => !last.has(id))) {
          const { status, sent } = await send.get()
          const seconds = (performance.now() - start) / 1000
          if (sent > 0 && !first.has(send.id)) first.set(send.id, seconds)
          if (status === 'DONE') last.set(send.id, seconds)
        }
        return last.size === sends
      },
      { withinMs: PATIENCE_MS, everyMs: 250 },
    )
    note(`${sends} sends of ${recipients}`)
    const ends = [...last.values()]
    const spread = Math.max(...ends) / Math.min(...ends)
    const mails = world.accepted().size
    return [
      zero('sends at once: not finished', sends - last.size),
      plain('sends at once', sends),
      plain('sends at once: recipients of each', recipients),
      zero('sends at once: mails missing', sends * recipients - mails),
      plain('sends at once: the last one to begin', Math.max(...first.values()), 's'),
      plain('sends at once: the first one to end', Math.min(...ends), 's'),
      plain('sends at once: the last one to end', Math.max(...ends), 's'),
      { name: 'sends at once: last / first to end', value: spread, unit: '×', goal: '≤ 2', ok: spread <= 2 },
      plain('sends at once: mails a second', Math.round(mails / Math.max(...ends))),
    ]
  } finally {
    await world.close()
  }
}
