import { useLingui } from '@lingui/react/macro'
import { useFormat } from '../../session/use-format.ts'
import type { Block } from '../queries.ts'
import { type FieldProblem, isBlank, type MediaItem, type Place, partsOf } from './form.ts'

const SHORT = 60

/** Words without their tags. */
export function plainOf(html: string): string {
  const { body } = new DOMParser().parseFromString(
    html.replaceAll(/<\/(p|li|h\d|tr|div|blockquote)>|<br \/>/g, '$& '),
    'text/html',
  )
  return body.textContent.replaceAll(/\s+/g, ' ').trim()
}

/** A value in a few words. */
export function useShownValue(schema: readonly Block[]) {
  const { t } = useLingui()
  const format = useFormat()
  const short = (text: string) => (text.length > SHORT ? `${text.slice(0, SHORT)}…` : text)
  return (value: unknown, field: string): string => {
    const block = schema.find(({ id }) => id === partsOf(field).blockId)
    if (isBlank(value)) return '–'
    switch (block?.type) {
      case 'TEXT':
        return short(block.settings?.variant === 'HTML' ? plainOf(String(value)) : String(value))
      case 'BOOLEAN':
        return value === true ? t`Yes` : t`No`
      case 'DATE':
        return format.full(Number(value))
      case 'MULTI_SELECT':
        return (value as string[]).join(', ')
      case 'MEDIA':
        return (value as MediaItem[]).map(({ url }) => url.split('/').at(-1)).join(', ')
      case 'GEO_LOCATION':
        return `${(value as Place).latitude}, ${(value as Place).longitude}`
      default:
        return short(typeof value === 'string' ? value : (JSON.stringify(value) ?? '–'))
    }
  }
}

export function useProblemWords() {
  const { t } = useLingui()
  return (problem: FieldProblem, { settings = {} }: Block): string => {
    const { min, max, maxLength = 100_000 } = settings
    const words: Record<FieldProblem, string> = {
      number: settings.integer ? t`A whole number is wanted.` : t`A number is wanted.`,
      bounds:
        min !== undefined && max !== undefined
          ? t`From ${min} to ${max}.`
          : min === undefined
            ? t`At most ${max ?? ''}.`
            : t`At least ${min}.`,
      place: t`Degrees: −90 to 90 north, −180 to 180 east.`,
      long: t`At most ${maxLength} characters.`,
      url: t`A whole address, such as https://example.com/boat.jpg.`,
    }
    return words[problem]
  }
}
