import { useLingui } from '@lingui/react/macro'
import { useFormat } from '../../session/use-format.ts'
import { Status } from '../../ui/status.tsx'
import type { ReaderStatus } from '../search.ts'
import type { Newsletter, Suppression } from '../types.ts'

export type Plan = NonNullable<Newsletter['plans']>[number]

export function useStatusNames(): Record<ReaderStatus, string> {
  const { t } = useLingui()
  return { ACTIVE: t`Subscribed`, PENDING: t`Not confirmed yet`, PAST_DUE: t`Payment failed`, CANCELLED: t`Has left` }
}

export function ReaderState({ status }: { status: ReaderStatus }) {
  const names = useStatusNames()
  switch (status) {
    case 'ACTIVE':
      return (
        <Status fill="full" tone="good">
          {names.ACTIVE}
        </Status>
      )
    case 'PENDING':
      return (
        <Status fill="ring" tone="wait">
          {names.PENDING}
        </Status>
      )
    case 'PAST_DUE':
      return (
        <Status fill="half" tone="alert">
          {names.PAST_DUE}
        </Status>
      )
    default:
      return <Status fill="off">{names.CANCELLED}</Status>
  }
}

/** What a plan costs, as one would say it. */
export function usePriceOf() {
  const { t } = useLingui()
  const { money } = useFormat()
  return ({ price }: Plan): string => {
    if (!price || price.amount === 0) return t`free`
    const amount = money(price.amount, price.currency.toUpperCase())
    return price.interval === 'YEARLY' ? t`${amount} a year` : t`${amount} a month`
  }
}

/** Why an address gets no letters, and what follows from it. */
export function useReasonWords(): Record<Suppression['reason'], { name: string; about: string }> {
  const { t } = useLingui()
  return {
    BOUNCE: {
      name: t`Bounced`,
      about: t`The mailbox does not exist, or takes nothing. Whoever goes on writing there is taken for a spammer.`,
    },
    COMPLAINT: {
      name: t`Complained`,
      about: t`The reader has marked a letter as spam. Writing again harms all other letters of yours.`,
    },
    UNSUBSCRIBED: {
      name: t`Left everything`,
      about: t`The reader wants no letters of yours any more. They can come back by themselves.`,
    },
  }
}
