import { setTimeout as sleep } from 'node:timers/promises'
import type pg from 'pg'
import { type Cell, leaseFrom } from './database.ts'
import { openReplica, type Replica, type ReplicaOptions } from './replica.ts'
import { readPosition } from './watch.ts'

const ASK_AGAIN_MS = 100

/**
 * For long reads that come seldom, such as exports and checks, where nobody watches the replicas: `of` gives the replica of a cell
 * once that has all that is written by now. If it does not have it in time, or cannot be used, the cell itself.
 */
export function createReplicaReaders({ maxLagSeconds, ...options }: Omit<ReplicaOptions, 'onRead'>) {
  const open = new Map<Cell, Replica>()

  async function replicaOf(cell: Cell, url: string): Promise<Replica> {
    const known = open.get(cell)
    if (known?.url === url) return known
    await known?.close()
    const replica = openReplica(cell, url, { ...options, maxLagSeconds: Number.MAX_SAFE_INTEGER }) // `hasReached` decides
    open.set(cell, replica)
    return replica
  }

  return {
    async of(cell: Cell): Promise<Cell> {
      if (cell.replicaUrl === undefined) return cell
      const replica = await replicaOf(cell, cell.replicaUrl)
      const deadline = performance.now() + maxLagSeconds * 1_000
      const position = await positionOf(cell)
      for (await replica.follow(position); position; await replica.follow(undefined)) {
        if (replica.hasReached(position)) return replica.db
        if (performance.now() > deadline) break
        await sleep(ASK_AGAIN_MS)
      }
      return cell
    },
    async close(): Promise<void> {
      await Promise.all([...open.values()].map((replica) => replica.close()))
      open.clear()
    },
  }
}

async function positionOf(cell: Cell) {
  const { client, release } = await leaseFrom(cell.pool)
  try {
    return await readPosition(client as unknown as pg.Client).catch(() => undefined)
  } finally {
    release()
  }
}
