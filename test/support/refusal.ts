import type { Answer } from './client.ts'

/** An answer in one line: `409 CONFLICT name NAME_EXISTS`; just the status when nothing was refused. */
export function refusal({ status, body }: Pick<Answer, 'status' | 'body'>): string {
  if (status < 400) return String(status)
  const details = body.details.map((detail: { field: string; error: string }) => `${detail.field} ${detail.error}`)
  return [status, body.error, ...details.sort()].join(' ')
}
