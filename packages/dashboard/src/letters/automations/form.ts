import type { Automation, Trigger } from '../types.ts'

export const TRIGGERS: readonly Trigger[] = ['WELCOME', 'CHECKOUT_UNFINISHED', 'BACK_IN_STOCK']
export const UNITS = { minutes: 1, hours: 60, days: 1_440 } as const
export type Unit = keyof typeof UNITS

const MAX_DELAY = 43_200
const MAX_TIMES = 10
const MAX_DAYS = 365

/** As it is typed. */
export type AutomationForm = {
  entryId: string
  delay: string
  unit: Unit
  times: string
  days: string
  isEnabled: boolean
}
export type Field = keyof AutomationForm
export const FIELDS: readonly Field[] = ['entryId', 'delay', 'unit', 'times', 'days', 'isEnabled']

type Told = Pick<Automation, 'entryId' | 'delayMinutes' | 'limit' | 'isEnabled'>

/** What most shops want. */
const USUAL: Record<Trigger, Omit<Told, 'entryId' | 'isEnabled'>> = {
  WELCOME: { delayMinutes: 0, limit: { times: 1, days: 365 } },
  CHECKOUT_UNFINISHED: { delayMinutes: 120, limit: { times: 1, days: 7 } },
  BACK_IN_STOCK: { delayMinutes: 0, limit: { times: 3, days: 7 } },
}

/** The largest unit that says it in whole numbers. */
export function unitOf(minutes: number): Unit {
  if (minutes === 0) return 'minutes'
  return minutes % UNITS.days === 0 ? 'days' : minutes % UNITS.hours === 0 ? 'hours' : 'minutes'
}

export function toForm(trigger: Trigger, known: Told | undefined): AutomationForm {
  const { entryId, delayMinutes, limit, isEnabled } = known ?? { ...USUAL[trigger], entryId: '', isEnabled: true }
  const unit = unitOf(delayMinutes)
  return {
    entryId,
    delay: String(delayMinutes / UNITS[unit]),
    unit,
    times: String(limit.times),
    days: String(limit.days),
    isEnabled,
  }
}

const whole = (text: string) => (/^\d{1,6}$/.test(text.trim()) ? Number(text) : Number.NaN)
const isBetween = (value: number, least: number, most: number) => value >= least && value <= most

/** What would be sent, and which fields are not right. */
export function readForm({ entryId, delay, unit, times, days, isEnabled }: AutomationForm) {
  const delayMinutes = whole(delay) * UNITS[unit]
  const limit = { times: whole(times), days: whole(days) }
  const wrong = new Set<Field>()
  if (entryId === '') wrong.add('entryId')
  if (!isBetween(delayMinutes, 0, MAX_DELAY)) wrong.add('delay')
  if (!isBetween(limit.times, 1, MAX_TIMES)) wrong.add('times')
  if (!isBetween(limit.days, 1, MAX_DAYS)) wrong.add('days')
  return { body: { entryId, delayMinutes, limit, isEnabled }, wrong }
}
