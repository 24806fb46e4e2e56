import type { FastifyBaseLogger } from 'fastify'
import type { SecretBox } from '../crypto/secret-box.ts'
import { type Cell, type DatabaseAddress, MAIN_CELL, type OpenDatabases } from '../database/database.ts'
import type { Listener } from '../database/listener.ts'
import { startLoop } from '../jobs/loop.ts'
import { CELLS_CHANGED, type CellRow, openAddress, openReplicaUrl, readCells, registerCells } from './cells.ts'
import { contradicts, readControlId, readIdentity, withClient } from './identity.ts'

const EVERY_MS = 5_000

type Addresses = Readonly<Record<string, DatabaseAddress>>

export type FollowedCells = {
  /** Switched off by an operator: that nobody serves its businesses is meant so. */
  isOff(name: string): boolean
  stop(): Promise<void>
}

type Options = {
  databases: OpenDatabases
  /** What CELLS names. */
  named: Addresses
  box: SecretBox
  log: FastifyBaseLogger
  /** Tells of changes at once; without, they are noticed with the next look. */
  listener?: Listener
  everyMs?: number
}

/**
 * Keeps the cells of this process as `control.cells` says, while it runs. An address in that table wins over CELLS: it can be
 * changed for all processes at once, and CELLS only says where to begin.
 */
export async function followCells(options: Options): Promise<FollowedCells> {
  const { databases, named, box, log, listener, everyMs = EVERY_MS } = options
  const { control } = databases
  const complained = new Set<string>()
  let off: ReadonlySet<string> = new Set()
  let isRegistered = false
  let controlId: string | undefined
  const asked = new WeakSet<Cell>()
  /** Addresses that lead to the database of somebody else. */
  const foreign = new Set<string>()
  let looking: Promise<void> | undefined
  let isStale = false
  let isStopped = false

  function complain(about: string, cell: string, message: string): void {
    const key = `${about} ${cell}`
    if (complained.has(key)) return
    complained.add(key)
    log.error({ cell }, message)
  }

  async function look(): Promise<void> {
    let rows = await readCells(control)
    if (!isRegistered) {
      const missing = [MAIN_CELL, ...Object.keys(named)].filter((name) => !rows.some(({ id }) => id === name))
      if (missing.length > 0) {
        await registerCells(control, missing)
        rows = await readCells(control)
      }
      isRegistered = true
    }
    off = new Set(rows.filter(({ state }) => state === 'OFF').map(({ id }) => id))
    controlId ??= await readControlId(control)
    const wanted = Object.entries(addressesOf(rows, named, box, complain)).filter(
      ([name, { url }]) => !foreign.has(`${name} ${url}`),
    )
    if (isStopped) return
    const { added, gone } = databases.setCells(Object.fromEntries(wanted))
    for (const cell of gone)
      if (!added.includes(cell)) log.info({ cell }, 'this cell is off or removed: its businesses get 503')
    for (const cell of added)
      log.info({ cell }, gone.includes(cell) ? 'this cell has another address' : 'a cell is new')
    for (const [name, cell] of databases.cells) if (name !== MAIN_CELL) void askWho(name, cell)
  }

  /** Lets go of a database that says it is another cell's: two cells in one would mix up their businesses. */
  async function askWho(name: string, cell: Cell): Promise<void> {
    if (asked.has(cell)) return
    asked.add(cell)
    try {
      const problem = contradicts(await withClient(cell.address.url, readIdentity), name, controlId)
      if (!problem) return
      foreign.add(`${name} ${cell.address.url}`)
      complain('identity', name, `${problem} The businesses of this cell get 503: correct its address.`)
      lookSafely()
    } catch {
      asked.delete(cell) // it is away: it is asked with the next look
    }
  }

  /** One look at a time; what changes during one is seen by another. */
  function lookNow(): Promise<void> {
    isStale = true
    looking ??= (async () => {
      try {
        while (isStale) {
          isStale = false
          await look()
        }
      } finally {
        looking = undefined
      }
    })()
    return looking
  }

  const lookSafely = () => void lookNow().catch(() => {}) // the loop tries again, and logs
  listener?.on(CELLS_CHANGED, lookSafely)
  listener?.onGap(lookSafely)
  await lookNow().catch(() => {})
  const loop = startLoop('cells', everyMs, lookNow, log)
  return {
    isOff: (name) => off.has(name),
    async stop() {
      isStopped = true
      await loop.stop()
    },
  }
}

/** Where the cells are that somebody may use. Complains about those that nobody can reach from here. */
export function addressesOf(
  rows: readonly CellRow[],
  named: Addresses,
  box: SecretBox,
  complain: (about: string, cell: string, message: string) => void,
): Record<string, DatabaseAddress> {
  const found: Record<string, DatabaseAddress> = {}
  for (const { id, state, address: sealed, replicaAddress } of rows) {
    if (state === 'OFF' || id === MAIN_CELL) continue
    const kept = sealed ? openAddress(box, sealed) : undefined
    if (sealed && !kept) complain('key', id, 'SECRET_KEY does not open the address of this cell')
    const own = named[id]
    if (kept && own && (kept.url !== own.url || kept.directUrl !== own.directUrl))
      complain('address', id, 'CELLS has another address of this cell than control: that of control counts')
    const address = kept ?? (sealed ? undefined : own)
    const keptReplica = replicaAddress ? openReplicaUrl(box, replicaAddress) : undefined
    if (replicaAddress && !keptReplica)
      complain('key', id, 'SECRET_KEY does not open the address of the replica of this cell')
    const replicaUrl = keptReplica ?? own?.replicaUrl
    if (address) found[id] = { url: address.url, directUrl: address.directUrl, ...(replicaUrl && { replicaUrl }) }
  }
  return found
}

/** The same, with those of CELLS that no process has met yet: for whoever looks once, and registers nothing. */
export function allAddressesOf(...given: Parameters<typeof addressesOf>): Record<string, DatabaseAddress> {
  const [rows, named] = given
  const unmet = Object.entries(named).filter(([name]) => !rows.some(({ id }) => id === name))
  return { ...Object.fromEntries(unmet), ...addressesOf(...given) }
}
