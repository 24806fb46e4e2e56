import type { OperationId } from '@kontor/sdk'
import { useSyncExternalStore } from 'react'
import { useBusiness } from '../session/use-business.ts'
import { type Ask, ask, outboxStore } from './outbox.ts'

export const useOutbox = () => useSyncExternalStore(outboxStore.subscribe, outboxStore.get)

export const useRefused = () => useSyncExternalStore(outboxStore.subscribe, outboxStore.getRefused)

/** What was asked about a record and is not yet known. */
export const useAsked = (id: string) => useOutbox().filter(({ about }) => about.includes(id))

/** `const ask = useAsk()`, `await ask({ operation: 'shipOrders', input: { body }, label: t`Ship 3 orders`, about })`. */
export function useAsk() {
  const { id } = useBusiness()
  return <Id extends OperationId>(wanted: Ask<Id>) => ask(id, wanted)
}
