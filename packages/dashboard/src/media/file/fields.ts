import type { Answer, Body } from '@kontor/sdk'
import { isSame } from '../../merge/is-same.ts'

type MediaFile = Answer<'getMedia'>
type Changes = Body<'updateMedia'>
export type Point = { x: number; y: number }

/** What can be changed of a file, field by field: `fileName`, `tags`, `focalPoint`, and `alt:de` for each locale. */
export type Fields = Record<string, unknown>

export const altField = (locale: string) => `alt:${locale}`
export const localeOf = (field: string) => (field.startsWith('alt:') ? field.slice(4) : undefined)

export function toFields({ fileName, tags, focalPoint, alt }: MediaFile, locales: readonly string[]): Fields {
  const fields: Fields = { fileName, tags, focalPoint }
  for (const locale of new Set([...locales, ...Object.keys(alt)])) fields[altField(locale)] = alt[locale] ?? ''
  return fields
}

/** What is to be written. `alt` is written whole, so it is of what was read last; a text of blanks is none. */
export function toChanges(before: Fields, after: Fields): Changes {
  const isChanged = (field: string) => !isSame(before[field], after[field])
  const alt = altOf(after)
  return {
    ...(isChanged('fileName') && { fileName: (after.fileName as string).trim() }),
    ...(isChanged('tags') && { tags: after.tags as string[] }),
    ...(isChanged('focalPoint') && { focalPoint: after.focalPoint as Point | null }),
    ...(!isSame(alt, altOf(before)) && { alt }),
  }
}

const altOf = (fields: Fields): Record<string, string> =>
  Object.fromEntries(
    Object.entries(fields).flatMap(([field, text]) => {
      const locale = localeOf(field)
      const written = locale === undefined ? '' : (text as string).trim()
      return locale !== undefined && written ? [[locale, written]] : []
    }),
  )

const MOST = 1_000

/** A share between nothing and all, to a tenth of a percent: finer nobody aims. */
export const toPoint = (x: number, y: number): Point => ({ x: share(x), y: share(y) })
const share = (value: number) => Math.round(Math.min(1, Math.max(0, value)) * MOST) / MOST
