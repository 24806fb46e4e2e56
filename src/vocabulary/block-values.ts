import { type Static, type TSchema, Type } from 'typebox'
import { Check, Errors } from 'typebox/value'
import { type Detail, invalidFields } from './errors.ts'
import { cleanHtml } from './html.ts'
import { MAX_CHOICES, MAX_LOCALES } from './limits.ts'
import { isLocale } from './locales.ts'
import { AddressedMedia, type KnownMedia, NewMedia, toMedia } from './media.ts'
import * as refusal from './refusals.ts'
import { Id } from './schemas.ts'

export type Report = (detail: Detail) => void

/** A stored value is returned as it stands, without cleaning: its HTML was cleaned when it was written. */
export type Stored = { isHtml: boolean }

/**
 * Returns the value to store, or checks one that is already `stored`; mistakes go to `report`. `known`: the files that MEDIA
 * may name.
 */
export type CheckValue = (value: unknown, at: string, report: Report, stored?: Stored, known?: KnownMedia) => unknown

type Settings = {
  maxLength?: number | undefined
  variant?: string | undefined
  min?: number | undefined
  max?: number | undefined
  integer?: boolean | undefined
  options?: readonly string[] | undefined
  accept?: readonly string[] | undefined
  maxItems?: number | undefined
}

const DEFAULT_MAX_LENGTH = 100_000
const MAX_MEDIA = 100
const MAX_DETAILS = 100

// Years 1 to 9999: unlike the service's own timestamps, a date in content may lie before 1970.
const Instant = Type.Integer({ minimum: -62_135_596_800, maximum: 253_402_300_799 })
const GeoLocation = Type.Object({
  latitude: Type.Number({ minimum: -90, maximum: 90 }),
  longitude: Type.Number({ minimum: -180, maximum: 180 }),
})

const checkBoolean = ofShape(Type.Boolean())
const checkDate = ofShape(Instant)
const checkId = ofShape(Id)
const checkGeoLocation = ofShape(GeoLocation, ({ latitude, longitude }) => ({ latitude, longitude }))
const checkNamedFile = ofShape(NewMedia)
const checkAddress = ofShape(AddressedMedia)
const checkAnyChoice = ofShape(Type.String({ maxLength: 200 }))

const CHECKS = {
  TEXT: makeTextCheck,
  NUMBER: makeNumberCheck,
  BOOLEAN: () => checkBoolean,
  DATE: () => checkDate,
  RELATIONSHIP: () => checkId,
  GEO_LOCATION: () => checkGeoLocation,
  MEDIA: makeMediaCheck,
  SELECT: makeChoiceCheck,
  MULTI_SELECT: makeChoicesCheck,
} satisfies Record<string, (settings: Settings) => CheckValue>

/** Compiles the check of one block from its settings. An empty value is valid for every type. */
export function makeCheck(type: keyof typeof CHECKS, settings: Settings = {}): CheckValue {
  const check = CHECKS[type](settings)
  return (value, at, report, stored, known) => (isAbsent(value) ? value : check(value, at, report, stored, known))
}

export const isAbsent = (value: unknown): value is null | undefined => value === undefined || value === null

/** No value, or an empty one. */
export const isEmpty = (value: unknown) =>
  isAbsent(value) || value === '' || (typeof value === 'object' && Object.values(value).every((part) => part === ''))

export type Details = ReturnType<typeof collectDetails>

/** Collects mistakes, one detail a field, up to a hundred: a hostile body gets no longer response. */
export function collectDetails() {
  const details = new Map<string, Detail>()
  /** Further mistakes would not be reported. */
  const isFull = () => details.size >= MAX_DETAILS
  const report: Report = (detail) => {
    if (!isFull() && !details.has(detail.field)) details.set(detail.field, detail)
  }
  const listDetails = () => [...details.values()]
  const throwIfAny = () => {
    if (details.size > 0) throw invalidFields(listDetails())
  }
  return { report, listDetails, isFull, throwIfAny }
}

function ofShape<Shape extends TSchema>(shape: Shape, keep = (value: Static<Shape>): unknown => value): CheckValue {
  return (value, at, report) => {
    if (Check(shape, value)) return keep(value)
    for (const { keyword, instancePath, params, message } of Errors(shape, value)) {
      const field = at + instancePath.replaceAll('/', '.')
      if (keyword === 'required') {
        for (const name of params.requiredProperties) {
          report(refusal.partRequired.asDetail({ field, name }))
        }
      } else {
        const { asDetail } = keyword === 'maxLength' ? refusal.shapeTooLong : refusal.shapeInvalid
        report(asDetail({ field, message }))
      }
    }
    return value
  }
}

function makeTextCheck({ maxLength = DEFAULT_MAX_LENGTH, variant }: Settings): CheckValue {
  const toStored = variant === 'HTML' ? cleanHtml : (text: string) => text

  const checkOne: CheckValue = (text, at, report, stored) => {
    if (typeof text !== 'string') return report(refusal.notAText.asDetail({ at }))
    if (!isLonger(text, maxLength)) {
      if (stored?.isHtml) return text
      const clean = toStored(text)
      if (clean === text) return text
      if (stored) return report(refusal.textNotClean.asDetail({ at }))
      // Cleaning may lengthen a text (& becomes &amp;). The stored text must fit the limit, or it could not be sent
      // back unchanged.
      if (!isLonger(clean, maxLength)) return clean
    }
    report(refusal.textTooLong.asDetail({ at, maxLength }))
  }

  return (value, at, report, stored) => {
    if (typeof value === 'string') return checkOne(value, at, report, stored)
    if (typeof value !== 'object' || value === null || Array.isArray(value)) {
      return report(refusal.notATextOrTexts.asDetail({ at }))
    }
    const texts = Object.entries(value)
    if (texts.length > MAX_LOCALES) return report(refusal.tooManyLocales.asDetail({ at }))
    return Object.fromEntries(
      texts.map(([locale, text]) => {
        const field = `${at}.${locale.slice(0, 35).toWellFormed()}`
        if (!isLocale(locale)) report(refusal.notALocale.asDetail({ field }))
        return [locale, checkOne(text, field, report, stored)]
      }),
    )
  }
}

/** Counts code points, as JSON Schema does; the first test spares most texts the count. */
function isLonger(text: string, limit: number): boolean {
  if (text.length <= limit) return false
  if (text.length > 2 * limit) return true
  let left = limit
  // By index: splitting a text of a megabyte into an array costs several times as much.
  for (let at = 0; at < text.length; at += (text.codePointAt(at) ?? 0) > 0xffff ? 2 : 1) if (left-- === 0) return true
  return false
}

function makeNumberCheck({ min, max, integer = false }: Settings): CheckValue {
  const lowest = min ?? Number.NEGATIVE_INFINITY
  const highest = max ?? Number.POSITIVE_INFINITY
  const bounds = [min !== undefined && `at least ${min}`, max !== undefined && `at most ${max}`].filter(Boolean)
  const wanted = [integer ? 'a whole number' : 'a number', ...bounds].join(', ')
  const fits = integer ? Number.isInteger : Number.isFinite
  return (value, at, report) => {
    if (typeof value === 'number' && fits(value) && value >= lowest && value <= highest) return value
    report(refusal.numberInvalid.asDetail({ at, wanted }))
  }
}

function makeMediaCheck({ accept = [], maxItems = MAX_MEDIA }: Settings): CheckValue {
  const isAccepted = makeMatcher(accept)
  const checkOne: CheckValue = (value, at, report, stored, known) => {
    const namesFile = (known ?? stored) && (value as { mediaId?: unknown } | undefined)?.mediaId !== undefined
    ;(namesFile ? checkNamedFile : checkAddress)(value, at, report)
    const isRight = Check(namesFile ? NewMedia : AddressedMedia, value)
    const media = isRight && !stored ? toMedia(value, at, report, known) : value
    const mimeType = (media as { mimeType?: unknown } | null | undefined)?.mimeType
    // Of a file that cannot be named the type is not known, either.
    if (typeof mimeType === 'string' && mimeType !== '' && !isAccepted(mimeType)) {
      report(refusal.mediaTypeNotAccepted.asDetail({ at }))
    }
    return media
  }
  return (value, at, report, stored, known) => {
    if (!Array.isArray(value)) return checkOne(value, at, report, stored, known)
    if (value.length > maxItems) return report(refusal.tooManyMedia.asDetail({ at, maxItems }))
    return value.map((item, index) => checkOne(item, `${at}.${index}`, report, stored, known))
  }
}

/** Media types are case-insensitive; `image/*` is kept as `image/`. An empty list matches everything. */
function makeMatcher(accept: readonly string[]): (mimeType: string) => boolean {
  if (accept.length === 0) return () => true
  const accepted = new Set(accept.map((range) => range.toLowerCase().replace(/[*]$/, '')))
  return (mimeType) => {
    const type = mimeType.toLowerCase()
    return accepted.has(type) || accepted.has(type.slice(0, type.indexOf('/') + 1))
  }
}

function makeChoiceCheck({ options = [] }: Settings): CheckValue {
  if (options.length === 0) return checkAnyChoice
  const known = new Set<unknown>(options)
  return (value, at, report) => {
    if (known.has(value)) return value
    report(refusal.notAnOption.asDetail({ at }))
  }
}

function makeChoicesCheck(settings: Settings): CheckValue {
  const checkOne = makeChoiceCheck(settings)
  return (value, at, report) => {
    if (!Array.isArray(value)) return report(refusal.notChoices.asDetail({ at }))
    if (value.length > MAX_CHOICES) return report(refusal.tooManyChoices.asDetail({ at }))
    const seen = new Set<unknown>()
    for (const [index, choice] of value.entries()) {
      const field = `${at}.${index}`
      checkOne(choice, field, report)
      if (seen.has(choice)) report(refusal.chosenTwice.asDetail({ field }))
      seen.add(choice)
    }
    return [...value]
  }
}
