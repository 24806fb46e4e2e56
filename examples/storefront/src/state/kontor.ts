import { type Business, createKontor } from '@kontor/sdk'
import { keep, readKept, storage } from './storage.ts'
import { createStore, useStore } from './store.ts'
import { remember, useLoad } from './use-load.ts'

export const { businessId } = KONTOR_SETTINGS

/** The one way to the service. It logs in as a guest by itself, and keeps the session in storage. */
export const kontor = createKontor({ ...KONTOR_SETTINGS, storage, timeoutMs: 12_000 })

export type Market = Business['markets'][number]

const chosenMarket = createStore(readKept('market', ''))

export function chooseMarket(id: string) {
  keep('market', id)
  chosenMarket.set(id)
}

// As it was last time, until it is here: markets decide what much of the page looks like.
const before = readKept<Business | null>('business', null)
if (before) remember('business', before)

export const useBusiness = () =>
  useLoad('business', async () => {
    const business = await kontor.business.get()
    keep('business', business)
    return business
  })

/** The market that was chosen, if the business still has it; else its first one. */
export function useMarket(): Market | undefined {
  const chosen = useStore(chosenMarket)
  const markets = useBusiness().value?.markets
  return markets?.find(({ id }) => id === chosen) ?? markets?.[0]
}

const session = createStore<{ userId: string; isGuest: boolean } | undefined>(undefined)
void kontor.session.current().then(session.set)
kontor.session.onChange(session.set)

export const useSession = () => useStore(session)
