import type { KontorError } from '@kontor/sdk'
import type { ComponentChildren } from 'preact'
import { Icon } from './icons.tsx'

type NoticeProps = {
  /** Below a heading of the page, not instead of it. */
  isPart?: boolean
  title: string
  children?: ComponentChildren
  action?: { href: string; label: string }
}

/** A page, or a part of one, that has nothing else to show. */
export const Notice = ({ isPart = false, title, children, action }: NoticeProps) => (
  <div class="notice">
    <Icon name="anchor" />
    {isPart ? <h2>{title}</h2> : <h1>{title}</h1>}
    <p>{children}</p>
    {action && (
      <a class="button" href={action.href}>
        {action.label}
      </a>
    )}
  </div>
)

/** What went wrong, in the words of a shopper. */
export function wordsOf({ status, code, message }: KontorError): string {
  if (code === 'NETWORK') return 'We cannot reach the shop. Look at your connection, then try again.'
  if (code === 'TIMEOUT') return 'The shop takes too long to answer. Try again in a moment.'
  if (status === 429) return 'That was a bit fast. Wait a moment, then try again.'
  if (status >= 500) return 'Something is wrong on our side. Try again in a moment.'
  return message
}

type ProblemProps = { isPart?: boolean; error: KontorError; retry: () => void }

export function Problem({ isPart = false, error, retry }: ProblemProps) {
  const isGone = error.status === 404
  const title = isGone ? 'It is not here any more' : 'That did not work'
  return (
    <div class="notice" role="alert">
      <Icon name="anchor" />
      {isPart ? <h2>{title}</h2> : <h1>{title}</h1>}
      <p>{isGone ? 'It may be sold out for good, or the address is mistyped.' : wordsOf(error)}</p>
      {isGone ? (
        <a class="button" href="/shop">
          Look at what there is
        </a>
      ) : (
        <button class="button" type="button" onClick={retry}>
          Try again
        </button>
      )}
      {error.requestId && <small>Request {error.requestId}</small>}
    </div>
  )
}

/** Beside a form, for what is about no single field. */
export const FormProblem = ({ children }: { children: ComponentChildren }) => (
  <p class="form-problem" role="alert">
    {children}
  </p>
)
