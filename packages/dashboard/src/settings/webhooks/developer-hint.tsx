import { Trans, useLingui } from '@lingui/react/macro'
import { Link } from '@tanstack/react-router'
import { CopyButton } from '../../ui/copy-button.tsx'

const SNIPPET = `import { verifyWebhook } from '@kontor/sdk'

export async function POST(request: Request) {
  const body = await request.text()
  const event = await verifyWebhook(body, request.headers, WEBHOOK_SECRET)
  if (event.type === 'order.paid') await tellTheErp(event.subject)
  return new Response(null, { status: 204 })
}`

/** For whoever writes the other side. */
export function DeveloperHint() {
  const { t } = useLingui()
  return (
    <section className="section dev-hint">
      <div className="section-head">
        <h2>{t`For whoever writes the other side`}</h2>
      </div>
      <p className="note">
        <Trans>
          Each request is signed as Standard Webhooks says. Check it with the secret, answer with a status of 200 to 299
          within 15 seconds, and take each <code>webhook-id</code> once: an event may come again.
        </Trans>
      </p>
      {/* oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex -- it may be wider than the page: keys scroll it */}
      <pre className="answer" tabIndex={0} aria-label={t`An example in TypeScript`}>
        {SNIPPET}
      </pre>
      <div className="acts">
        <CopyButton text={SNIPPET}>{t`Copy the example`}</CopyButton>
        <Link className="button" to="/profile/keys/new">{t`Make an API key`}</Link>
      </div>
      <p className="note">
        <Trans>
          Events hold ids, no names or addresses. With an API key your program reads the rest: give it only what it
          needs, and a day on which it ends. Your{' '}
          <Link to="/profile/keys" className="link">
            list of keys
          </Link>{' '}
          says when each was last used.
        </Trans>
      </p>
    </section>
  )
}
