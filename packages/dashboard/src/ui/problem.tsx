import { KontorError } from '@kontor/sdk'
import { useLingui } from '@lingui/react/macro'
import { Button } from './button.tsx'
import { Notice } from './notice.tsx'

/** What a call failed with, in words, with a way to try again. */
export function Problem({ error, kept, onRetry }: { error: unknown; kept?: string; onRetry?: () => void }) {
  const { t } = useLingui()
  const words = useProblem()(error)
  return (
    <Notice
      tone="alert"
      title={words.title}
      action={onRetry && <Button look="small" onClick={onRetry}>{t`Try again`}</Button>}
    >
      {[words.what, kept].filter(Boolean).join(' ')}
    </Notice>
  )
}

/** Words for an error. The service's own message is in English and exact: it is shown as it is. */
export function useProblem() {
  const { t } = useLingui()
  return (error: unknown): { title: string; what: string } => {
    if (!(error instanceof KontorError))
      return { title: t`Something went wrong here.`, what: error instanceof Error ? error.message : '' }
    const { code, message, requestId } = error
    if (code === 'NETWORK' || code === 'TIMEOUT')
      return { title: t`The service cannot be reached.`, what: t`Check the connection.` }
    if (code === 'ONLY_SEEN')
      return {
        title: t`Nothing was changed.`,
        what: t`You’re viewing as another role. Exit the preview to make changes.`,
      }
    if (code === 'FORBIDDEN') return { title: t`You don’t have permission to view this.`, what: message }
    if (code === 'NOT_FOUND') return { title: t`It is not there.`, what: message }
    if (error.status >= 500)
      return { title: t`The service failed.`, what: requestId ? t`It knows this as ${requestId}.` : message }
    return { title: t`Something went wrong.`, what: message }
  }
}
