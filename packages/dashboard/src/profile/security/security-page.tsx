import { useLingui } from '@lingui/react/macro'
import { ProfileHead } from '../profile-head.tsx'
import { AppPart } from './app-part.tsx'
import { PasskeysPart } from './passkeys-part.tsx'
import { PasswordPart } from './password-part.tsx'

/** With what one proves that it is oneself. */
export function SecurityPage() {
  const { t } = useLingui()
  return (
    <>
      <ProfileHead title={t`Security`} />
      <div className="page parts">
        <PasskeysPart />
        <AppPart />
        <PasswordPart />
      </div>
    </>
  )
}
