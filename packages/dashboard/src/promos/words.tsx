import { fractionDigits } from '@kontor/sdk'
import { useLingui } from '@lingui/react/macro'
import type { ReactNode } from 'react'
import { useBusiness } from '../session/use-business.ts'
import { useFormat } from '../session/use-format.ts'
import { type Fill, Status, type Tone } from '../ui/status.tsx'
import { leastCurrencyOf } from './promo/form.ts'
import type { Promo } from './queries.ts'
import type { PromoStatus } from './search.ts'

const BPS = 10_000

/** As the service has it: the first that fits. */
export function statusOf({ startsAt, endsAt, redemptions, maxRedemptions }: Promo, nowMs = Date.now()): PromoStatus {
  const now = nowMs / 1_000
  if (endsAt !== null && endsAt <= now) return 'ENDED'
  if (maxRedemptions !== null && redemptions >= maxRedemptions) return 'USED_UP'
  return startsAt !== null && startsAt > now ? 'PLANNED' : 'ACTIVE'
}

const DOTS: Record<PromoStatus, { fill: Fill; tone: Tone }> = {
  ACTIVE: { fill: 'full', tone: 'good' },
  PLANNED: { fill: 'ring', tone: 'act' },
  USED_UP: { fill: 'full', tone: 'soft' },
  ENDED: { fill: 'off', tone: 'soft' },
}

export function useStatusNames(): Record<PromoStatus, string> {
  const { t } = useLingui()
  return { ACTIVE: t`Active`, PLANNED: t`Planned`, USED_UP: t`Used up`, ENDED: t`Ended` }
}

export function PromoState({ promo }: { promo: Promo }) {
  const names = useStatusNames()
  const status = statusOf(promo)
  return <Status {...DOTS[status]}>{names[status]}</Status>
}

type Given = Pick<Promo, 'type' | 'value' | 'currency'>
type Terms = Given &
  Pick<Promo, 'minSubtotal' | 'maxRedemptions' | 'maxPerCustomer' | 'markets' | 'startsAt' | 'endsAt'>

/** What a code gives and when, as one would say it. */
export function usePromoWords() {
  const { t } = useLingui()
  const format = useFormat()
  const business = useBusiness()
  const all = business.markets
  const percent = new Intl.NumberFormat(format.locale, { style: 'percent', maximumFractionDigits: 2 })
  const nameOf = (id: string) => all.find((market) => market.id === id)?.name ?? id
  return {
    gives: ({ type, value, currency }: Given): string =>
      type === 'PERCENT' ? percent.format(value / BPS) : format.money(value, currency ?? 'XXX'),
    terms: ({ type, currency, minSubtotal, maxPerCustomer, markets }: Terms): string => {
      const ofLeast = leastCurrencyOf(business, { type, currency: currency ?? '' })
      const currencies = new Set(all.map(({ currency }) => currency))
      // The least is one figure for all markets; only where they have one currency it can be written with it.
      const least =
        minSubtotal === null
          ? undefined
          : currencies.size === 1
            ? format.money(minSubtotal, ofLeast)
            : format.number(minSubtotal / 10 ** fractionDigits(ofLeast))
      return [
        least && t`from ${least}`,
        markets && t`in ${markets.map(nameOf).join(', ')}`,
        maxPerCustomer === 1 ? t`once a customer` : maxPerCustomer !== null && t`${maxPerCustomer} times a customer`,
      ]
        .filter(Boolean)
        .join(', ')
    },
    time: ({ startsAt, endsAt }: Pick<Promo, 'startsAt' | 'endsAt'>): string => {
      if (startsAt !== null && endsAt !== null) return `${format.date(startsAt)} – ${format.date(endsAt)}`
      if (startsAt !== null) return t`from ${format.date(startsAt)}`
      return endsAt === null ? t`always` : t`until ${format.date(endsAt)}`
    },
  }
}

export const Uses = ({ promo: { redemptions, maxRedemptions } }: { promo: Promo }): ReactNode => {
  const { t } = useLingui()
  const { number } = useFormat()
  return maxRedemptions === null ? number(redemptions) : t`${number(redemptions)} of ${number(maxRedemptions)}`
}
