import { useLingui } from '@lingui/react/macro'

type Data = { account?: string | null }

/** What an operator does to a business: its own log says it as that of the operators does. */
export function useBusinessSentences() {
  const { t } = useLingui()
  return ({ account }: Data) => ({
    'business.suspended': () => t`suspended the business`,
    'business.resumed': () => t`opened the business again`,
    'business.limits-set': () => t`set the limits of the business`,
    'business.payments-set': () =>
      account ? t`set the account that the money goes to` : t`took away the account that the money goes to`,
  })
}
