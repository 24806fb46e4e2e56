import type { Body } from '@kontor/sdk'
import type { Callout } from './words.ts'

/** As it is typed: the limit is text until it is right. */
export type CalloutForm = { url: string; timeoutMs: string; onFailure: Callout['onFailure']; isEnabled: boolean }

export const EMPTY: CalloutForm = { url: '', timeoutMs: '1000', onFailure: 'FAIL', isEnabled: true }

export const toForm = ({ url, timeoutMs, onFailure, isEnabled }: Callout): CalloutForm => ({
  url,
  timeoutMs: String(timeoutMs),
  onFailure,
  isEnabled,
})

const LEAST_MS = 100
const MOST_MS = 3_000

export const limitOf = (typed: string): number | undefined => {
  const ms = /^\d{1,4}$/.test(typed.trim()) ? Number(typed) : undefined
  return ms !== undefined && ms >= LEAST_MS && ms <= MOST_MS ? ms : undefined
}

/** Only these fields: what others have changed besides stays. */
export function toBody(form: CalloutForm, fields: readonly (keyof CalloutForm)[]): Body<'saveCallout'> {
  const all = { ...form, url: form.url.trim(), timeoutMs: limitOf(form.timeoutMs) }
  return Object.fromEntries(fields.map((field) => [field, all[field]]))
}
