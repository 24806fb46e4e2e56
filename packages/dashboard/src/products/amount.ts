import { fractionDigits } from '@kontor/sdk'

/**
 * An amount as people write it, in minor units: `1.234,50`, `1,234.50`, `1 234.5`, `€ 12`, `12,-`. Undefined: it is none.
 * The last point or comma is the decimal one. Undefined, too, where nobody can tell: `23.999` may be twenty-four or
 * twenty-four thousand.
 */
export function parseAmount(text: string, currency: string): number | undefined {
  const digits = fractionDigits(currency)
  const bare = text
    .replaceAll(/[\s\u00a0\u202f'’_]|[\p{Sc}]|^[A-Za-z]{3}|[A-Za-z]{3}$/gu, '')
    .replace(/[.,][-–—]+$/, '')
  const [, whole = '', fraction = ''] = parts(bare, digits) ?? []
  if (whole === '' && fraction === '') return undefined
  if (fraction.length > digits && /[1-9]/.test(fraction.slice(digits))) return undefined
  const minor = Number(`${whole || '0'}${fraction.slice(0, digits).padEnd(digits, '0')}`)
  return Number.isSafeInteger(minor) ? minor : undefined
}

/** `[all, whole, fraction]`, both of digits only. */
function parts(bare: string, digits: number): [string, string, string] | undefined {
  if (!/^[\d.,]+$/.test(bare) || !/\d/.test(bare)) return undefined
  const marks = bare.replaceAll(/\d/g, '')
  const last = marks.at(-1)
  if (last === undefined) return [bare, bare, '']
  const at = bare.lastIndexOf(last)
  const after = bare.slice(at + 1)
  const isOneKind = new Set(marks).size === 1
  // 1.234.567 is a million and more; 0.500 and 1234.500 are not written so.
  const isGrouped = isOneKind && /^[1-9]\d{0,2}([.,]\d{3})+$/.test(bare)
  if (isGrouped && (marks.length > 1 || digits === 0)) return [bare, bare.replaceAll(/[.,]/g, ''), '']
  if (isGrouped && digits !== 3) return undefined
  const before = bare.slice(0, at)
  if (before.includes(last)) return undefined
  const isWellGrouped = !/[.,]/.test(before) || /^\d{1,3}([.,]\d{3})+$/.test(before)
  return isWellGrouped ? [bare, before.replaceAll(/[.,]/g, ''), after] : undefined
}

/** As it is typed: no currency, no groups. */
export function plainAmount(minor: number, currency: string): string {
  const digits = fractionDigits(currency)
  return digits === 0 ? String(minor) : (minor / 10 ** digits).toFixed(digits)
}
