import { useLingui } from '@lingui/react/macro'

type Data = { account?: string | null }

/** What an operator does to a business: its own log says it as that of the operators does. */
export function useBusinessSentences() {
  const { t } = useLingui()
  return ({ account }: Data) => ({
    'business.suspended': () => t`suspended the business`,
    'business.resumed': () => t`opened the business again`,
    'business.export-asked': () => t`had an archive of the business made`,
    'business.export-fetched': () => t`fetched an archive of the business`,
    'business.deletion-asked': () => t`closed the business, to be deleted`,
    'business.deletion-undone': () => t`kept the business that was to be deleted`,
    'business.deletion-hurried': () => t`had the business deleted at once`,
    'business.limits-set': () => t`set the limits of the business`,
    'business.payments-set': () =>
      account ? t`set the account that the money goes to` : t`took away the account that the money goes to`,
  })
}
