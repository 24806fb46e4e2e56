import { type Format, useFormatIn } from '../i18n/format.ts'
import { useBusiness } from './use-business.ts'

/** Money, dates and figures as this person reads them, at the clock of this business. */
export const useFormat = (): Format => useFormatIn(useBusiness().timeZone)
