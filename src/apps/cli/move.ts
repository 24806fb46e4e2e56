import { setTimeout as sleep } from 'node:timers/promises'
import type { Command } from 'commander'
import type { Config } from '#platform/config.ts'
import type { Control } from '#platform/database/database.ts'
import { findMove, type Move } from '#platform/moves/moves.ts'
import { BootError } from '../boot.ts'
import { KEEP_SECONDS, resumeMove, startMove, takeBack } from '../moves/start-move.ts'
import { NotMovable } from '../moves/tables.ts'
import { checkPin } from '../place.ts'
import { addCommand, type Cli, type Json, UsageError } from './command.ts'
import { printResult } from './output.ts'

const LOOK_MS = 500
const SPARE_SECONDS = 60

type Given = Json & { to?: string; takeBack?: boolean; resume?: boolean; wait?: boolean; keepSeconds?: string }

export function addMoveCommand(business: Command, { config, withDatabases }: Cli): void {
  addCommand(business, 'move <businessId>', {
    says:
      'Move a business to another cell while it sells, or show how far that is. A worker does it; you need not wait. Those who ' +
      'write wait for a second or so at the end.',
    examples: [
      'business move biz_4k7q2m9x1c3v --to eu2',
      'business move biz_4k7q2m9x1c3v',
      'business move biz_4k7q2m9x1c3v --take-back',
    ],
  })
    .option('--to <cell>', 'where it is to live')
    .option('--take-back', 'let it stay where it is; until it lives in the other cell')
    .option(
      '--resume',
      'go on at once: after it has stopped because of rows that differ or have not moved, or while it waits for another attempt',
    )
    .option('--wait', 'wait until it is over')
    .option(
      '--keep-seconds <seconds>',
      'how long the old rows stay at least, after it lives there (120, or a minute more than CONTROL_AWAY_SECONDS)',
    )
    .action((businessId: string, given: Given) =>
      withDatabases(async (databases) => {
        const { control } = databases
        const { to, wait = false, json = false } = given
        if ([to !== undefined, given.takeBack, given.resume].filter(Boolean).length > 1)
          throw new UsageError('Only one of --to, --take-back and --resume.')
        const keepSeconds = readSeconds(given.keepSeconds) ?? keepAtLeast(config())
        try {
          if (to !== undefined) {
            await checkPin(databases, to)
            await startMove(databases, { businessId, to, keepSeconds })
          } else if (given.takeBack) await takeBack(databases, businessId)
          else if (given.resume) await resumeMove(control, businessId)
        } catch (error) {
          throw error instanceof NotMovable ? new BootError(error.message) : error
        }
        const move = wait ? await waitForEnd(control, businessId) : await findMove(control, businessId)
        if (!move) throw new BootError(`${businessId} has never moved.`)
        printResult(json, move, describe(move))
        if (wait && move.step === 'STOPPED') process.exitCode = 1
      }),
    )
}

/** Longer than a process that is cut off from control goes on reading where the business lived. */
const keepAtLeast = ({ controlAwaySeconds }: Pick<Config, 'controlAwaySeconds'>): number =>
  Math.max(KEEP_SECONDS, controlAwaySeconds + SPARE_SECONDS)

function readSeconds(text: string | undefined): number | undefined {
  if (text === undefined) return undefined
  const seconds = Number(text)
  if (!Number.isInteger(seconds) || seconds < 0 || seconds > 30 * 86_400)
    throw new UsageError('--keep-seconds takes 0 to 2592000.')
  return seconds
}

export async function waitForEnd(control: Control, businessId: string): Promise<Move | undefined> {
  for (;;) {
    const move = await findMove(control, businessId)
    if (!move || move.finishedAt || move.step === 'STOPPED') return move
    await sleep(LOOK_MS)
  }
}

const SAYS: Record<Move['step'], string> = {
  WAITING: 'waits for a worker',
  COPYING: 'is being copied',
  FOLLOWING: 'is copied; changes are followed',
  CLOSING: 'is about to live there',
  COMPARING: 'lives there; the old rows are being compared',
  CLEARING: 'lives there; the old rows are going',
  DONE: 'has moved',
  TAKEN_BACK: 'has stayed',
  STOPPED: 'has stopped: cli business move --resume goes on when you have looked',
}

function describe(move: Move): string {
  const { businessId, fromCell, toCell, step, rowsCopied, rowsFollowed, rowsCompared, rowsDeleted, pauseMs, error } =
    move
  const says =
    move.takeBack && !move.finishedAt
      ? `is to stay: the worker that moves it has been told (it ${SAYS[step]})`
      : SAYS[step]
  const pause = pauseMs === null ? '' : `, writes waited for ${pauseMs} ms`
  const rows = `${rowsCopied} rows copied, ${rowsFollowed} followed, ${rowsCompared} compared, ${rowsDeleted} deleted`
  return `${businessId}  ${fromCell} → ${toCell}: ${says} (${rows}${pause})${error ? `\n${error}` : ''}`
}
