import { plural } from '@lingui/core/macro'
import { useLingui } from '@lingui/react/macro'
import type { Trigger } from '../types.ts'
import { UNITS, unitOf } from './form.ts'

export function useTriggerNames(): Record<Trigger, string> {
  const { t } = useLingui()
  return {
    WELCOME: t`Welcome`,
    CHECKOUT_UNFINISHED: t`Unfinished checkout`,
    BACK_IN_STOCK: t`Back in stock`,
  }
}

/** What the letter is for, before there is one. */
export function useTriggerNotes(): Record<Trigger, string> {
  const { t } = useLingui()
  return {
    WELCOME: t`A letter for everybody who becomes a reader.`,
    CHECKOUT_UNFINISHED: t`A letter for readers whose order ran out unpaid.`,
    BACK_IN_STOCK: t`A letter for readers who wait for something that is sold out.`,
  }
}

type Told = { trigger: Trigger; delayMinutes: number; limit: { times: number; days: number }; title: string }

/** In plain words, what happens. */
export function useSentence() {
  const { t } = useLingui()
  const spanOf = (minutes: number): string => {
    const unit = unitOf(minutes)
    const count = minutes / UNITS[unit]
    if (unit === 'days') return t`${plural(count, { one: '# day', other: '# days' })}`
    if (unit === 'hours') return t`${plural(count, { one: '# hour', other: '# hours' })}`
    return t`${plural(count, { one: '# minute', other: '# minutes' })}`
  }
  const whenOf = ({ trigger, delayMinutes, title }: Told): string => {
    const span = spanOf(delayMinutes)
    const isNow = delayMinutes === 0
    switch (trigger) {
      case 'WELCOME':
        return isNow
          ? t`As soon as somebody becomes a reader, they get “${title}”.`
          : t`${span} after somebody becomes a reader, they get “${title}”.`
      case 'CHECKOUT_UNFINISHED':
        return isNow
          ? t`As soon as a reader’s checkout has run out unpaid, they get “${title}”, unless they have ordered since.`
          : t`${span} after a reader’s checkout has run out unpaid, they get “${title}”, unless they have ordered since.`
      default:
        return isNow
          ? t`As soon as something that a reader waits for is back in stock, they get “${title}”.`
          : t`${span} after something that a reader waits for is back in stock, they get “${title}”, if it is still there.`
    }
  }
  const limitOf = ({ limit: { times, days } }: Told): string => {
    const span = t`${plural(days, { one: 'a day', other: '# days' })}`
    return times === 1
      ? t`Nobody gets it more than once in ${span}.`
      : t`Nobody gets it more than ${times} times in ${span}.`
  }
  return (told: Told) => `${whenOf(told)} ${limitOf(told)}`
}
