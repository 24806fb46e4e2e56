import { setTimeout as sleep } from 'node:timers/promises'
import type { Command } from 'commander'
import { countOpenSends, enableOutbound, findSend, presentSend, readOutbound } from '#modules/newsletter/index.ts'
import { nowMs } from '#platform/clock.ts'
import type { Db } from '#platform/database/database.ts'
import { BootError } from '../boot.ts'
import { findHome } from '../home.ts'
import { drawBar } from '../progress.ts'
import { addCommand, type Cli, JSON_LINES, type Json } from './command.ts'
import { printJson } from './output.ts'

type Send = ReturnType<typeof presentSend>

export function addNewsletterCommands(program: Command, { withDatabases }: Cli): void {
  const newsletter = program.command('newsletter').description('Newsletters of a business.')
  addCommand(newsletter, 'watch <businessId> <sendId>', {
    says: 'Show how far a send is, until it is done (exit code 0) or cancelled (1).',
    examples: ['newsletter watch biz_4k7q2m9x1c3v snd_01jcq3v7k8f5t9x2m4n6p8r0sw'],
    json: 'print a line of JSON for each change',
  }).action((businessId: string, sendId: string, { json = false }: Json) =>
    withDatabases(async (databases) => {
      const { cell } = await findHome(databases, businessId)
      await watch(() => readSend(cell, businessId, sendId), json ? printChanges() : drawProgress())
    }),
  )
}

export function addOutboundCommands(program: Command, { withDatabases, config }: Cli): void {
  const outbound = program.command('outbound').description('Whether newsletters may leave from here.')
  addCommand(outbound, 'status', {
    says: 'Which deployment the databases belong to, and what waits to be sent. Changes nothing.',
    examples: ['outbound status'],
    json: JSON_LINES,
  }).action(({ json = false }: Json) =>
    withDatabases(async ({ cells }) => {
      const { deploymentId } = config().newsletters
      if (!json) console.log(`this deployment: ${deploymentId ?? 'none (DEPLOYMENT_ID is not set)'}`)
      for (const [name, cell] of cells) {
        const state = await readState(cell, deploymentId)
        if (json) printJson({ cell: name, deploymentId: deploymentId ?? null, ...state })
        else console.log(`${name}: ${describeState(state)}`)
      }
    }),
  )
  addCommand(outbound, 'enable', {
    says: 'Let newsletters leave from this deployment, and from no other. Nobody else may be sending them.',
    examples: ['outbound enable'],
    json: JSON_LINES,
  }).action(({ json = false }: Json) =>
    withDatabases(async ({ cells }) => {
      const { deploymentId } = config().newsletters
      if (deploymentId === undefined)
        throw new BootError('DEPLOYMENT_ID is not set: without one, newsletters leave from any deployment.')
      for (const [name, cell] of cells) {
        await enableOutbound(cell, deploymentId)
        if (json) printJson({ cell: name, deploymentId })
        else console.log(`${name}: newsletters leave from ${deploymentId}`)
      }
    }),
  )
}

const readSend = async (cell: Db, businessId: string, id: string): Promise<Send> =>
  presentSend(await findSend(cell, businessId, id))

const WATCH_MS = 500
const LINE_EVERY_MS = 2_000

type View = (send: Send, isEnd: boolean) => void

async function watch(read: () => Promise<Send>, show: View): Promise<void> {
  for (;;) {
    const send = await read()
    const isEnd = send.status === 'DONE' || send.status === 'CANCELLED'
    show(send, isEnd)
    if (isEnd) {
      process.exitCode = send.status === 'DONE' ? 0 : 1
      return
    }
    await sleep(WATCH_MS)
  }
}

const stateOf = ({ status, total, sent, failed, suppressed, uncertain }: Send) =>
  JSON.stringify([status, total, sent, failed, suppressed, uncertain])

function printChanges(): View {
  let shown = ''
  return (send) => {
    if (stateOf(send) !== shown) console.log(JSON.stringify(send))
    shown = stateOf(send)
  }
}

/** A moving bar in a terminal; elsewhere a line every other second, if something changed. */
function drawProgress(): View {
  const isTerminal = process.stderr.isTTY
  let shown = ''
  let shownAt = Number.NEGATIVE_INFINITY
  return (send, isEnd) => {
    if (isTerminal)
      process.stderr.write(`\r\u001b[2K${send.status.padEnd(9)} ${drawBar(shareOf(send))} ${figuresOf(send)}`)
    else if (stateOf(send) !== shown && (isEnd || nowMs() - shownAt >= LINE_EVERY_MS)) {
      process.stderr.write(`${send.status} ${figuresOf(send)}\n`)
      shown = stateOf(send)
      shownAt = nowMs()
    }
    if (!isEnd) return
    if (isTerminal) process.stderr.write('\n')
    console.log(`${send.status}: ${countsOf(send)}`)
    if (send.problem !== null) console.error(send.problem)
  }
}

const shareOf = ({ total, planned, status }: Send) =>
  total > 0 ? (total - planned) / total : status === 'DONE' ? 1 : 0

const inWords = (count: number) => count.toLocaleString('en')
const at = (seconds: number) => new Date(seconds * 1000).toISOString().replace('.000Z', 'Z')

const countsOf = ({ sent, failed, suppressed, uncertain, total }: Send) =>
  `${inWords(sent)} sent, ${inWords(failed)} failed, ${inWords(suppressed)} suppressed, ${inWords(uncertain)} uncertain of ${inWords(total)}`

function figuresOf(send: Send): string {
  const { status, scheduledAt, perSecond, estimatedEndAt } = send
  if (status === 'SCHEDULED') return `starts ${at(scheduledAt)}`
  const percent = `${String(Math.floor(shareOf(send) * 100)).padStart(3)} %`
  const rate = perSecond === null ? [] : [`${perSecond.toLocaleString('en')}/s`]
  const end = estimatedEndAt === null ? [] : [`ends ${at(estimatedEndAt)}`]
  return [percent, countsOf(send), ...rate, ...end].join('  ')
}

type State = { isOpen: boolean; belongsTo: string | null; running: number; scheduled: number }

/**
 * Reads the state without a deployment id, which would be stored where there is none yet: reading must not decide
 * anything.
 */
async function readState(cell: Db, deploymentId: string | undefined): Promise<State> {
  const { stored } = await readOutbound(cell, undefined)
  const isOpen = deploymentId === undefined || stored === null || stored === deploymentId
  return { isOpen, belongsTo: stored, ...(await countOpenSends(cell)) }
}

function describeState({ isOpen, belongsTo, running, scheduled }: State): string {
  const verdict = isOpen ? 'open' : 'closed (if this is the right one: cli outbound enable)'
  return `${verdict}, belongs to ${belongsTo ?? 'nobody yet'}, ${running} running, ${scheduled} scheduled`
}
