import { Trans, useLingui } from '@lingui/react/macro'
import { type ErrorComponentProps, Link } from '@tanstack/react-router'
import { OtherBusinesses } from '../session/other-businesses.tsx'
import { type Permission, usePermissions } from '../session/permissions.ts'
import { addressOf, useBusiness } from '../session/use-business.ts'
import { Button } from '../ui/button.tsx'
import { usePageTitle } from '../ui/page.tsx'
import { Problem } from '../ui/problem.tsx'

/** A screen that could not be shown. The frame stays. */
export const ScreenProblem = ({ error, reset }: ErrorComponentProps) => (
  <div className="page pt-6">
    <Problem error={error} onRetry={reset} />
  </div>
)

/** An address of a part that this person may not see: nothing is asked of the service. */
export function NotForYou({ needs }: { needs: Permission }) {
  const { t } = useLingui()
  const { reason } = usePermissions()
  const business = addressOf(useBusiness())
  usePageTitle(t`Not for your role`)
  return (
    <div className="page pt-6">
      <div className="empty">
        <h1>{t`Your role does not show this`}</h1>
        <p>{reason(needs)}</p>
        <Link to="/$business" params={{ business }} className="button">{t`Home`}</Link>
      </div>
    </div>
  )
}

export function NotFound() {
  const { t } = useLingui()
  usePageTitle(t`Not found`)
  return (
    <div className="page pt-6">
      <div className="empty">
        <h1>{t`There is nothing here`}</h1>
        <p>
          <Trans>The address leads nowhere, or what was here is gone, or you have no role where it is.</Trans>
        </p>
        <OtherBusinesses />
        <Link to="/" className="button">{t`Home`}</Link>
        <Button look="quiet" onClick={() => history.back()}>{t`Back`}</Button>
      </div>
    </div>
  )
}
