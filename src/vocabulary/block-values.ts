import { type Static, type TSchema, Type } from 'typebox'
import { Check, Errors } from 'typebox/value'
import { type Detail, invalidFields } from './errors.ts'
import { cleanHtml } from './html.ts'
import { isLocale } from './locales.ts'
import { NewMedia, toMedia } from './media.ts'
import { Id } from './schemas.ts'

export type Report = (field: string, error: string, message: string) => void

type Settings = {
  maxLength?: number | undefined
  variant?: string | undefined
  options?: readonly string[] | undefined
}

/** Answers the value as it is to be stored; what is wrong with it is reported. */
type CheckValue = (value: unknown, at: string, report: Report, settings: Settings) => unknown

const DEFAULT_MAX_LENGTH = 100_000
const MAX_LOCALES = 100
const MAX_MEDIA = 100
const MAX_CHOICES = 500
const MAX_DETAILS = 100

// Years 1 to 9999: unlike what the service itself notes, a date in content may lie before 1970.
const Instant = Type.Integer({ minimum: -62_135_596_800, maximum: 253_402_300_799 })
const GeoLocation = Type.Object({
  latitude: Type.Number({ minimum: -90, maximum: 90 }),
  longitude: Type.Number({ minimum: -180, maximum: 180 }),
})
const Choice = Type.String({ maxLength: 200 })

const CHECKS = {
  TEXT: checkText,
  NUMBER: ofShape(Type.Number()),
  BOOLEAN: ofShape(Type.Boolean()),
  DATE: ofShape(Instant),
  RELATIONSHIP: ofShape(Id),
  GEO_LOCATION: ofShape(GeoLocation, ({ latitude, longitude }) => ({ latitude, longitude })),
  MEDIA: checkMedia,
  SELECT: checkChoice,
  MULTI_SELECT: checkChoices,
} satisfies Record<string, CheckValue>

/** An empty value (absent or null) is right for every type. */
export function checkValue(
  block: { type: keyof typeof CHECKS; settings?: Settings | undefined; value?: unknown },
  at: string,
  report: Report,
): unknown {
  if (block.value === undefined || block.value === null) return block.value
  return CHECKS[block.type](block.value, at, report, block.settings ?? {})
}

/** Nothing was filled in: no value, or one with nothing in it. */
export const isEmpty = (value: unknown) =>
  value === undefined ||
  value === null ||
  value === '' ||
  (typeof value === 'object' && Object.values(value).every((part) => part === ''))

/** Gathers what is wrong, one detail a field, up to a hundred: a hostile body is not answered with a longer one. */
export function collectDetails() {
  const details = new Map<string, Detail>()
  const report: Report = (field, error, message) => {
    if (details.size < MAX_DETAILS && !details.has(field)) details.set(field, { field, error, message })
  }
  const throwIfAny = () => {
    if (details.size > 0) throw invalidFields([...details.values()])
  }
  return { report, throwIfAny }
}

function ofShape<Shape extends TSchema>(shape: Shape, keep = (value: Static<Shape>): unknown => value): CheckValue {
  return (value, at, report) => {
    if (Check(shape, value)) return keep(value)
    for (const { keyword, instancePath, params, message } of Errors(shape, value)) {
      const field = at + instancePath.replaceAll('/', '.')
      if (keyword === 'required') {
        for (const name of params.requiredProperties) {
          report(`${field}.${name}`, 'REQUIRED', `${field}.${name} is required.`)
        }
      } else {
        report(field, keyword === 'maxLength' ? 'TOO_LONG' : 'INVALID', `${field} ${message}.`)
      }
    }
    return value
  }
}

function checkText(value: unknown, at: string, report: Report, settings: Settings): unknown {
  if (typeof value === 'string') return checkOneText(value, at, report, settings)
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    return report(at, 'INVALID', `${at} must be a text, or an object of texts by locale.`)
  }
  const texts = Object.entries(value)
  if (texts.length > MAX_LOCALES) return report(at, 'INVALID', `${at} cannot have more than ${MAX_LOCALES} locales.`)
  return Object.fromEntries(
    texts.map(([locale, text]) => {
      const field = `${at}.${locale.slice(0, 35).toWellFormed()}`
      if (!isLocale(locale)) report(field, 'INVALID', `${field}: the key is not a locale such as en or de-CH.`)
      return [locale, checkOneText(text, field, report, settings)]
    }),
  )
}

function checkOneText(text: unknown, at: string, report: Report, { maxLength, variant }: Settings): unknown {
  const limit = maxLength ?? DEFAULT_MAX_LENGTH
  const tooLong = () => report(at, 'TOO_LONG', `${at} cannot be longer than ${limit} characters.`)
  if (typeof text !== 'string') return report(at, 'INVALID', `${at} must be a text.`)
  if (isLonger(text, limit)) return tooLong()
  if (variant !== 'HTML') return text

  const html = cleanHtml(text)
  // Cleaning may lengthen a text (& becomes &amp;). What is stored must fit, or it could not be sent back as it was read.
  return isLonger(html, limit) ? tooLong() : html
}

/** Counts code points, as JSON schemas do; the first look spares most texts the count. */
function isLonger(text: string, limit: number): boolean {
  if (text.length <= limit) return false
  if (text.length > 2 * limit) return true
  return Array.from(text).length > limit
}

const checkOneMedia = ofShape(NewMedia, toMedia)

function checkMedia(value: unknown, at: string, report: Report, settings: Settings): unknown {
  if (!Array.isArray(value)) return checkOneMedia(value, at, report, settings)
  if (value.length > MAX_MEDIA) return report(at, 'INVALID', `${at} cannot have more than ${MAX_MEDIA} items.`)
  return value.map((item, index) => checkOneMedia(item, `${at}.${index}`, report, settings))
}

const isChoice = ofShape(Choice)

function checkChoice(value: unknown, at: string, report: Report, settings: Settings): unknown {
  const { options = [] } = settings
  if (options.length === 0) return isChoice(value, at, report, settings)
  if (options.includes(value as string)) return value
  report(at, 'INVALID', `${at} must be one of the block’s options.`)
}

function checkChoices(value: unknown, at: string, report: Report, settings: Settings): unknown {
  if (!Array.isArray(value)) return report(at, 'INVALID', `${at} must be an array of choices.`)
  if (value.length > MAX_CHOICES) return report(at, 'INVALID', `${at} cannot have more than ${MAX_CHOICES} choices.`)
  const seen = new Set<unknown>()
  for (const [index, choice] of value.entries()) {
    const field = `${at}.${index}`
    checkChoice(choice, field, report, settings)
    if (seen.has(choice)) report(field, 'DUPLICATE', `${field} is chosen twice.`)
    seen.add(choice)
  }
  return [...value]
}
