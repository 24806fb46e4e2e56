import { useSyncExternalStore } from 'react'
import { useSigned } from '../session/use-signed.ts'
import { draftName } from '../ui/drafts.ts'
import type { Place } from './tree.ts'

export type Move = Place & {
  key: string
  id: string
  name: string
  /** As the person saw it who moved it. */
  fromId: string | null
  etag: string
}

const NONE: readonly Move[] = []
const queues = new Map<string, readonly Move[]>()
const running = new Set<string>()
const listeners = new Set<() => void>()

/** Moves of which it is not known yet that they were done; kept over a reload, as drafts are. */
const movesOf = (name: string): readonly Move[] => {
  const known = queues.get(name)
  if (known) return known
  const kept = sessionStorage.getItem(name)
  const read = kept === null ? NONE : (JSON.parse(kept) as Move[])
  queues.set(name, read)
  return read
}

function put(name: string, moves: readonly Move[]): void {
  queues.set(name, moves)
  if (moves.length === 0) sessionStorage.removeItem(name)
  else sessionStorage.setItem(name, JSON.stringify(moves))
  for (const listener of listeners) listener()
}

type Carry = (move: Move) => Promise<void>

/** One after another: each may depend on the one before. A second move of the same takes the place of one that waits. */
export function queueMove(name: string, move: Move, carry: Carry): void {
  const [first, ...rest] = movesOf(name)
  const others = rest.filter(({ id }) => id !== move.id)
  const replaced = rest.find(({ id }) => id === move.id)
  const next = replaced ? { ...move, fromId: replaced.fromId, etag: replaced.etag } : move
  put(name, first ? [first, ...others, next] : [next])
  void carryOn(name, carry)
}

export async function carryOn(name: string, carry: Carry): Promise<void> {
  if (running.has(name)) return
  running.add(name)
  try {
    for (let next = movesOf(name)[0]; next; next = movesOf(name)[0]) {
      const { key } = next
      await carry(next)
      put(
        name,
        movesOf(name).filter((move) => move.key !== key),
      )
    }
  } finally {
    running.delete(name)
  }
}

const subscribe = (listener: () => void) => {
  listeners.add(listener)
  return () => void listeners.delete(listener)
}

export function useQueuedMoves(businessId: string) {
  const name = draftName(useSigned()?.userId ?? '', `category-moves:${businessId}`)
  return { name, moves: useSyncExternalStore(subscribe, () => movesOf(name)) }
}
