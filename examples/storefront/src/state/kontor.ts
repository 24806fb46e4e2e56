import { createKontor, type PublicBusiness } from '@kontor/sdk'
import { keep, readKept, storage } from './storage.ts'
import { createStore, useStore } from './store.ts'
import { remember, useLoad } from './use-load.ts'

export const { businessId } = KONTOR_SETTINGS

/**
 * The one way to the service. What is read comes through `kontor.storefront`, which needs no login; the first quote logs in
 * as a guest by itself, and keeps the session in storage.
 */
export const kontor = createKontor({ ...KONTOR_SETTINGS, storage, timeoutMs: 12_000 })

export type Market = PublicBusiness['markets'][number]

const chosenMarket = createStore(readKept('market', ''))
const chosenLanguage = createStore(readKept('language', ''))

export function chooseMarket(id: string) {
  keep('market', id)
  chosenMarket.set(id)
}
export function chooseLanguage(locale: string) {
  keep('language', locale)
  chosenLanguage.set(locale)
}

// As it was last time, until it is here: markets and languages decide what much of the page looks like.
const before = readKept<PublicBusiness | null>('business', null)
if (before) remember('business', before)

export const useBusiness = () =>
  useLoad('business', async () => {
    const business = await kontor.storefront.get()
    keep('business', business)
    return business
  })

/** The market that was chosen, if the business still has it; else its first one. */
export function useMarket(): Market | undefined {
  const chosen = useStore(chosenMarket)
  const markets = useBusiness().value?.markets
  return markets?.find(({ id }) => id === chosen) ?? markets?.[0]
}

/** What the shop is read in: as chosen, else as the browser says, else the business's own. */
export function useLanguage() {
  const chosen = useStore(chosenLanguage)
  const { locales = [], defaultLocale = '' } = useBusiness().value ?? {}
  const [spoken = ''] = navigator.language.split('-')
  return {
    locales,
    language: [chosen, navigator.language, spoken].find((each) => locales.includes(each)) ?? defaultLocale,
  }
}

/** Whose prices and in which language; undefined until the business is known. */
export type View = { market: string; locale: string }

export function useView(): View | undefined {
  const market = useMarket()
  const { language } = useLanguage()
  return market && { market: market.id, locale: language }
}

const session = createStore<{ userId: string; isGuest: boolean } | undefined>(undefined)
void kontor.session.current().then(session.set)
kontor.session.onChange(session.set)

export const useSession = () => useStore(session)
