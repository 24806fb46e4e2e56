import { oneOf, wordOf } from '../../shell/search.ts'

const TABS = ['history'] as const

/** What the address of a product says besides its id. */
export type ProductPageSearch = {
  tab?: (typeof TABS)[number] | undefined
  /** The language whose texts are shown; none: that of the business. */
  locale?: string | undefined
}

export const readProductSearch = (search: Record<string, unknown>): ProductPageSearch => ({
  tab: oneOf(search.tab, TABS),
  locale: wordOf(search.locale),
})
