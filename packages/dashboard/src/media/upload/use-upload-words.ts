import { useLingui } from '@lingui/react/macro'
import { useProblemWords } from '../words.tsx'
import type { Failure } from './store.ts'
import type { Upload } from './uploads.ts'

/** Where an upload is, and what to do if it cannot go on. */
export function useUploadWords() {
  const { t } = useLingui()
  const problemWords = useProblemWords()
  const failureWords = ({ code, message }: Failure): string => {
    const known: Record<string, string> = {
      TOO_LARGE: t`Larger than 50 MB. Make it smaller and choose it again.`,
      EMPTY: t`There is nothing in this file. Choose another one.`,
      UNREADABLE: t`It cannot be read any more: it was moved or changed. Choose it again.`,
      STORE_UNREACHABLE: t`The store does not answer this page. Try again; if it stays so, whoever runs the service has to allow uploads from here.`,
      STORE_REFUSED: t`The store did not take it. If it was changed since you chose it, choose it again.`,
      TYPE_NOT_ALLOWED: t`Files of this type are not taken. Save it as JPEG, PNG, WebP or PDF.`,
      QUOTA_EXCEEDED: t`There is no room left. Delete files that are not used, then try again.`,
      PROVIDER_NOT_CONFIGURED: t`This service stores no files yet. Whoever runs it has to set MEDIA_STORAGE.`,
      FORBIDDEN: t`You may not upload files here any more.`,
      GONE: t`Somebody has deleted it meanwhile.`,
    }
    return known[code] ?? problemWords(code) ?? message ?? code
  }
  const stateWords = ({ step, sent, size, isAway, wasHere, failed }: Upload): string => {
    if (step === 'failed') return failureWords(failed ?? { code: '' })
    if (isAway) return t`No answer, it tries again by itself`
    if (step === 'done') return wasHere ? t`Already here` : t`Uploaded`
    if (step === 'checking') return t`Being checked`
    if (step === 'hashing') return t`Being read`
    const percent = Math.floor((100 * Math.min(sent, size)) / size)
    return step === 'sending' ? t`${percent} %` : t`Waiting`
  }
  return stateWords
}
