import type { Answer } from '@kontor/sdk'
import { useLingui } from '@lingui/react/macro'
import { useBusiness } from '../session/use-business.ts'
import { useFormat } from '../session/use-format.ts'
import { Status } from '../ui/status.tsx'
import { isPicture, missingAlt } from './picture.ts'

type MediaFile = Answer<'getMedia'>

/** Why the service did not take a file, and what to do about it. */
export function useProblemWords() {
  const { t } = useLingui()
  const words: Record<string, string> = {
    NOT_UPLOADED: t`It did not arrive. Upload it again.`,
    SIZE_DIFFERS: t`It changed on its way. Upload it again.`,
    HASH_DIFFERS: t`It changed on its way. Upload it again.`,
    TYPE_DIFFERS: t`It is something else than its name says. Save it anew, as JPEG or PNG.`,
    HIDDEN_CONTENT: t`Another file is hidden in it. Save it anew with a program for pictures.`,
    BROKEN: t`The picture cannot be read to its end. Save it anew.`,
    TOO_MANY_PIXELS: t`It has more than 50 megapixels. Make it smaller.`,
    SIDE_TOO_LONG: t`One side is longer than 16,000 pixels. Make it smaller.`,
    TOO_SLOW: t`Reading it took too long. Make it smaller.`,
    FAILED: t`The service failed to read it. Upload it again later.`,
  }
  return (problem: string): string | undefined => words[problem]
}

/** `4.2 MB`, by the language of the reader. */
export function useFileSize() {
  const { locale } = useFormat()
  return (bytes: number): string => {
    const isLarge = bytes >= 1_000_000
    const unit = { style: 'unit', unit: isLarge ? 'megabyte' : 'kilobyte', unitDisplay: 'short' } as const
    const figures = new Intl.NumberFormat(locale, { ...unit, maximumFractionDigits: isLarge ? 1 : 0 })
    return figures.format(isLarge ? bytes / 1_000_000 : Math.max(1, bytes / 1_000))
  }
}

/** `Deutsch` for `de`, in the language of the reader. */
export function useLocaleName() {
  const { locale } = useFormat()
  const names = new Intl.DisplayNames([locale], { type: 'language' })
  return (tag: string): string => names.of(tag) ?? tag
}

/** Whether it can be shown, in a word; of a picture that can, what is still missing. */
export function FileState({ file }: { file: MediaFile }) {
  const { t } = useLingui()
  const { locales, defaultLocale } = useBusiness()
  const localeName = useLocaleName()
  if (file.status === 'PENDING') return <Status fill="ring" tone="wait">{t`Not uploaded yet`}</Status>
  if (file.status === 'PROCESSING') return <Status fill="unknown" tone="wait">{t`Being checked`}</Status>
  if (file.status === 'REJECTED') return <Status fill="off" tone="alert">{t`Not taken`}</Status>
  const missing = isPicture(file) ? missingAlt(file.alt, [...new Set([defaultLocale, ...locales])]) : []
  if (missing.length === 0) return <Status fill="full" tone="good">{t`Ready`}</Status>
  const names = missing.map(localeName).join(', ')
  return (
    <Status fill="half" tone="wait">
      <span className="cut">
        {missing.length > 0 && Object.keys(file.alt).length === 0 ? t`Ready, no alt text` : t`No alt text in ${names}`}
      </span>
    </Status>
  )
}
