import { Trans, useLingui } from '@lingui/react/macro'
import { useQuery } from '@tanstack/react-query'
import { useRouter } from '@tanstack/react-router'
import { ShieldCheck } from 'lucide-react'
import { queryClient } from '../api/client.ts'
import { askForProof } from '../api/proof.ts'
import { Button } from '../ui/button.tsx'
import { businessesQuery, meQuery } from './queries.ts'

/** Asks the person to confirm their identity, which gives access to their other businesses. */
export function useConfirm() {
  const router = useRouter()
  return async () => {
    if (!(await askForProof())) return
    await queryClient.refetchQueries({ queryKey: businessesQuery().queryKey })
    await router.invalidate()
  }
}

/** Shown if the session is limited to the business whose sign-in provider started it. */
export function OtherBusinesses() {
  const { t } = useLingui()
  const { data: me } = useQuery(meQuery())
  const confirm = useConfirm()
  if (!me?.needsConfirmation) return null
  return (
    <>
      <p>
        <Trans>
          Your company’s sign-in gives you access to its business only. Confirm it’s you to see your other businesses.
        </Trans>
      </p>
      <Button icon={ShieldCheck} onClick={() => void confirm()}>{t`Confirm it’s you`}</Button>
    </>
  )
}
