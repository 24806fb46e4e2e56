/** As it stands in the fields: empty means as everybody, and files are in gigabytes. */
export type LimitsForm = {
  requestsPerMinute: string
  requestsAtOnce: string
  jobsAtOnce: string
  mailsPerDay: string
  gigabytes: string
}
export type Limits = {
  requestsPerMinute: number | null
  requestsAtOnce: number | null
  jobsAtOnce: number | null
  mailsPerDay: number | null
  mediaBytes: number | null
}

const GIGABYTE = 1_000_000_000
const textOf = (value: number | null) => (value === null ? '' : String(value))

export const formOf = (limits: Limits): LimitsForm => ({
  requestsPerMinute: textOf(limits.requestsPerMinute),
  requestsAtOnce: textOf(limits.requestsAtOnce),
  jobsAtOnce: textOf(limits.jobsAtOnce),
  mailsPerDay: textOf(limits.mailsPerDay),
  gigabytes: textOf(limits.mediaBytes === null ? null : limits.mediaBytes / GIGABYTE),
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
  const read = {
    requestsPerMinute: figureOf(form.requestsPerMinute, true),
    requestsAtOnce: atOnceOf(form.requestsAtOnce, 1_000),
    jobsAtOnce: atOnceOf(form.jobsAtOnce, 100),
    mailsPerDay: figureOf(form.mailsPerDay, true),
    gigabytes: figureOf(form.gigabytes, false),
  }
  const wrong = (Object.keys(read) as (keyof LimitsForm)[]).filter((name) => read[name] === undefined)
  if (wrong.length > 0) return { wrong }
  const { gigabytes, ...figures } = read as Record<keyof LimitsForm, number | null>
  return { limits: { ...figures, mediaBytes: gigabytes === null ? null : Math.round(gigabytes * GIGABYTE) } }
}

/** What is done at the same time is at least one. */
function atOnceOf(text: string, most: number): number | null | undefined {
  const figure = figureOf(text, true)
  return typeof figure === 'number' && (figure < 1 || figure > most) ? undefined : figure
}
