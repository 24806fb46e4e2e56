/** As it stands in the fields: empty means as everybody, and files are in gigabytes. */
export type LimitsForm = { requestsPerMinute: string; mailsPerDay: string; gigabytes: string }
export type Limits = { requestsPerMinute: number | null; mailsPerDay: number | null; mediaBytes: number | null }

const GIGABYTE = 1_000_000_000
const textOf = (value: number | null) => (value === null ? '' : String(value))

export const formOf = ({ requestsPerMinute, mailsPerDay, mediaBytes }: Limits): LimitsForm => ({
  requestsPerMinute: textOf(requestsPerMinute),
  mailsPerDay: textOf(mailsPerDay),
  gigabytes: textOf(mediaBytes === null ? null : mediaBytes / GIGABYTE),
})

/** Undefined: it is no figure. A comma is a point, as people type it. */
export function figureOf(text: string, isWhole: boolean): number | null | undefined {
  const typed = text.trim().replace(',', '.')
  if (typed === '') return null
  if (!(isWhole ? /^\d{1,10}$/ : /^\d{1,6}(\.\d{1,9})?$/).test(typed)) return undefined
  return Number(typed)
}

/** What is to be set; the names of the fields that are no figures otherwise. */
export function limitsOf(form: LimitsForm): { limits: Limits } | { wrong: (keyof LimitsForm)[] } {
  const requestsPerMinute = figureOf(form.requestsPerMinute, true)
  const mailsPerDay = figureOf(form.mailsPerDay, true)
  const gigabytes = figureOf(form.gigabytes, false)
  if (requestsPerMinute === undefined || mailsPerDay === undefined || gigabytes === undefined) {
    const all = { requestsPerMinute, mailsPerDay, gigabytes }
    return { wrong: (Object.keys(all) as (keyof LimitsForm)[]).filter((name) => all[name] === undefined) }
  }
  const mediaBytes = gigabytes === null ? null : Math.round(gigabytes * GIGABYTE)
  return { limits: { requestsPerMinute, mailsPerDay, mediaBytes } }
}
