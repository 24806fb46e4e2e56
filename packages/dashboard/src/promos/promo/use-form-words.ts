import { amountStep } from '@kontor/sdk'
import { useLingui } from '@lingui/react/macro'
import { useBusiness } from '../../session/use-business.ts'
import { useFormat } from '../../session/use-format.ts'
import type { Field, Problem, PromoForm } from './form.ts'

export function useFieldNames(): Record<Field, string> {
  const { t } = useLingui()
  return {
    code: t`Code`,
    type: t`Kind`,
    value: t`Value`,
    currency: t`Currency`,
    minSubtotal: t`Goods at least`,
    maxRedemptions: t`Uses in all`,
    maxPerCustomer: t`Uses for each customer`,
    startsAt: t`From`,
    endsAt: t`Until before`,
    markets: t`Markets`,
  }
}

export function useProblemWords() {
  const { t } = useLingui()
  const format = useFormat()
  const words: Record<Exclude<Problem, 'step'>, string> = {
    missing: t`Required`,
    number: t`This is no figure that can be used here.`,
    percent: t`At most 100 percent.`,
    code: t`Only letters, digits, _ and -.`,
    order: t`It would end before it begins.`,
  }
  return (problem: Problem | undefined, currency: string) => {
    if (problem !== 'step') return problem && words[problem]
    const least = format.money(amountStep(currency), currency)
    return t`Enter a multiple of ${least}.`
  }
}

/** What was typed into a field, as one reads it. */
export function useShownField() {
  const { t } = useLingui()
  const { markets } = useBusiness()
  const nameOf = (id: string) => markets.find((one) => one.id === id)?.name ?? id
  return (value: PromoForm[Field]): string => {
    if (Array.isArray(value)) return value.length > 0 ? value.map(nameOf).join(', ') : t`all`
    if (value === 'PERCENT') return t`A part of the goods`
    if (value === 'FIXED') return t`An amount`
    return value.replace('T', ' ') || '–'
  }
}
